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

/** Steps are host code on a stream, and procedures are divided among the host's threads. */
record HostPlace(MemorySpace memory, Stream stream) implements Place {
  @Override
  public void inOrder(Runnable step) {
    stream.run(step);
  }

  @Override
  public boolean usesCallersThread() {
    return stream instanceof InlineStream;
  }

  @Override
  public @Nullable Pending pending(String name) {
    return usesCallersThread() ? null : new Pending(name, stream.record());
  }

  @Override
  public void copy(MemorySegment from, MemorySegment to, long bytes) {
    MemorySegment.copy(from, 0, to, 0, bytes);
  }

  @Override
  public RangeBody bind(Code code, int procedure, List<MemorySegment> buffers) {
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
