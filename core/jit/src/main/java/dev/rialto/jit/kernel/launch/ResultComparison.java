package dev.rialto.jit.kernel.launch;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.rialto.jit.kernel.BF16;
import dev.rialto.jit.kernel.F16;
import dev.rialto.jit.kernel.F32;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.lift.Lifted.Argument;
import java.lang.foreign.MemorySegment;

/** The comparison of an array that one kernel wrote with the same of another. */
public final class ResultComparison {
  private ResultComparison() {}

  /**
   * Returns the first element that differs, in words; empty if all are equal.
   *
   * @param tolerance the most that floating-point numbers may differ by, as a part of the largest;
   *     with 0 they must be equal, or both NaN
   */
  public static String difference(
      Argument type, MemorySegment expected, MemorySegment actual, double tolerance) {
    long first = expected.mismatch(actual);
    if (first < 0) {
      return "";
    }
    if (!isReal(type)) {
      return "it differs at index " + first / type.bytes();
    }
    long count = expected.byteSize() / type.bytes();
    double most = tolerance * largest(type, expected);
    for (long i = first / type.bytes(); i < count; i++) {
      double x = get(type, expected, i);
      double y = get(type, actual, i);
      if (x != y && !(Math.abs(x - y) <= most) && !(Double.isNaN(x) && Double.isNaN(y))) {
        return "%s in place of %s at index %d".formatted(y, x, i);
      }
    }
    return "";
  }

  private static boolean isReal(Argument type) {
    return switch (type) {
      case F64, F32, F16, BF16 -> true;
      default -> false;
    };
  }

  private static double largest(Argument type, MemorySegment array) {
    double largest = 0;
    for (long i = 0; i < array.byteSize() / type.bytes(); i++) {
      double size = Math.abs(get(type, array, i));
      if (size > largest && size < Double.POSITIVE_INFINITY) {
        largest = size;
      }
    }
    return largest;
  }

  private static double get(Argument type, MemorySegment array, long i) {
    return switch (type) {
      case F64 -> array.getAtIndex(JAVA_DOUBLE_UNALIGNED, i);
      case F32 -> array.getAtIndex(JAVA_FLOAT_UNALIGNED, i);
      case F16 -> Float.float16ToFloat(array.getAtIndex(JAVA_SHORT_UNALIGNED, i));
      default -> Float.intBitsToFloat(array.getAtIndex(JAVA_SHORT_UNALIGNED, i) << 16);
    };
  }
}
