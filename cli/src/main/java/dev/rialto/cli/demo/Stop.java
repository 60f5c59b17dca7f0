package dev.rialto.cli.demo;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.exec.Cancellation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Asks all ranks whether one of them was told to stop, so that they stop at the same place. */
record Stop(Cancellation cancellation) {
  /** Returns whether to stop. Collective. */
  boolean asked(Communicator comm) {
    try (Arena arena = Arena.ofConfined()) {
      int mine = cancellation.isCancelled() ? 1 : 0;
      MemorySegment flag = arena.allocateFrom(ValueLayout.JAVA_INT, mine);
      comm.allReduce(flag, flag, DType.I32, 1, ReduceOp.MAX);
      return flag.get(ValueLayout.JAVA_INT, 0) != 0;
    }
  }
}
