package dev.rialto.sparse.io;

import java.nio.charset.StandardCharsets;

/**
 * Reads numbers from bytes without making objects.
 *
 * <p>A decimal number of at most 19 digits is one long and a power of ten, for {@link Decimal};
 * longer ones go the way of {@link Double#parseDouble}. Other notations of numbers are refused.
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
    final String what;

    Problem(int at, String what) {
      super(what, null, false, false);
      this.at = at;
      this.what = what;
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
      } else if (b == '\n' || isBlank(b)) {
        at++;
      } else {
        return true;
      }
    }
    return false;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t' || b == '\r';
  }

  private boolean isWordEnd() {
    return at == end || bytes[at] == '\n' || isBlank(bytes[at]);
  }

  private void skipBlanks(String what) throws Problem {
    while (at < end && isBlank(bytes[at])) {
      at++;
    }
    if (at == end || bytes[at] == '\n') {
      throw new Problem(at == 0 ? 0 : at - 1, what + " is missing");
    }
  }

  /** Reads an index from 1 to {@code most} and returns it counted from 0. */
  long index(long most, String what) throws Problem {
    skipBlanks(what);
    int start = at;
    if (bytes[at] == '+') {
      at++;
    }
    int first = at;
    long value = 0;
    // So many digits fit a long.
    int safe = Math.min(end, at + 18);
    while (at < safe && isDigit(bytes[at])) {
      value = 10 * value + bytes[at++] - '0';
    }
    while (at < end && isDigit(bytes[at])) {
      // Beyond any size it stays there.
      value = Math.min(Long.MAX_VALUE / 16, 10 * value + bytes[at++] - '0');
    }
    if (at == first || !isWordEnd()) {
      throw new Problem(start, what + " '" + word(start) + "' is no number from 1 up");
    }
    if (value < 1 || value > most) {
      throw new Problem(start, what + " " + word(start) + " is not from 1 to " + most);
    }
    return value - 1;
  }

  /** Reads an integer, as a number. */
  double integer() throws Problem {
    skipBlanks("a number");
    int start = at;
    double value = number();
    for (int i = start; i < at; i++) {
      boolean sign = i == start && (bytes[i] == '-' || bytes[i] == '+');
      if (!sign && !isDigit(bytes[i])) {
        throw new Problem(start, "'" + word(start) + "' is no integer");
      }
    }
    return value;
  }

  /** Reads a decimal number: digits, a point and an exponent by e or Fortran's d. */
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
      if (isDigit(bytes[at])) {
        if (digits < 19) {
          mantissa = 10 * mantissa + bytes[at] - '0';
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
      while (at < end && isDigit(bytes[at])) {
        exponent = Math.min(1_000_000, 10 * exponent + bytes[at++] - '0');
      }
      any = at > from;
      exponent = down ? -exponent : exponent;
    }
    if (!any || !isWordEnd()) {
      throw new Problem(start, "'" + word(start) + "' is no decimal number");
    }
    double value = digits <= 19 ? Decimal.value(mantissa, exponent - fraction) : Double.NaN;
    if (!Double.isNaN(value)) {
      return negative ? -value : value;
    }
    String text = new String(bytes, start, at - start, StandardCharsets.ISO_8859_1);
    value = Double.parseDouble(text.replace('d', 'e').replace('D', 'E'));
    if (Double.isInfinite(value)) {
      throw new Problem(start, word(start) + " is too large for a double");
    }
    return value;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private static boolean isExponent(byte b) {
    return b == 'e' || b == 'E' || b == 'd' || b == 'D';
  }

  /** Checks that nothing is left on the line. */
  void endLine() throws Problem {
    while (at < end && isBlank(bytes[at])) {
      at++;
    }
    if (at < end && bytes[at] != '\n') {
      throw new Problem(at, "'" + word(at) + "' is too much for a line");
    }
  }

  private String word(int start) {
    int stop = start;
    while (stop < end && bytes[stop] != '\n' && !isBlank(bytes[stop]) && stop - start < 40) {
      stop++;
    }
    return new String(bytes, start, stop - start, StandardCharsets.ISO_8859_1);
  }
}
