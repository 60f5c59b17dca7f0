package dev.rialto.array;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.Shape;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.function.LongToIntFunction;
import java.util.stream.IntStream;

/**
 * A division of an array of any shape among ranks; a shape makes it a {@link Distribution}.
 *
 * <p>Grids are given as the number of ranks along each axis, slowest first; axes left out are not
 * divided, and ranks beyond the grid hold nothing. Every rank gives the same decomposition. Two
 * arrays of one shape and equal decompositions hold the same elements at the same places.
 */
@FunctionalInterface
public interface Decomposition {
  /** Divides an array of a shape among {@code ranks} ranks. */
  Distribution divide(Shape shape, int ranks);

  /** Divides the first axis in blocks of nearly one length, one per rank: slabs. */
  static Decomposition block() {
    return new OnGrid(Deal.BLOCK, List.of(), List.of());
  }

  /** Divides axes in blocks of nearly one length. */
  static Decomposition block(int... grid) {
    return new OnGrid(Deal.BLOCK, boxed(grid), List.of());
  }

  /** Deals single indices of each axis round and round. */
  static Decomposition cyclic(int... grid) {
    return new OnGrid(Deal.CYCLIC, boxed(grid), List.of());
  }

  /**
   * Deals blocks of indices round and round.
   *
   * @param lengths the blocks' length along each axis of the grid
   */
  static Decomposition blockCyclic(long[] lengths, int... grid) {
    Arguments.perRank(lengths.length, grid.length, "lengths of blocks");
    return new OnGrid(
        Deal.BLOCK_CYCLIC,
        boxed(grid),
        IntStream.range(0, grid.length).mapToObj(axis -> lengths[axis]).toList());
  }

  /**
   * Divides each axis in blocks of given lengths. Of an array with another extent the last block is
   * longer, or the last blocks are shorter.
   *
   * @param lengths the blocks of each axis of the grid
   * @throws IllegalArgumentException if a length is negative
   */
  static Decomposition irregular(long[]... lengths) {
    for (long[] axis : lengths) {
      Partition _ = Partition.blocks(axis); // A wrong length is told here, also of the last block.
    }
    return new Irregular(
        IntStream.range(0, lengths.length)
            .mapToObj(
                axis ->
                    IntStream.range(0, lengths[axis].length)
                        .mapToObj(part -> lengths[axis][part])
                        .toList())
            .toList());
  }

  /** Scatters elements by a hash of their number: evenly, and neighbours apart. */
  static Decomposition hash() {
    return new Hash();
  }

  /** Gives each element to the rank that a function of its number names, as partitioners do. */
  static Decomposition byOwner(LongToIntFunction owner) {
    return new ByOwner(owner);
  }

  /** Divides arrays of one shape as a distribution says, such as that of a transform's results. */
  static Decomposition of(Distribution distribution) {
    return new Given(distribution);
  }

  /**
   * Returns a space's shape and how it is divided, in words that are the same in all processes
   * where the elements are, and there only.
   */
  static String describe(IndexSpace space) {
    String shape = space.shape() + ", ";
    return switch (space.decomposition()) {
      case OnGrid grid ->
          shape
              + grid.deal().name().toLowerCase(Locale.ROOT).replace('_', '-')
              + (grid.grid().isEmpty() ? "" : " over " + grid.grid())
              + (grid.lengths().isEmpty() ? "" : " by " + grid.lengths());
      case Irregular blocks -> shape + "blocks of " + blocks.lengths();
      case Hash _ -> shape + "by hash";
      default -> space.distribution().toString();
    };
  }

  private static List<Integer> boxed(int[] grid) {
    return IntStream.of(grid).boxed().toList();
  }

  /** The dealing of indices along each axis of a grid. */
  enum Deal {
    /** One block per part. */
    BLOCK,
    /** Single indices, round and round. */
    CYCLIC,
    /** Blocks of one length, round and round. */
    BLOCK_CYCLIC
  }

  /**
   * See {@link #block}, {@link #cyclic} and {@link #blockCyclic}.
   *
   * @param deal how indices are dealt
   * @param grid the ranks along each axis; empty for all along the first
   * @param lengths of blocks, where they are dealt round and round
   */
  record OnGrid(Deal deal, List<Integer> grid, List<Long> lengths) implements Decomposition {
    @Override
    public Distribution divide(Shape shape, int ranks) {
      return Decomposition.grid(
          shape,
          ranks,
          grid.isEmpty() ? Math.min(shape.rank(), 1) : grid.size(),
          axis -> {
            long extent = shape.extent(axis);
            int parts = grid.isEmpty() ? ranks : grid.get(axis);
            if (parts > ranks) {
              throw new IllegalArgumentException(
                  "a grid of %d ranks along axis %d among %d; give at least as many"
                      .formatted(parts, axis, ranks));
            }
            return switch (deal) {
              case BLOCK -> Partition.block(extent, parts);
              case CYCLIC -> Partition.cyclic(extent, parts);
              case BLOCK_CYCLIC -> Partition.blockCyclic(extent, parts, lengths.get(axis));
            };
          });
    }
  }

  /**
   * See {@link #irregular}.
   *
   * @param lengths of the blocks of each axis
   */
  record Irregular(List<List<Long>> lengths) implements Decomposition {
    @Override
    public Distribution divide(Shape shape, int ranks) {
      return Decomposition.grid(
          shape, ranks, lengths.size(), axis -> fitted(shape.extent(axis), axis));
    }

    private Partition fitted(long extent, int axis) {
      long[] fitted = new long[lengths.get(axis).size()];
      long left = extent;
      for (int part = 0; part < fitted.length; part++) {
        boolean last = part == fitted.length - 1;
        fitted[part] = last ? left : Math.min(lengths.get(axis).get(part), left);
        left -= fitted[part];
      }
      return Partition.blocks(fitted);
    }
  }

  /** See {@link #hash}. */
  record Hash() implements Decomposition {
    @Override
    public Distribution divide(Shape shape, int ranks) {
      return Distribution.byOwner(
          shape,
          ranks,
          element -> {
            // Multiplying by the golden ratio spreads neighbours; the upper bits are the mixed
            // ones.
            long mixed = element * 0x9e3779b97f4a7c15L;
            return (int) Math.unsignedMultiplyHigh(mixed, ranks);
          });
    }
  }

  /**
   * See {@link #byOwner}.
   *
   * @param owner names an element's rank
   */
  record ByOwner(LongToIntFunction owner) implements Decomposition {
    @Override
    public Distribution divide(Shape shape, int ranks) {
      return Distribution.byOwner(shape, ranks, owner);
    }
  }

  /**
   * See {@link #of}.
   *
   * @param distribution of the one shape
   */
  record Given(Distribution distribution) implements Decomposition {
    @Override
    public Distribution divide(Shape shape, int ranks) {
      if (!distribution.shape().equals(shape) || distribution.ranks() != ranks) {
        throw new IllegalArgumentException(
            "shape %s on %d ranks divided as %s on %d; give another decomposition"
                .formatted(shape, ranks, distribution, distribution.ranks()));
      }
      return distribution;
    }
  }

  private static Grid grid(Shape shape, int ranks, int divided, IntFunction<Partition> axes) {
    if (divided > shape.rank()) {
      throw new IllegalArgumentException(
          "a grid of %d axes for an array of shape %s; give at most %d"
              .formatted(divided, shape, shape.rank()));
    }
    return Grid.of(
            IntStream.range(0, shape.rank())
                .mapToObj(
                    axis ->
                        axis < divided ? axes.apply(axis) : Partition.block(shape.extent(axis), 1))
                .toArray(Partition[]::new))
        .withRanks(ranks);
  }
}
