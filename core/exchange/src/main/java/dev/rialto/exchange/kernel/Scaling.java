package dev.rialto.exchange.kernel;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;

/** Multiplies runs of floating-point elements by a real number, in place. */
final class Scaling implements StridedCopy.PieceVisitor {
  private final DType type;
  private final double factor;

  Scaling(DType type, double factor) {
    if (type.kind() == DType.Kind.INTEGER) {
      throw new IllegalArgumentException(
          "scaling " + type + " elements; the mean of integers is not one, add them instead");
    }
    this.type = type;
    this.factor = factor;
  }

  @Override
  public void take(long from, long to, long bytes) {
    switch (type) {
      case F64, C128 -> {
        for (long i = 0; i < bytes; i += 8) {
          MEMORY.set(
              JAVA_DOUBLE_UNALIGNED, to + i, MEMORY.get(JAVA_DOUBLE_UNALIGNED, to + i) * factor);
        }
      }
      case F32, C64 -> {
        for (long i = 0; i < bytes; i += 4) {
          MEMORY.set(
              JAVA_FLOAT_UNALIGNED,
              to + i,
              (float) (MEMORY.get(JAVA_FLOAT_UNALIGNED, to + i) * factor));
        }
      }
      default -> {
        for (long i = 0; i < bytes; i += 2) {
          float value = Halves.toFloat(type, MEMORY.get(JAVA_SHORT_UNALIGNED, to + i));
          MEMORY.set(
              JAVA_SHORT_UNALIGNED, to + i, Halves.fromFloat(type, (float) (value * factor)));
        }
      }
    }
  }
}
