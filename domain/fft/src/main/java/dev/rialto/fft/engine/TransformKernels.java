package dev.rialto.fft.engine;

import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.Reals;
import java.util.stream.LongStream;

/**
 * The kernels of transforms of lines: passes of Stockham's method, each of which reads one memory
 * and writes another, and the products that make a length with a large prime factor a convolution.
 *
 * <p>A pass of radix r makes transforms of p·r points of transforms of p points. The last pass
 * leaves the points of a line in their order.
 *
 * <p>All take what they write, what they read, a table of complex numbers, the numbers of a {@link
 * Shape} and what results are multiplied by. So there is one of each for a type, whatever the
 * shape.
 */
public final class TransformKernels {
  /**
   * The shape of a pass.
   *
   * @param from where it reads
   * @param to where it writes
   * @param total the lines of all planes
   * @param linesTogether whether neighbouring items have neighbouring lines
   * @param sign 1 forward, -1 inverse: what imaginary parts of the table are multiplied by
   * @param radix how many transforms become one
   * @param p the points of those
   */
  public record Shape(
      Points from, Points to, long total, boolean linesTogether, int sign, long radix, long p) {
    private static final int TO = 6;
    private static final int REST = 12;

    static Shape of(I64 numbers) {
      return new Shape(
          Points.of(numbers, 0),
          Points.of(numbers, TO),
          numbers.get(REST),
          numbers.get(REST + 1) != 0,
          (int) numbers.get(REST + 2),
          numbers.get(REST + 3),
          numbers.get(REST + 4));
    }

    long[] numbers() {
      return LongStream.of(
              from.form(),
              from.length(),
              from.lines(),
              from.stride(),
              from.distance(),
              from.plane(),
              to.form(),
              to.length(),
              to.lines(),
              to.stride(),
              to.distance(),
              to.plane(),
              total,
              linesTogether ? 1 : 0,
              sign,
              radix,
              p)
          .toArray();
    }

    long line(long item, long each) {
      return linesTogether ? item % total : item / each;
    }

    long within(long item, long each) {
      return linesTogether ? item / total : item % each;
    }
  }

  private TransformKernels() {}

  /** Makes a pass of radix 4: an item does the four points that depend on one another. */
  public static JavaKernel four(JavaKernels on) {
    return on.kernel(
        (Item it, Reals y, Reals x, Reals roots, I64 numbers, Double scale) -> {
          Shape shape = Shape.of(numbers);
          Points from = shape.from();
          Points to = shape.to();
          long p = shape.p();
          double sign = shape.sign();
          long quarter = from.length() / 4;
          long line = shape.line(it.global(), quarter);
          long i = shape.within(it.global(), quarter);
          long k = i % p;
          long power = k * (quarter / p);
          double c1 = roots.get(2 * power);
          double s1 = sign * roots.get(2 * power + 1);
          double c2 = roots.get(4 * power);
          double s2 = sign * roots.get(4 * power + 1);
          double c3 = roots.get(6 * power);
          double s3 = sign * roots.get(6 * power + 1);
          double r0 = from.real(x, line, i);
          double i0 = from.imaginary(x, line, i);
          double a = from.real(x, line, i + quarter);
          double b = from.imaginary(x, line, i + quarter);
          double r1 = a * c1 - b * s1;
          double i1 = a * s1 + b * c1;
          a = from.real(x, line, i + 2 * quarter);
          b = from.imaginary(x, line, i + 2 * quarter);
          double r2 = a * c2 - b * s2;
          double i2 = a * s2 + b * c2;
          a = from.real(x, line, i + 3 * quarter);
          b = from.imaginary(x, line, i + 3 * quarter);
          double r3 = a * c3 - b * s3;
          double i3 = a * s3 + b * c3;
          double evenR = r0 + r2;
          double evenI = i0 + i2;
          double oddR = r1 + r3;
          double oddI = i1 + i3;
          double apartR = r0 - r2;
          double apartI = i0 - i2;
          double turnedR = sign * (i1 - i3);
          double turnedI = sign * (r3 - r1);
          long first = 4 * (i - k) + k;
          to.set(y, line, first, scale * (evenR + oddR), scale * (evenI + oddI));
          to.set(y, line, first + p, scale * (apartR + turnedR), scale * (apartI + turnedI));
          to.set(y, line, first + 2 * p, scale * (evenR - oddR), scale * (evenI - oddI));
          to.set(y, line, first + 3 * p, scale * (apartR - turnedR), scale * (apartI - turnedI));
        });
  }

  /** Makes a pass of any radix: an item sums up one point. */
  public static JavaKernel any(JavaKernels on) {
    return on.kernel(
        (Item it, Reals y, Reals x, Reals roots, I64 numbers, Double scale) -> {
          Shape shape = Shape.of(numbers);
          Points from = shape.from();
          long p = shape.p();
          long radix = shape.radix();
          double sign = shape.sign();
          long length = from.length();
          long line = shape.line(it.global(), length);
          long point = shape.within(it.global(), length);
          long within = point % (p * radix);
          long i = point / (p * radix) * p + within % p;
          long step = within * (length / (p * radix));
          long power = 0;
          double re = 0;
          double im = 0;
          for (long q = 0; q < radix; q++) {
            double a = from.real(x, line, i + q * (length / radix));
            double b = from.imaginary(x, line, i + q * (length / radix));
            double c = roots.get(2 * power);
            double s = sign * roots.get(2 * power + 1);
            re += a * c - b * s;
            im += a * s + b * c;
            power += step;
            power -= power >= length ? length : 0;
          }
          shape.to().set(y, line, point, scale * re, scale * im);
        });
  }

  /**
   * Makes what multiplies each point by a number of the table, and points beyond the shorter of two
   * lines by 0.
   */
  public static JavaKernel times(JavaKernels on) {
    return on.kernel(
        (Item it, Reals y, Reals x, Reals factors, I64 numbers, Double scale) -> {
          Shape shape = Shape.of(numbers);
          Points from = shape.from();
          Points to = shape.to();
          double sign = shape.sign();
          long line = shape.line(it.global(), to.length());
          long point = shape.within(it.global(), to.length());
          double re = 0;
          double im = 0;
          if (point < Math.min(from.length(), to.length())) {
            double a = from.real(x, line, point);
            double b = from.imaginary(x, line, point);
            double c = factors.get(2 * point);
            double s = sign * factors.get(2 * point + 1);
            re = scale * (a * c - b * s);
            im = scale * (a * s + b * c);
          }
          to.set(y, line, point, re, im);
        });
  }
}
