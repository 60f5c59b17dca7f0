package dev.rialto.jit.run;

import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.RangeBody;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.MemorySpace;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the work of a device is done: by the host's threads, or by a device with memory of its own.
 */
interface Place {
  /** The memory of nodes. */
  MemorySpace memory();

  /** What is in order. */
  Stream stream();

  /** Does a step in order with all others; what the step copies and runs is in order too. */
  void inOrder(Runnable step);

  /** Whether steps are done by the thread that adds them, before it goes on. */
  boolean usesCallersThread();

  /** Names what was queued last, or null if steps are over, or as good as, when they are queued. */
  @Nullable Pending pending(String name);

  /** Copies bytes; a part of a step. */
  void copy(MemorySegment from, MemorySegment to, long bytes);

  /** Whether code here can read another place's memory where it is. */
  default boolean reads(Place other) {
    return other.memory().equals(memory()) || other.memory().properties().hostAccessible();
  }

  /** Copies bytes from another place's memory, which that place has written; a part of a step. */
  default void bring(Place source, MemorySegment from, MemorySegment to, long bytes) {
    copy(from, to, bytes);
  }

  /** Makes a procedure's body callable as a part of a step. */
  RangeBody bind(Code code, int procedure, List<MemorySegment> buffers);

  /** Runs a procedure over all its items; a part of a step. */
  void run(Procedure procedure, RangeBody body, Executor executor);
}
