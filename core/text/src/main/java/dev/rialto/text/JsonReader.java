package dev.rialto.text;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads one JSON document by recursive descent, strictly as RFC 8259 has it. */
final class JsonReader {

  /** A limit instead of a stack overflow when a hostile or broken file nests without end. */
  private static final int MAX_DEPTH = 500;

  private final String text;
  private int at;
  private int depth;

  JsonReader(String text) {
    this.text = text;
  }

  @Nullable Object document() {
    skipSpace();
    Object value = value();
    skipSpace();
    if (at < text.length()) {
      throw wrong("nothing may follow the document, but " + here() + " does");
    }
    return value;
  }

  private @Nullable Object value() {
    if (at == text.length()) {
      throw wrong("a value is missing: the text ends here");
    }
    char c = text.charAt(at);
    return switch (c) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> literal("true", true);
      case 'f' -> literal("false", false);
      case 'n' -> literal("null", null);
      default -> {
        if (c == '-' || isDigit(c)) {
          yield number();
        }
        throw wrong("expected a value, found " + here());
      }
    };
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    enter();
    if (!takeIf('}')) {
      do {
        skipSpace();
        if (at == text.length() || text.charAt(at) != '"') {
          throw wrong("expected a member's name in quotes, found " + here());
        }
        int nameAt = at;
        String name = string();
        if (members.containsKey(name)) {
          at = nameAt;
          throw wrong("the name \"" + name + "\" occurs twice in one object");
        }
        skipSpace();
        take(':', "after a member's name");
        skipSpace();
        members.put(name, value());
        skipSpace();
      } while (takeIf(','));
      take('}', "or ',' after a member");
    }
    depth--;
    return Collections.unmodifiableMap(members);
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> elements = new ArrayList<>();
    enter();
    if (!takeIf(']')) {
      do {
        skipSpace();
        elements.add(value());
        skipSpace();
      } while (takeIf(','));
      take(']', "or ',' after an element");
    }
    depth--;
    return Collections.unmodifiableList(elements);
  }

  /** Steps over the opening bracket and the space after it. */
  private void enter() {
    if (++depth > MAX_DEPTH) {
      throw wrong("nested deeper than " + MAX_DEPTH);
    }
    at++;
    skipSpace();
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    int open = at++;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '"') {
        at++;
        return out.toString();
      }
      if (c < ' ') {
        throw wrong("a text may not contain " + here() + ": write it as an escape");
      }
      if (c == '\\') {
        out.append(escape());
      } else {
        out.append(c);
        at++;
      }
    }
    at = open;
    throw wrong("this text has no closing quote");
  }

  private char escape() {
    int start = at++;
    char c = at < text.length() ? text.charAt(at++) : ' ';
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> codeUnit(start);
      default -> {
        at = start;
        throw wrong("there is no such escape");
      }
    };
  }

  private char codeUnit(int start) {
    int unit = 0;
    for (int i = 0; i < 4; i++) {
      char c = at < text.length() ? text.charAt(at++) : ' ';
      // Character.digit alone would also take the digits of other scripts.
      int digit = c < 128 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        at = start;
        throw wrong("\\u needs four hexadecimal digits");
      }
      unit = unit * 16 + digit;
    }
    return (char) unit;
  }

  private Number number() {
    int start = at;
    if (text.charAt(at) == '-') {
      at++;
    }
    boolean leadingZero = at < text.length() && text.charAt(at) == '0';
    int digits = digits("a number");
    if (leadingZero && digits > 1) {
      at = start;
      throw wrong("a number may not start with a zero");
    }
    boolean whole = true;
    if (at < text.length() && text.charAt(at) == '.') {
      whole = false;
      at++;
      digits("a fraction");
    }
    if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
      whole = false;
      at++;
      if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
        at++;
      }
      digits("an exponent");
    }
    String number = text.substring(start, at);
    if (whole && !number.equals("-0")) {
      try {
        return Long.valueOf(number);
      } catch (NumberFormatException e) {
        // More digits than a long holds: the nearest double, as every other reader does.
        return Double.valueOf(number);
      }
    }
    return Double.valueOf(number);
  }

  private int digits(String of) {
    int start = at;
    while (at < text.length() && isDigit(text.charAt(at))) {
      at++;
    }
    if (at == start) {
      throw wrong("expected a digit of " + of + ", found " + here());
    }
    return at - start;
  }

  private @Nullable Object literal(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw wrong("expected a value, found " + here());
    }
    at += word.length();
    return value;
  }

  private boolean takeIf(char c) {
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void take(char c, String where) {
    if (!takeIf(c)) {
      throw wrong("expected '" + c + "' " + where + ", found " + here());
    }
  }

  private void skipSpace() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
        return;
      }
      at++;
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** The current character, as an error message shows it. */
  private String here() {
    if (at == text.length()) {
      return "the end of the text";
    }
    char c = text.charAt(at);
    return c < ' ' || c > '~' ? String.format("U+%04X", (int) c) : "'" + c + "'";
  }

  private JsonException wrong(String problem) {
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < at; i++) {
      if (text.charAt(i) == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    return new JsonException(problem, line, at - lineStart + 1);
  }
}
