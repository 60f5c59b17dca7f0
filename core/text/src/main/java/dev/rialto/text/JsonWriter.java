package dev.rialto.text;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Turns a tree of Java values into JSON text.
 *
 * <p>Every value is first reduced to a map, a list or a scalar, so that the layout rules are
 * written once and do not care where a value came from.
 */
final class JsonWriter {

  /** The widest value without structure inside that stays on one line. */
  private static final int SHORT = 80;

  /** Deep enough for any document, and shallow enough to stop at a cycle before the stack does. */
  private static final int MAX_DEPTH = 500;

  private final StringBuilder out;
  private final int indent;
  private int depth;

  JsonWriter(StringBuilder out, int indent) {
    this.out = out;
    this.indent = indent;
  }

  void value(@Nullable Object value) {
    switch (value) {
      case null -> out.append("null");
      case CharSequence text -> string(text.toString());
      case Character character -> string(character.toString());
      case Enum<?> constant -> string(constant.name());
      case Boolean bool -> out.append(bool);
      case Number number -> number(number);
      case Optional<?> optional -> value(optional.orElse(null));
      case Map<?, ?> map -> object(map);
      case Record record -> object(components(record));
      case Iterable<?> iterable -> array(elements(iterable));
      default -> {
        if (!value.getClass().isArray()) {
          throw new IllegalArgumentException(
              "no JSON form for " + value.getClass().getName() + ": " + value);
        }
        array(elements(value));
      }
    }
  }

  private void number(Number number) {
    switch (number) {
      case Double d when !Double.isFinite(d) -> out.append("null");
      case Float f when !Float.isFinite(f) -> out.append("null");
      case Double _, Float _, Long _, Integer _, Short _, Byte _ -> out.append(number);
      case BigInteger _, BigDecimal _ -> out.append(number);
      // Counters such as AtomicLong and LongAdder print as the whole number that they hold.
      default -> out.append(number.longValue());
    }
  }

  private void object(Map<?, ?> members) {
    List<Runnable> writers = new ArrayList<>(members.size());
    members.forEach(
        (name, member) ->
            writers.add(
                () -> {
                  string(nameOf(name));
                  out.append(indent == 0 ? ":" : ": ");
                  value(member);
                }));
    structure('{', '}', writers, isFlat(members.values()));
  }

  private void array(List<?> elements) {
    List<Runnable> writers = new ArrayList<>(elements.size());
    elements.forEach(element -> writers.add(() -> value(element)));
    structure('[', ']', writers, isFlat(elements));
  }

  private void structure(char open, char close, List<Runnable> parts, boolean flat) {
    if (++depth > MAX_DEPTH) {
      throw new IllegalArgumentException(
          "nested deeper than " + MAX_DEPTH + ": does a value contain itself?");
    }
    int start = out.length();
    boolean wrap = indent > 0 && !parts.isEmpty();
    join(open, close, parts, wrap && !flat);
    if (wrap && flat && out.length() - start > SHORT) {
      out.setLength(start);
      join(open, close, parts, true);
    }
    depth--;
  }

  private void join(char open, char close, List<Runnable> parts, boolean wrap) {
    String separator = indent > 0 && !wrap ? ", " : ",";
    out.append(open);
    for (int i = 0; i < parts.size(); i++) {
      out.append(i == 0 ? "" : separator);
      if (wrap) {
        newLine(depth);
      }
      parts.get(i).run();
    }
    if (wrap) {
      newLine(depth - 1);
    }
    out.append(close);
  }

  private void newLine(int level) {
    out.append('\n').repeat(' ', level * indent);
  }

  private void string(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        case '\b' -> out.append("\\b");
        case '\f' -> out.append("\\f");
        default -> {
          if (c < ' ' || isUnsafe(text, i)) {
            out.append(String.format("\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  /** Half a surrogate pair has no UTF-8 form, and U+2028 and U+2029 end lines in JavaScript. */
  private static boolean isUnsafe(String text, int i) {
    char c = text.charAt(i);
    if (Character.isHighSurrogate(c)) {
      return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
    }
    if (Character.isLowSurrogate(c)) {
      return i == 0 || !Character.isHighSurrogate(text.charAt(i - 1));
    }
    return c == '\u2028' || c == '\u2029' || c == '\u007f';
  }

  private static boolean isFlat(Collection<?> values) {
    for (Object value : values) {
      Object inner = value instanceof Optional<?> optional ? optional.orElse(null) : value;
      if (inner instanceof Map
          || inner instanceof Iterable
          || inner instanceof Record
          || (inner != null && inner.getClass().isArray())) {
        return false;
      }
    }
    return true;
  }

  private static String nameOf(@Nullable Object name) {
    return switch (name) {
      case CharSequence text -> text.toString();
      case Enum<?> constant -> constant.name();
      case null, default ->
          throw new IllegalArgumentException("a member's name must be text or an enum: " + name);
    };
  }

  private static List<?> elements(Iterable<?> iterable) {
    if (iterable instanceof List<?> list) {
      return list;
    }
    List<Object> elements = new ArrayList<>();
    iterable.forEach(elements::add);
    return elements;
  }

  private static List<?> elements(Object array) {
    int length = Array.getLength(array);
    List<@Nullable Object> elements = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      elements.add(Array.get(array, i));
    }
    return elements;
  }

  private static Map<String, @Nullable Object> components(Record record) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      Method accessor = component.getAccessor();
      // Results are often records that are private to their package.
      accessor.trySetAccessible();
      try {
        members.put(component.getName(), accessor.invoke(record));
      } catch (IllegalAccessException e) {
        throw new IllegalArgumentException(
            record.getClass().getName()
                + " cannot be read: make it public in an exported package, or open its package to"
                + " dev.rialto.text",
            e);
      } catch (InvocationTargetException e) {
        throw new IllegalArgumentException(
            "the accessor " + component.getName() + " of " + record.getClass().getName() + " threw",
            e.getCause());
      }
    }
    return members;
  }
}
