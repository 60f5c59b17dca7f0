package dev.rialto.array;

import dev.rialto.spi.data.Shape;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Arrays as NumPy prints them: rows in brackets, numbers of one width with up to eight digits after
 * the point, and of more than a thousand elements the first and last three along each axis.
 */
final class ArrayText {
  private static final int DIGITS = 8;
  private static final int MOST = 1000;
  private static final int EDGE = 3;
  private static final int WIDTH = 75;

  private final Shape shape;
  private final boolean shortened;
  private final IntFunction<String> element;

  private ArrayText(Shape shape, boolean shortened, IntFunction<String> element) {
    this.shape = shape;
    this.shortened = shortened;
    this.element = element;
  }

  static String of(Shape shape, double[] values) {
    return text(shape, values.length, shown -> numbers(shown, i -> values[i]));
  }

  static String of(Shape shape, long[] values) {
    return text(shape, values.length, shown -> padded(shown, i -> Long.toString(values[i])));
  }

  static String of(Shape shape, Complex[] values) {
    return text(
        shape,
        values.length,
        shown -> {
          IntFunction<String> re = numbers(shown, i -> values[i].re());
          IntFunction<String> im = numbers(shown, i -> Math.abs(values[i].im()));
          return i -> re.apply(i) + imaginary(values[i].im(), im.apply(i));
        });
  }

  /** Puts the sign before the first digit and the letter after the last. */
  private static String imaginary(double value, String padded) {
    String digits = padded.strip();
    int before = padded.indexOf(digits);
    int after = padded.length() - before - digits.length();
    String sign = Math.copySign(1, value) < 0 ? "-" : "+";
    return " ".repeat(before) + sign + digits + "j" + " ".repeat(after);
  }

  private interface Format {
    IntFunction<String> of(int[] shown);
  }

  private interface Value {
    double of(int index);
  }

  private static String text(Shape shape, int count, Format format) {
    if (count == 0) {
      return "[]";
    }
    boolean shortened = count > MOST;
    int[] shown = IntStream.range(0, count).filter(i -> !shortened || isShown(shape, i)).toArray();
    return new ArrayText(shape, shortened, format.of(shown)).axis(0, 0, 0);
  }

  private static boolean isShown(Shape shape, int index) {
    long rest = index;
    for (int axis = shape.rank() - 1; axis >= 0; axis--) {
      long extent = shape.extent(axis);
      long at = rest % extent;
      rest /= extent;
      if (extent > 2 * EDGE && at >= EDGE && at < extent - EDGE) {
        return false;
      }
    }
    return true;
  }

  /** Returns elements from a first one on, along an axis and those after it. */
  private String axis(int axis, int first, int depth) {
    if (axis == shape.rank()) {
      return element.apply(first);
    }
    int extent = (int) shape.extent(axis);
    int step = 1;
    for (int after = axis + 1; after < shape.rank(); after++) {
      step *= (int) shape.extent(after);
    }
    boolean last = axis == shape.rank() - 1;
    String indent = " ".repeat(depth + 1);
    String between = last ? " " : "\n".repeat(shape.rank() - 1 - axis) + indent;
    StringBuilder text = new StringBuilder("[");
    int lineStart = 0;
    for (int i = 0; i < extent; i++) {
      String next;
      if (shortened && extent > 2 * EDGE && i == EDGE) {
        next = "...";
        i = extent - EDGE - 1;
      } else {
        next = axis(axis + 1, first + i * step, depth + 1);
      }
      if (text.length() > 1) {
        boolean full =
            last && depth + text.length() - lineStart + 1 + next.length() > WIDTH - shape.rank();
        if (full) {
          text.setLength(text.toString().stripTrailing().length());
        }
        text.append(full ? "\n" + indent : between);
        lineStart = full ? text.length() - indent.length() : lineStart;
      }
      text.append(next);
    }
    return text.append(']').toString();
  }

  /** Gives all numbers one width, and the point one place. */
  private static IntFunction<String> numbers(int[] shown, Value value) {
    double[] sizes =
        Arrays.stream(shown)
            .mapToDouble(i -> Math.abs(value.of(i)))
            .filter(size -> size != 0 && Double.isFinite(size))
            .toArray();
    double largest = Arrays.stream(sizes).max().orElse(1);
    double smallest = Arrays.stream(sizes).min().orElse(1);
    boolean powers = largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000;
    String[][] parts = new String[shown.length][];
    Arrays.setAll(parts, i -> parts(value.of(shown[i]), powers));
    int after = longest(parts, 1);
    int exponent = longest(parts, 2);
    int words =
        Arrays.stream(parts)
            .mapToInt(part -> part.length == 1 ? part[0].length() : 0)
            .max()
            .orElse(0);
    int digits =
        Arrays.stream(parts)
            .mapToInt(part -> part.length > 1 ? part[0].length() : 0)
            .max()
            .orElse(0);
    int before = Math.max(digits, words - 1 - after - exponent);
    int width = before + 1 + after + exponent;
    return i -> {
      String[] part = parts(value.of(i), powers);
      if (part.length == 1) {
        return " ".repeat(Math.max(0, width - part[0].length())) + part[0];
      }
      String fraction =
          powers
              ? part[1] + "0".repeat(after - part[1].length()) + part[2]
              : part[1] + " ".repeat(after - part[1].length());
      return " ".repeat(before - part[0].length()) + part[0] + "." + fraction;
    };
  }

  private static int longest(String[][] parts, int piece) {
    return Arrays.stream(parts)
        .mapToInt(part -> part.length > piece ? part[piece].length() : 0)
        .max()
        .orElse(0);
  }

  /** Returns what stands before the point, after it, and the power of ten; or a word alone. */
  private static String[] parts(double value, boolean powers) {
    if (!Double.isFinite(value)) {
      return new String[] {Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf"};
    }
    String sign = Math.copySign(1, value) < 0 ? "-" : "";
    if (powers) {
      BigDecimal number = new BigDecimal(Double.toString(Math.abs(value)));
      int power = number.signum() == 0 ? 0 : number.precision() - number.scale() - 1;
      BigDecimal mantissa = number.movePointLeft(power).setScale(DIGITS, RoundingMode.HALF_EVEN);
      if (mantissa.precision() - mantissa.scale() > 1) {
        power++;
        mantissa = number.movePointLeft(power).setScale(DIGITS, RoundingMode.HALF_EVEN);
      }
      String[] halves = halves(mantissa);
      String exponent =
          String.format(Locale.ROOT, "e%s%02d", power < 0 ? "-" : "+", Math.abs(power));
      return new String[] {sign + halves[0], halves[1], exponent};
    }
    BigDecimal number =
        new BigDecimal(Double.toString(Math.abs(value))).setScale(DIGITS, RoundingMode.HALF_EVEN);
    String[] halves = halves(number);
    return new String[] {sign + halves[0], halves[1]};
  }

  /** Returns the digits before and after the point, without zeros at the end. */
  private static String[] halves(BigDecimal number) {
    String[] halves = number.toPlainString().split("\\.", -1);
    return new String[] {halves[0], halves.length < 2 ? "" : halves[1].replaceAll("0+$", "")};
  }

  private static IntFunction<String> padded(int[] shown, IntFunction<String> text) {
    int width = Arrays.stream(shown).map(i -> text.apply(i).length()).max().orElse(1);
    return i -> " ".repeat(width - text.apply(i).length()) + text.apply(i);
  }
}
