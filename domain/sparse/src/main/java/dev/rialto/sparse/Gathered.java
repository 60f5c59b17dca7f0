package dev.rialto.sparse;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One number of each rank, known to all: for sizes, and for failing together. */
public final class Gathered {
  private Gathered() {}

  /** Collects a number of each rank, in rank order. Collective. */
  public static long[] longs(Communicator comm, long value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(JAVA_LONG, comm.size());
      comm.allGather(arena.allocateFrom(JAVA_LONG, value), all, DType.I64, 1);
      return all.toArray(JAVA_LONG);
    }
  }
}
