package dev.rialto.tck.generated;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reductions in which one rank contributes what is not a number. */
final class NotANumber {
  private static final int COUNT = 37;

  private NotANumber() {}

  /** Element i has a NaN on rank i modulo the ranks, and a rank's own number elsewhere. */
  static void check(Communicator comm, DType type, ReduceOp op) {
    int n = comm.size();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(type.bytes(COUNT), 8);
      MemorySegment in = arena.allocate(type.bytes(COUNT), 8);
      for (int i = 0; i < COUNT; i++) {
        set(out, type, i, i % n == comm.rank() ? Double.NaN : comm.rank() + 1);
      }
      comm.allReduce(out, in, type, COUNT, op);
      for (int i = 0; i < COUNT; i++) {
        double got = get(in, type, i);
        boolean operand =
            Double.isNaN(got)
                || (got == Math.rint(got) && got >= 1 && got <= n && got != i % n + 1);
        if (!operand) {
          throw new AssertionError(
              op.label() + " of " + type + " with a NaN on rank " + i % n + " gave " + got);
        }
      }
    }
  }

  private static void set(MemorySegment to, DType type, int i, double value) {
    if (type == DType.F32) {
      to.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
    } else {
      to.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
    }
  }

  private static double get(MemorySegment from, DType type, int i) {
    return type == DType.F32
        ? from.getAtIndex(ValueLayout.JAVA_FLOAT, i)
        : from.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
  }
}
