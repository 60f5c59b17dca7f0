package dev.rialto.sparse.local;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import dev.rialto.spi.data.DType;

/**
 * Reads and writes one number of any floating-point type as a real and an imaginary {@code double}.
 *
 * <p>In a loop whose type is a constant each of these is one instruction: the choices fold away.
 * Single precision is computed in double and rounded when stored.
 */
final class Numbers {
  private Numbers() {}

  static double re(DType type, long base, long i) {
    return type == DType.F64
        ? MEMORY.get(JAVA_DOUBLE_UNALIGNED, base + 8 * i)
        : type == DType.C128
            ? MEMORY.get(JAVA_DOUBLE_UNALIGNED, base + 16 * i)
            : type == DType.F32
                ? MEMORY.get(JAVA_FLOAT_UNALIGNED, base + 4 * i)
                : MEMORY.get(JAVA_FLOAT_UNALIGNED, base + 8 * i);
  }

  /** The imaginary part; for complex types only. */
  static double im(DType type, long base, long i) {
    return type == DType.C128
        ? MEMORY.get(JAVA_DOUBLE_UNALIGNED, base + 16 * i + 8)
        : MEMORY.get(JAVA_FLOAT_UNALIGNED, base + 8 * i + 4);
  }

  static void set(DType type, long base, long i, double re, double im) {
    if (type == DType.F64) {
      MEMORY.set(JAVA_DOUBLE_UNALIGNED, base + 8 * i, re);
    } else if (type == DType.F32) {
      MEMORY.set(JAVA_FLOAT_UNALIGNED, base + 4 * i, (float) re);
    } else if (type == DType.C128) {
      MEMORY.set(JAVA_DOUBLE_UNALIGNED, base + 16 * i, re);
      MEMORY.set(JAVA_DOUBLE_UNALIGNED, base + 16 * i + 8, im);
    } else {
      MEMORY.set(JAVA_FLOAT_UNALIGNED, base + 8 * i, (float) re);
      MEMORY.set(JAVA_FLOAT_UNALIGNED, base + 8 * i + 4, (float) im);
    }
  }

  /** The real part of a number of a matrix, which is in one of two {@link Values arrays}. */
  static double re(DType type, double[] doubles, float[] floats, int k) {
    int at = isComplex(type) ? 2 * k : k;
    return isDouble(type) ? doubles[at] : floats[at];
  }

  /** The imaginary part of a number of a matrix, or of its conjugate; for complex types only. */
  static double im(DType type, double[] doubles, float[] floats, int k, boolean conjugate) {
    double value = isDouble(type) ? doubles[2 * k + 1] : floats[2 * k + 1];
    return conjugate ? -value : value;
  }

  static boolean isComplex(DType type) {
    return type == DType.C128 || type == DType.C64;
  }

  static boolean isDouble(DType type) {
    return type == DType.F64 || type == DType.C128;
  }
}
