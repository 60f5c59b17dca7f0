package dev.rialto.exchange.kernel;

import dev.rialto.spi.copy.StridedCopy;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * Moves elements within host memory: copies them or, by pieces that lie together, adds or scales.
 *
 * <p>What is one piece on both sides is copied from segment to segment, which checks them and keeps
 * them alive for less than a hold costs. Everything else goes by addresses.
 *
 * <p>The addresses of a run are fields, so that a run allocates nothing; hence one run at a time.
 */
final class HostMove implements ExchangeKernels.Kernel {
  private final StridedCopy copy;
  private final StridedCopy.@Nullable PieceVisitor visitor;
  private final boolean byAddress;
  private long from;
  private long to;

  /**
   * Prepares a move.
   *
   * @param operation what is done instead of copying, by addresses; null to copy
   */
  HostMove(StridedCopy copy, StridedCopy.@Nullable PieceVisitor operation) {
    this.copy = copy;
    this.byAddress = operation != null || !copy.isOnePiece();
    this.visitor =
        operation == null
            ? null
            : (fromAt, toAt, bytes) -> operation.take(from + fromAt, to + toAt, bytes);
  }

  @Override
  public boolean byAddress() {
    return byAddress;
  }

  @Override
  public void run(MemorySegment source, MemorySegment target) {
    if (!byAddress) {
      copy.run(source, target);
      return;
    }
    from = source.address();
    to = target.address();
    try {
      if (visitor == null) {
        copy.run(from, to);
      } else {
        copy.forEachPiece(visitor);
      }
    } finally {
      Reference.reachabilityFence(source);
      Reference.reachabilityFence(target);
    }
  }
}
