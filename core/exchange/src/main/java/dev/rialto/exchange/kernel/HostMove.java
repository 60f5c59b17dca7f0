package dev.rialto.exchange.kernel;

import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * Moves elements within host memory: copies them or, by pieces that lie together, adds or scales.
 *
 * <p>Threads of an executor share what is large. The addresses of a run are fields, so that handing
 * the range to an executor allocates nothing; hence one run at a time.
 */
final class HostMove implements ExchangeKernels.Kernel, RangeBody {
  /** Below this a second thread costs more than it brings: a few microseconds of copying. */
  private static final long WORTH_SHARING = 128 << 10;

  private final StridedCopy copy;
  private final StridedCopy.@Nullable PieceVisitor visitor;
  private final @Nullable Executor executor;
  private final long units;
  private final long grain;
  private long from;
  private long to;

  /**
   * Prepares a move.
   *
   * @param operation what is done instead of copying, by addresses; null to copy
   */
  HostMove(
      StridedCopy copy, StridedCopy.@Nullable PieceVisitor operation, @Nullable Executor executor) {
    this.copy = copy;
    this.visitor =
        operation == null
            ? null
            : (fromAt, toAt, bytes) -> operation.take(from + fromAt, to + toAt, bytes);
    boolean shared =
        executor != null && executor.parallelism() > 1 && copy.bytes() >= WORTH_SHARING;
    this.executor = shared ? executor : null;
    this.units = copy.units();
    this.grain = executor == null ? 1 : Math.max(1, units / (4L * executor.parallelism()));
  }

  @Override
  public void run(MemorySegment source, MemorySegment target) {
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

  @Override
  public void run(long begin, long end) {
    if (visitor == null) {
      copy.run(from, to, begin, end);
    } else {
      copy.forEachPiece(begin, end, visitor);
    }
  }
}
