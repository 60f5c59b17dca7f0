package dev.rialto.mpi.collective;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * Adds bytes that wrap around. Open MPI adds them with vector instructions that saturate, in blocks
 * of {@link #SATURATED} or more.
 */
public enum ByteSum implements ReduceOp.Combiner {
  COMBINER;

  /** The fewest bytes that Open MPI gets wrong. */
  public static final int SATURATED = 8;

  @Override
  public void combine(MemorySegment left, MemorySegment right, DType type, long count) {
    for (long i = 0; i < count; i++) {
      right.set(JAVA_BYTE, i, (byte) (left.get(JAVA_BYTE, i) + right.get(JAVA_BYTE, i)));
    }
  }
}
