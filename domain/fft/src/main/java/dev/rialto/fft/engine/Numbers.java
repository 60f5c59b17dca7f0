package dev.rialto.fft.engine;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/** The parts of real or complex elements in memory, of either precision. */
public final class Numbers {
  private Numbers() {}

  public static double real(DType type, MemorySegment memory, long element) {
    return get(type, memory, element * type.size());
  }

  public static double imaginary(DType type, MemorySegment memory, long element) {
    return isComplex(type) ? get(type, memory, element * type.size() + type.size() / 2) : 0;
  }

  /** Sets an element; a real one has no imaginary part. */
  public static void set(DType type, MemorySegment memory, long element, double re, double im) {
    long at = element * type.size();
    switch (type) {
      case C128 -> {
        memory.set(JAVA_DOUBLE_UNALIGNED, at, re);
        memory.set(JAVA_DOUBLE_UNALIGNED, at + 8, im);
      }
      case C64 -> {
        memory.set(JAVA_FLOAT_UNALIGNED, at, (float) re);
        memory.set(JAVA_FLOAT_UNALIGNED, at + 4, (float) im);
      }
      case F64 -> memory.set(JAVA_DOUBLE_UNALIGNED, at, re);
      default -> memory.set(JAVA_FLOAT_UNALIGNED, at, (float) re);
    }
  }

  private static boolean isComplex(DType type) {
    return type.kind() == DType.Kind.COMPLEX;
  }

  private static double get(DType type, MemorySegment memory, long at) {
    return type == DType.C128 || type == DType.F64
        ? memory.get(JAVA_DOUBLE_UNALIGNED, at)
        : memory.get(JAVA_FLOAT_UNALIGNED, at);
  }
}
