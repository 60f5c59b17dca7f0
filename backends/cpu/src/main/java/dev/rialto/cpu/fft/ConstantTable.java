package dev.rialto.cpu.fft;

import dev.rialto.spi.data.DType;

/**
 * Constants that a codelet reads one after another. They are on the Java heap: an element of an
 * array is one instruction to every compiler, where one of native memory is a hundred that the
 * first compiler must see through, and gives up on in large codelets.
 */
final class ConstantTable {
  /** The table of codelets without constants. */
  static final ConstantTable EMPTY = new ConstantTable(DType.F64, 0, 0);

  final double[] doubles;
  final float[] floats;

  /** Places of rows in bytes, for codelets that read rows in any order. */
  final long[] offsets;

  private int count;
  private int offsetCount;

  ConstantTable(DType type, long numbers, long offsets) {
    int length = Math.toIntExact(numbers);
    this.doubles = new double[type == DType.F64 ? length : 0];
    this.floats = new float[type == DType.F64 ? 0 : length];
    this.offsets = new long[Math.toIntExact(offsets)];
  }

  ConstantTable number(double value) {
    if (doubles.length > 0) {
      doubles[count] = value;
    } else {
      floats[count] = (float) value;
    }
    count++;
    return this;
  }

  ConstantTable offset(long value) {
    offsets[offsetCount++] = value;
    return this;
  }

  /** Writes a factor as codelets read it: its parts, and minus the imaginary one. */
  ConstantTable factor(double re, double im) {
    return number(re).number(im).number(-im);
  }

  /** Writes the factor scale · exp(-2πi numerator/denominator). */
  ConstantTable turn(long numerator, long denominator, double scale) {
    return factor(
        scale * RationalAngle.cos(numerator, denominator),
        -scale * RationalAngle.sin(numerator, denominator));
  }
}
