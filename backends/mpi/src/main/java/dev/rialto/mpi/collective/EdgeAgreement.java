package dev.rialto.mpi.collective;

import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The ranks' agreement on how much each sends to each.
 *
 * @param group the ranks
 * @param collectives what they find the pair by that disagrees, once they know that one does
 */
record EdgeAgreement(MpiGroup group, Collectives collectives) {
  /** Begins to make sure that each rank sends what another expects; as {@link MpiGroup#agree}. */
  public @Nullable SignatureExchange begin(
      boolean wait,
      CollectiveKind collective,
      @Nullable DType type,
      long[] sent,
      long[] expected,
      long bytes) {
    if (!group.agrees()) {
      return null;
    }
    Signature mine = Signature.balanced(collective, type, group.rank(), sent, expected);
    return begin(wait, mine, () -> UnmatchedEdge.find(group, collectives, sent, expected), bytes);
  }

  /**
   * Begins to make sure that what all ranks send is what the root expects, or the other way round;
   * as {@link MpiGroup#agree}.
   *
   * @param own how many elements this rank sends or expects
   * @param counts the root's for each rank
   */
  public @Nullable SignatureExchange beginWithRoot(
      boolean wait,
      CollectiveKind collective,
      DType type,
      long own,
      long[] counts,
      int root,
      long bytes) {
    if (!group.agrees()) {
      return null;
    }
    Signature mine = Signature.balancedWithRoot(collective, type, group.rank(), own, counts, root);
    return begin(
        wait,
        mine,
        () -> {
          long[] atRoot = group.rank() == root ? counts : new long[group.size()];
          long[] withRoot = new long[group.size()];
          withRoot[root] = own;
          return collective == CollectiveKind.GATHER_V
              ? UnmatchedEdge.find(group, collectives, withRoot, atRoot)
              : UnmatchedEdge.find(group, collectives, atRoot, withRoot);
        },
        bytes);
  }

  private @Nullable SignatureExchange begin(
      boolean wait, Signature mine, Supplier<UnmatchedEdge> unmatched, long bytes) {
    SignatureExchange exchange = group.agree(false, mine, bytes);
    if (!wait || exchange == null) {
      return exchange;
    }
    try {
      exchange.await();
    } catch (MismatchException e) {
      if (exchange.isUnbalanced()) {
        throw unmatched.get().explain(mine, group.where());
      }
      throw e;
    }
    return null;
  }
}
