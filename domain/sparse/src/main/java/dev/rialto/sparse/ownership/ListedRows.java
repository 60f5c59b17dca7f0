package dev.rialto.sparse.ownership;

import dev.rialto.array.Decomposition;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import java.util.List;

/**
 * The division of vectors of a map of {@linkplain dev.rialto.sparse.IndexMap#lists lists}: blocks
 * as long as the lists. What they list tells the vectors of one map from those of another, and from
 * arrays that are divided in blocks. Lists of all indices in ascending order are just such blocks.
 *
 * @param blocks the blocks
 * @param lists a digest of each rank's list
 */
public record ListedRows(Decomposition blocks, List<Long> lists) implements Decomposition {
  /** Returns the space of one rank's list after the other's. Collective. */
  public static IndexSpace space(Team team, long size, long... mine) {
    IndexSpace blocks = blocks(team, mine.length);
    Communicator comm = team.communicator();
    long[] elements = blocks.distribution().elements(comm.rank());
    boolean ascending = blocks.shape().count() == size && Arrays.equals(elements, mine);
    if (comm.min(ascending ? 1L : 0L) == 1) {
      return blocks;
    }
    long[] digests = Gathered.longs(comm, Arrays.hashCode(mine));
    return blocks.divided(
        new ListedRows(blocks.decomposition(), Arrays.stream(digests).boxed().toList()));
  }

  /** Returns a space of as many elements as the ranks have, one rank's after the other's. */
  public static IndexSpace blocks(Team team, long length) {
    long[] lengths = Gathered.longs(team.communicator(), length);
    return team.space(Arrays.stream(lengths).sum()).divided(Decomposition.irregular(lengths));
  }

  @Override
  public Distribution divide(Shape shape, int ranks) {
    return blocks.divide(shape, ranks);
  }
}
