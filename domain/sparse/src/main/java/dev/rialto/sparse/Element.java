package dev.rialto.sparse;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.rialto.sparse.local.Factor;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/** One element of a vector, with every check that a segment makes. */
final class Element {
  private Element() {}

  /** Refuses to drop an imaginary part. */
  static void checkKind(DType type, Factor value) {
    if (value.im() != 0 && type.kind() != DType.Kind.COMPLEX) {
      throw new IllegalArgumentException(
          "%s is complex and %s is not; choose C64 or C128, or give a real number"
              .formatted(value, type));
    }
  }

  /** Returns the place of an element among vectors that lie side by side. */
  static long index(int local, int locals, int vector, int width) {
    if (local < 0 || local >= locals || vector < 0 || vector >= width) {
      throw new IndexOutOfBoundsException(
          "element %d of vector %d; there are %d of %d".formatted(local, vector, locals, width));
    }
    return (long) local * width + vector;
  }

  static Scalar get(MemorySegment memory, DType type, long i) {
    return switch (type) {
      case F64 -> Scalar.of(memory.getAtIndex(JAVA_DOUBLE, i));
      case F32 -> Scalar.of(memory.getAtIndex(JAVA_FLOAT, i));
      case C128 ->
          new Scalar(
              memory.getAtIndex(JAVA_DOUBLE, 2 * i), memory.getAtIndex(JAVA_DOUBLE, 2 * i + 1));
      default ->
          new Scalar(
              memory.getAtIndex(JAVA_FLOAT, 2 * i), memory.getAtIndex(JAVA_FLOAT, 2 * i + 1));
    };
  }

  static void set(MemorySegment memory, DType type, long i, Scalar value) {
    switch (type) {
      case F64 -> memory.setAtIndex(JAVA_DOUBLE, i, value.re());
      case F32 -> memory.setAtIndex(JAVA_FLOAT, i, (float) value.re());
      case C128 -> {
        memory.setAtIndex(JAVA_DOUBLE, 2 * i, value.re());
        memory.setAtIndex(JAVA_DOUBLE, 2 * i + 1, value.im());
      }
      default -> {
        memory.setAtIndex(JAVA_FLOAT, 2 * i, (float) value.re());
        memory.setAtIndex(JAVA_FLOAT, 2 * i + 1, (float) value.im());
      }
    }
  }
}
