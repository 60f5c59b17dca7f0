package dev.rialto.fft;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A whole array of pairs (re, im) in row-major order, and a rank's part of it. */
final class WholeArray {
  private WholeArray() {}

  static void scatter(
      double[] pairs, Distribution array, int rank, DType type, MemorySegment part) {
    for (long element : array.elements(rank)) {
      long at = array.local(element);
      if (type == DType.C128 || type == DType.C64) {
        set(part, type, 2 * at, pairs[(int) (2 * element)]);
        set(part, type, 2 * at + 1, pairs[(int) (2 * element + 1)]);
      } else {
        set(part, type, at, pairs[(int) (2 * element)]);
      }
    }
  }

  /** Returns the largest difference between a rank's part and the whole array. */
  static double difference(
      double[] pairs, Distribution array, int rank, DType type, MemorySegment part) {
    double worst = 0;
    for (long element : array.elements(rank)) {
      long at = array.local(element);
      double re = pairs[(int) (2 * element)];
      double im = pairs[(int) (2 * element + 1)];
      if (type == DType.C128 || type == DType.C64) {
        worst = Math.max(worst, Math.abs(re - get(part, type, 2 * at)));
        worst = Math.max(worst, Math.abs(im - get(part, type, 2 * at + 1)));
      } else {
        worst = Math.max(worst, Math.abs(re - get(part, type, at)));
      }
      if (Double.isNaN(worst)) {
        return worst;
      }
    }
    return worst;
  }

  private static double get(MemorySegment part, DType type, long index) {
    return type == DType.C128 || type == DType.F64
        ? part.getAtIndex(ValueLayout.JAVA_DOUBLE, index)
        : part.getAtIndex(ValueLayout.JAVA_FLOAT, index);
  }

  private static void set(MemorySegment part, DType type, long index, double value) {
    if (type == DType.C128 || type == DType.F64) {
      part.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
    } else {
      part.setAtIndex(ValueLayout.JAVA_FLOAT, index, (float) value);
    }
  }
}
