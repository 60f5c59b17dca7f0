package dev.rialto.jit.run;

import dev.rialto.runtime.Work;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The place of a device's work: the host's threads, or a device with memory of its own. */
sealed interface Place permits HostPlace, DevicePlace {
  /** Does a step of some work, in order with all that uses the same buffers. */
  void inOrder(Work work, Runnable step);

  /** Waits for a step that another thread is doing or adding now. */
  void settle();

  /** Copies bytes of the host; a part of a step. */
  void copy(MemorySegment from, MemorySegment to, long bytes, Work work);

  /** Makes a procedure's body callable as a part of a step. */
  RangeBody bind(Code code, int procedure, List<MemorySegment> buffers, Work work);

  /** Runs a procedure over all its items; a part of a step. */
  void run(Procedure procedure, RangeBody body, Executor executor);
}
