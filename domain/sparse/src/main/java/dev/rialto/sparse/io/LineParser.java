package dev.rialto.sparse.io;

import java.nio.charset.StandardCharsets;

/**
 * Reads numbers from bytes without making objects.
 *
 * <p>A decimal number of at most 19 digits is one long and a power of ten, for {@link Decimal}; all
 * others go the way of {@link Double#parseDouble}.
 */
final class LineParser {
  private final byte[] bytes;
  private final int end;
  private int at;

  LineParser(byte[] bytes, int from, int end) {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
  }

  /** Says what is wrong where. */
  static final class Problem extends Exception {
    private static final long serialVersionUID = 1L;

    final int at;

    Problem(int at, String what) {
      super(what, null, false, false);
      this.at = at;
    }
  }

  int position() {
    return at;
  }

  /** Goes to the first word of the next line that has one; returns whether there is any. */
  boolean nextLine() {
    while (at < end) {
      byte b = bytes[at];
      if (b == '%') {
        while (at < end && bytes[at] != '\n') {
          at++;
        }
      } else if (b > ' ') {
        return true;
      } else {
        at++;
      }
    }
    return false;
  }

  private void skipBlanks(String what) throws Problem {
    while (at < end && (bytes[at] == ' ' || bytes[at] == '\t')) {
      at++;
    }
    if (at == end || bytes[at] == '\n' || bytes[at] == '\r') {
      throw new Problem(at == 0 ? 0 : at - 1, what + " is missing");
    }
  }

  /** Reads an index from 1 to {@code most} and returns it counted from 0. */
  long index(long most, String what) throws Problem {
    skipBlanks(what);
    int start = at;
    long value = 0;
    while (at < end && bytes[at] >= '0' && bytes[at] <= '9' && at - start < 19) {
      value = 10 * value + bytes[at++] - '0';
    }
    if (at == start || (at < end && bytes[at] > ' ')) {
      throw new Problem(start, what + " '" + word(start) + "' is no number from 1 up");
    }
    if (value < 1 || value > most) {
      throw new Problem(start, what + " " + word(start) + " is not from 1 to " + most);
    }
    return value - 1;
  }

  double number() throws Problem {
    skipBlanks("a number");
    int start = at;
    boolean negative = bytes[at] == '-';
    if (negative || bytes[at] == '+') {
      at++;
    }
    long mantissa = 0;
    int digits = 0;
    int point = -1;
    int first = at;
    for (; at < end; at++) {
      int digit = bytes[at] - '0';
      if (digit >= 0 && digit <= 9) {
        if (digits < 19) {
          mantissa = 10 * mantissa + digit;
        }
        digits += mantissa == 0 ? 0 : 1;
      } else if (bytes[at] == '.' && point < 0) {
        point = at;
      } else {
        break;
      }
    }
    int fraction = point < 0 ? 0 : at - point - 1;
    boolean any = at - first > (point < 0 ? 0 : 1);
    int exponent = 0;
    if (any && at < end && isExponent(bytes[at])) {
      at++;
      boolean down = at < end && bytes[at] == '-';
      if (at < end && (down || bytes[at] == '+')) {
        at++;
      }
      int from = at;
      while (at < end && bytes[at] >= '0' && bytes[at] <= '9' && at - from < 6) {
        exponent = 10 * exponent + bytes[at++] - '0';
      }
      any = at > from;
      exponent = down ? -exponent : exponent;
    }
    boolean ended = at == end || bytes[at] <= ' ';
    if (any && ended && digits <= 19) {
      double value = Decimal.value(mantissa, exponent - fraction);
      if (!Double.isNaN(value)) {
        return negative ? -value : value;
      }
    }
    while (at < end && bytes[at] > ' ') {
      at++;
    }
    String text = word(start);
    try {
      return Double.parseDouble(text.replace('d', 'e').replace('D', 'E'));
    } catch (NumberFormatException e) {
      throw new Problem(start, "'" + text + "' is no number");
    }
  }

  private static boolean isExponent(byte b) {
    return b == 'e' || b == 'E' || b == 'd' || b == 'D';
  }

  /** Checks that nothing is left on the line. */
  void endLine() throws Problem {
    while (at < end && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r')) {
      at++;
    }
    if (at < end && bytes[at] != '\n') {
      throw new Problem(at, "'" + word(at) + "' is too much for a line");
    }
  }

  private String word(int start) {
    int stop = start;
    while (stop < end && bytes[stop] > ' ' && stop - start < 40) {
      stop++;
    }
    return new String(bytes, start, stop - start, StandardCharsets.ISO_8859_1);
  }
}
