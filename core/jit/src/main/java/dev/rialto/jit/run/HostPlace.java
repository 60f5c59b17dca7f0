package dev.rialto.jit.run;

import dev.rialto.runtime.Work;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Steps are host code, on a stream or, if they are sync, in the thread that asks for them.
 * Procedures are divided among the host's threads.
 */
final class HostPlace implements Place {
  private final boolean sync;

  HostPlace(boolean sync) {
    this.sync = sync;
  }

  @Override
  public void inOrder(Work work, Runnable step) {
    if (sync) {
      runHere(work, step);
    } else {
      work.add(() -> work.stream().run(step));
    }
  }

  private synchronized void runHere(Work work, Runnable step) {
    work.run(step);
  }

  /** The lock is what is waited for. */
  @Override
  public synchronized void settle() {}

  @Override
  public void copy(MemorySegment from, MemorySegment to, long bytes, Work work) {
    MemorySegment.copy(from, 0, to, 0, bytes);
  }

  @Override
  public RangeBody bind(Code code, int procedure, List<MemorySegment> buffers, Work work) {
    return code.bind(procedure, buffers);
  }

  @Override
  public void run(Procedure procedure, RangeBody body, Executor executor) {
    long grain = grain(procedure, executor.parallelism());
    if (grain >= procedure.items()) {
      body.run(0, procedure.items());
    } else {
      executor.parallelFor(0, procedure.items(), grain, body);
    }
  }

  /** Four parts per thread even out what threads get; fewer if that makes them too small. */
  private static long grain(Procedure procedure, int threads) {
    if (threads == 1) {
      return procedure.items();
    }
    long multiple = procedure.grain().multiple();
    long even = (procedure.items() + 4L * threads - 1) / (4L * threads);
    long rounded = (even + multiple - 1) / multiple * multiple;
    return Math.max(procedure.grain().atLeast(), rounded);
  }
}
