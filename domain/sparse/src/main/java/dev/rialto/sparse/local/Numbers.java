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

  static boolean isComplex(DType type) {
    return type == DType.C128 || type == DType.C64;
  }

  static boolean isDouble(DType type) {
    return type == DType.F64 || type == DType.C128;
  }
}
