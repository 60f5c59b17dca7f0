package dev.rialto.exchange.kernel;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;

/** Adds runs of elements; a complex element is two parts, and integers wrap around. */
final class Addition implements StridedCopy.PieceVisitor {
  private final DType type;

  Addition(DType type) {
    if (!type.hasReductions()) {
      throw new IllegalArgumentException(
          "adding " + type + " elements; exchanges only move them, kernels add them");
    }
    this.type = type;
  }

  @Override
  public void take(long from, long to, long bytes) {
    switch (type) {
      case F64, C128 -> {
        for (long i = 0; i < bytes; i += 8) {
          double sum =
              MEMORY.get(JAVA_DOUBLE_UNALIGNED, to + i)
                  + MEMORY.get(JAVA_DOUBLE_UNALIGNED, from + i);
          MEMORY.set(JAVA_DOUBLE_UNALIGNED, to + i, sum);
        }
      }
      case F32, C64 -> {
        for (long i = 0; i < bytes; i += 4) {
          float sum =
              MEMORY.get(JAVA_FLOAT_UNALIGNED, to + i) + MEMORY.get(JAVA_FLOAT_UNALIGNED, from + i);
          MEMORY.set(JAVA_FLOAT_UNALIGNED, to + i, sum);
        }
      }
      case F16, BF16 -> {
        for (long i = 0; i < bytes; i += 2) {
          float sum =
              Halves.toFloat(type, MEMORY.get(JAVA_SHORT_UNALIGNED, to + i))
                  + Halves.toFloat(type, MEMORY.get(JAVA_SHORT_UNALIGNED, from + i));
          MEMORY.set(JAVA_SHORT_UNALIGNED, to + i, Halves.fromFloat(type, sum));
        }
      }
      case I64 -> {
        for (long i = 0; i < bytes; i += 8) {
          long sum =
              MEMORY.get(JAVA_LONG_UNALIGNED, to + i) + MEMORY.get(JAVA_LONG_UNALIGNED, from + i);
          MEMORY.set(JAVA_LONG_UNALIGNED, to + i, sum);
        }
      }
      case I32 -> {
        for (long i = 0; i < bytes; i += 4) {
          int sum =
              MEMORY.get(JAVA_INT_UNALIGNED, to + i) + MEMORY.get(JAVA_INT_UNALIGNED, from + i);
          MEMORY.set(JAVA_INT_UNALIGNED, to + i, sum);
        }
      }
      case I8 -> {
        for (long i = 0; i < bytes; i++) {
          int sum = MEMORY.get(JAVA_BYTE, to + i) + MEMORY.get(JAVA_BYTE, from + i);
          MEMORY.set(JAVA_BYTE, to + i, (byte) sum);
        }
      }
      case I16, U8, U16, U32, U64 -> throw new AssertionError(type + " was let through");
    }
  }
}
