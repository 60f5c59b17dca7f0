package dev.rialto.sparse;

import dev.rialto.array.Decomposition;
import dev.rialto.array.IndexSpace;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.sparse.ownership.Gathered;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import java.util.List;

/**
 * The division of vectors of a map of {@linkplain IndexMap#lists lists}: blocks as long as the
 * lists. What they list tells the vectors of one map from those of another.
 *
 * @param blocks the blocks
 * @param lists a digest of each rank's list
 */
record ListedRows(Decomposition blocks, List<Long> lists) implements Decomposition {
  /** Gives blocks that are as long as the ranks' lists what those list. Collective. */
  static IndexSpace divide(IndexSpace blocks, Communicator comm, long[] mine) {
    long[] digests = Gathered.longs(comm, Arrays.hashCode(mine));
    return blocks.divided(
        new ListedRows(blocks.decomposition(), Arrays.stream(digests).boxed().toList()));
  }

  @Override
  public Distribution divide(Shape shape, int ranks) {
    return blocks.divide(shape, ranks);
  }
}
