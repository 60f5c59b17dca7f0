package dev.rialto.exchange.kernel;

import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * A kernel over a range that threads can share. The addresses of a run are fields, so that handing
 * the range to an executor allocates nothing; hence one run at a time.
 */
abstract class SharedKernel implements ExchangeKernels.Kernel, RangeBody {
  /** Below this a second thread costs more than it brings: a few microseconds of copying. */
  private static final long WORTH_SHARING = 128 << 10;

  private final @Nullable Executor executor;
  private final long units;
  private final long grain;

  /** Where the source and the target of this run start. */
  long from;

  long to;

  SharedKernel(long units, long bytes, @Nullable Executor executor) {
    boolean shared = executor != null && executor.parallelism() > 1 && bytes >= WORTH_SHARING;
    this.executor = shared ? executor : null;
    this.units = units;
    this.grain = executor == null ? 1 : Math.max(1, units / (4L * executor.parallelism()));
  }

  @Override
  public final void run(MemorySegment source, MemorySegment target) {
    from = source.address();
    to = target.address();
    try {
      if (executor == null) {
        run(0, units);
      } else {
        executor.parallelFor(0, units, grain, this);
      }
    } finally {
      Reference.reachabilityFence(source);
      Reference.reachabilityFence(target);
    }
  }
}
