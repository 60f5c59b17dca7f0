package dev.rialto.exchange;

import static dev.rialto.exchange.PlanCase.UNTOUCHED;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Gather;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.exchange.plan.Redistribute;
import dev.rialto.exchange.plan.Redistribute.MessageOrder;
import dev.rialto.exchange.plan.Reshape;
import dev.rialto.exchange.plan.Scatter;
import dev.rialto.exchange.plan.Transpose;
import dev.rialto.exchange.plan.Transposed;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Generates cases for a number of ranks: every kind of plan on every kind of decomposition. */
final class PlanCases {
  private final int ranks;
  private final List<PlanCase> cases = new ArrayList<>();

  private PlanCases(int ranks) {
    this.ranks = ranks;
  }

  static List<PlanCase> all(int ranks) {
    PlanCases all = new PlanCases(ranks);
    all.transposes();
    all.reshapes();
    all.redistributions();
    all.gathers();
    all.stencils();
    all.lists();
    all.overlaps();
    return all.cases;
  }

  /** All ways to write the number of ranks as a product of so many factors. */
  static List<int[]> grids(int ranks, int axes) {
    if (axes == 1) {
      return List.of(new int[] {ranks});
    }
    List<int[]> grids = new ArrayList<>();
    for (int first = 1; first <= ranks; first++) {
      if (ranks % first == 0) {
        for (int[] rest : grids(ranks / first, axes - 1)) {
          int[] grid = new int[axes];
          grid[0] = first;
          System.arraycopy(rest, 0, grid, 1, axes - 1);
          grids.add(grid);
        }
      }
    }
    return grids;
  }

  private void moving(String family, Distribution from, Distribution to, PlanCase.Maker maker) {
    cases.add(
        PlanCase.moving(
            family,
            from + " to " + to,
            maker,
            rank -> labels(from, rank),
            rank -> labels(to, rank)));
  }

  /** Each element's label is its number in the global array. */
  private static double[] labels(Distribution distribution, int rank) {
    double[] labels = new double[(int) distribution.localCount(rank)];
    for (long element : distribution.elements(rank)) {
      labels[(int) distribution.local(element)] = element;
    }
    return labels;
  }

  private void transposes() {
    Shape shape = Shape.of(5, 7, 6);
    for (int[] grid : grids(ranks, 2)) {
      int[][] steps = {{2, 1}, {1, 0}, {0, 1}, {1, 2}, {2, 0}};
      for (int i = 0; i < steps.length; i++) {
        Grid from = Transpose.pencils(shape, grid, steps[i][0]);
        Grid to = Transpose.pencils(shape, grid, steps[i][1]);
        MessageOrder order = i % 2 == 0 ? MessageOrder.RECEIVER : MessageOrder.SENDER;
        moving("transpose", from, to, comm -> Transpose.plan(from, to, comm.rank(), order));
      }
    }
    Grid rows = Transpose.pencils(Shape.of(9, 5), new int[] {ranks}, 1);
    Grid columns = Transpose.pencils(Shape.of(9, 5), new int[] {ranks}, 0);
    moving("transpose", rows, columns, comm -> Transpose.plan(rows, columns, comm.rank()));
    if (ranks == 4) {
      int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
      for (int[] a : orders) {
        for (int[] b : orders) {
          Grid from = Grid.block(shape, 2, 2, 1).withOrder(a);
          Grid to = Grid.block(shape, 1, 2, 2).withOrder(b);
          moving("transpose", from, to, comm -> Transpose.plan(from, to, comm.rank()));
        }
      }
    }
    Grid x = Transpose.pencils(shape, new int[] {ranks, 1}, 2);
    Grid z = Transpose.pencils(shape, new int[] {ranks, 1}, 0);
    moving("transposed", z, x, comm -> Transposed.replacing(Transpose.plan(x, z, comm.rank())));
  }

  private void reshapes() {
    Shape shape = Shape.of(6, 5, 4);
    List<int[]> grids = grids(ranks, 3);
    for (int i = 0; i < grids.size(); i++) {
      Grid from = Grid.block(shape, grids.get(i));
      Grid to = Grid.block(shape, grids.get((i + 1) % grids.size()));
      moving("reshape", from, to, comm -> Reshape.plan(from, to, comm.rank()));
    }
  }

  private void redistributions() {
    long n = 37;
    Grid blocks = Grid.block(Shape.of(n), ranks);
    List<Distribution> others = new ArrayList<>();
    others.add(Grid.of(Partition.cyclic(n, ranks)));
    others.add(Grid.of(Partition.blockCyclic(n, ranks, 3)));
    others.add(Grid.of(Partition.blockCyclic(n, ranks, 2)));
    others.add(Distribution.byOwner(n, ranks, i -> (int) (i * 7 % 5 % ranks)));
    others.add(Grid.of(Partition.blocks(uneven(n))));
    others.add(blocks);
    for (int i = 0; i < others.size(); i++) {
      Distribution from = others.get(i);
      Distribution to = others.get((i + 1) % others.size());
      moving("redistribute", from, to, comm -> Redistribute.plan(from, to, comm.rank()));
    }
    Grid few = Grid.block(Shape.of(3, 2), 1, 1).withRanks(ranks);
    Grid many = Grid.block(Shape.of(3, 2), ranks, 1);
    moving("redistribute", few, many, comm -> Redistribute.plan(few, many, comm.rank()));
    Grid tiles = Grid.of(Partition.blockCyclic(7, ranks, 2), Partition.block(5, 1)).withOrder(1, 0);
    Grid plain = Grid.of(Partition.block(7, 1), Partition.cyclic(5, ranks));
    moving("redistribute", tiles, plain, comm -> Redistribute.plan(tiles, plain, comm.rank()));
    Distribution wideFrom = others.get(1);
    cases.add(
        PlanCase.moving(
            "redistribute",
            "pairs of elements",
            comm -> Redistribute.plan(wideFrom, blocks, comm.rank()).widened(2),
            rank -> doubled(labels(wideFrom, rank)),
            rank -> doubled(labels(blocks, rank))));
  }

  /** Blocks of which every third is empty. */
  private long[] uneven(long n) {
    long[] lengths = new long[ranks];
    long left = n;
    for (int i = 0; i < ranks - 1; i++) {
      lengths[i] = i % 3 == 1 ? 0 : Math.min(left, n / ranks + i % 2);
      left -= lengths[i];
    }
    lengths[ranks - 1] = left;
    return lengths;
  }

  private static double[] doubled(double[] labels) {
    return IntStream.range(0, 2 * labels.length)
        .mapToDouble(i -> 2 * labels[i / 2] + i % 2)
        .toArray();
  }

  private void gathers() {
    int root = ranks - 1;
    List<Distribution> parts =
        List.of(
            Grid.block(Shape.of(4, 7), 1, ranks),
            Distribution.byOwner(19, ranks, i -> (int) (i / 2 % ranks)));
    for (Distribution part : parts) {
      Distribution whole = Distribution.onOne(part.shape(), ranks, root);
      moving("gather", part, whole, comm -> Gather.plan(part, root, comm.rank()));
      moving("scatter", whole, part, comm -> Scatter.plan(part, root, comm.rank()));
    }
  }

  private void stencils() {
    for (int axes = 1; axes <= 3; axes++) {
      for (boolean periodic : new boolean[] {false, true}) {
        long[] extents = Arrays.copyOf(new long[] {9, 4, 3}, axes);
        List<int[]> grids = grids(ranks, axes);
        Grid grid = Grid.block(Shape.of(extents), grids.get(grids.size() / 2));
        stencil(
            grid,
            Halo.Stencil.of(axes, 1, periodic, periodic),
            periodic,
            periodic,
            filled(axes, 1));
      }
    }
    Grid order = Grid.block(Shape.of(5, 4), ranks, 1).withOrder(1, 0);
    stencil(
        order,
        Halo.Stencil.of(new int[] {2, 1}, new int[] {0, 1}, new boolean[] {true, true}, true),
        true,
        true,
        2,
        1);
  }

  /** Adds a halo and its reverse; {@code lows} are the stencil's layers below each axis. */
  private void stencil(
      Grid grid, Halo.Stencil stencil, boolean periodic, boolean corners, int... lows) {
    PlanCase.Labels before = rank -> padded(grid, stencil, rank, lows, periodic, corners, false);
    PlanCase.Labels after = rank -> padded(grid, stencil, rank, lows, periodic, corners, true);
    cases.add(
        new PlanCase(
            "halo",
            grid + (periodic ? ", periodic" : ""),
            false,
            true,
            comm -> Halo.stencil(grid, stencil, comm.rank()),
            before,
            after));
    cases.add(
        new PlanCase(
            "transposed",
            "halo of " + grid + (periodic ? ", periodic" : ""),
            true,
            true,
            comm -> Transposed.adding(Halo.stencil(grid, stencil, comm.rank())),
            rank -> ones((int) Halo.paddedShape(grid, stencil, rank).count()),
            rank -> contributions(grid, stencil, rank, lows, periodic, corners)));
  }

  private static int[] filled(int count, int value) {
    int[] array = new int[count];
    Arrays.fill(array, value);
    return array;
  }

  private static double[] ones(int count) {
    double[] ones = new double[count];
    Arrays.fill(ones, 1);
    return ones;
  }

  /** Walks a rank's padded array and tells the global element each place stands for. */
  private static void walk(
      Grid grid,
      Halo.Stencil stencil,
      int rank,
      int[] lows,
      boolean periodic,
      boolean corners,
      PlaceVisitor visitor) {
    Shape local = grid.localShape(rank);
    Shape padded = Halo.paddedShape(grid, stencil, rank);
    int axes = padded.rank();
    int[] order = grid.order();
    long[] first = new long[axes];
    if (local.count() > 0) {
      long[] elements = grid.elements(rank);
      long rest = elements[0];
      for (int axis = axes - 1; axis >= 0; axis--) {
        first[axis] = rest % grid.shape().extent(axis);
        rest /= grid.shape().extent(axis);
      }
    }
    for (int place = 0; place < padded.count(); place++) {
      long rest = place;
      long[] index = new long[axes];
      for (int i = axes - 1; i >= 0; i--) {
        index[order[i]] = rest % padded.extent(order[i]);
        rest /= padded.extent(order[i]);
      }
      int outside = 0;
      boolean exists = local.count() > 0;
      long element = 0;
      for (int axis = 0; axis < axes; axis++) {
        long in = index[axis] - lows[axis];
        outside += in < 0 || in >= local.extent(axis) ? 1 : 0;
        long global = first[axis] + in;
        long extent = grid.shape().extent(axis);
        exists &= periodic || (global >= 0 && global < extent);
        element = element * extent + Math.floorMod(global, extent);
      }
      visitor.visit(place, element, outside, exists && (outside < 2 || corners));
    }
  }

  private interface PlaceVisitor {
    void visit(int place, long element, int outside, boolean copied);
  }

  /** Owned elements have their number; copies -1 before and the owner's number after. */
  private static double[] padded(
      Grid grid,
      Halo.Stencil stencil,
      int rank,
      int[] lows,
      boolean periodic,
      boolean corners,
      boolean after) {
    double[] labels = new double[(int) Halo.paddedShape(grid, stencil, rank).count()];
    walk(
        grid,
        stencil,
        rank,
        lows,
        periodic,
        corners,
        (place, element, outside, copied) ->
            labels[place] = (outside == 0 || after) && copied ? element : -1);
    return labels;
  }

  /** One of each owned element, and one more from each copy of it. */
  private double[] contributions(
      Grid grid, Halo.Stencil stencil, int rank, int[] lows, boolean periodic, boolean corners) {
    double[] copies = new double[(int) grid.shape().count()];
    for (int other = 0; other < ranks; other++) {
      walk(
          grid,
          stencil,
          other,
          lows,
          periodic,
          corners,
          (_, element, outside, copied) -> copies[(int) element] += outside > 0 && copied ? 1 : 0);
    }
    double[] sums = ones((int) Halo.paddedShape(grid, stencil, rank).count());
    walk(
        grid,
        stencil,
        rank,
        lows,
        periodic,
        corners,
        (place, element, outside, copied) ->
            sums[place] += outside == 0 && copied ? copies[(int) element] : 0);
    return sums;
  }

  private void lists() {
    long n = 41;
    List<Distribution> owners =
        List.of(
            Grid.block(Shape.of(n), ranks),
            Distribution.byOwner(n, ranks, i -> (int) (i * 11 % 7 % ranks)));
    for (Distribution owned : owners) {
      long[][] copies = new long[ranks][];
      Random random = new Random(ranks);
      for (int rank = 0; rank < ranks; rank++) {
        // Some ranks want nothing, and who is asked need not ask back.
        int wanted = rank % 3 == 2 ? 0 : 5 + rank;
        copies[rank] = LongStream.range(0, wanted).map(_ -> random.nextInt((int) n)).toArray();
      }
      cases.add(
          new PlanCase(
              "halo",
              "copies of listed elements, " + owned,
              false,
              true,
              comm -> Halo.indexed(comm, owned, copies[comm.rank()]),
              rank -> withCopies(owned, rank, copies[rank], false),
              rank -> withCopies(owned, rank, copies[rank], true)));
    }
  }

  private static double[] withCopies(Distribution owned, int rank, long[] copies, boolean after) {
    double[] own = labels(owned, rank);
    double[] labels = Arrays.copyOf(own, own.length + copies.length);
    for (int i = 0; i < copies.length; i++) {
      labels[own.length + i] = after ? copies[i] : -1;
    }
    return labels;
  }

  private void overlaps() {
    long[][] held = new long[ranks][];
    for (int rank = 0; rank < ranks; rank++) {
      int from = rank;
      // Blocks of six, four apart: neighbours share two; and one element that all have.
      held[rank] =
          LongStream.concat(LongStream.of(1000), LongStream.range(0, 6).map(i -> 4L * from + i))
              .toArray();
    }
    for (Overlap.Rule rule : Overlap.Rule.values()) {
      cases.add(
          new PlanCase(
              "overlap",
              rule.name(),
              true,
              true,
              comm -> Overlap.of(comm, held[comm.rank()], rule),
              rank -> copies(held, rank),
              rank -> agreed(held, rank, rule)));
    }
  }

  /** A rank's copy of an element is unlike the others' and still a small number. */
  private static double copy(int rank, long element) {
    return (element % 5 + 1) * (rank + 1) % 7;
  }

  private static double[] copies(long[][] held, int rank) {
    return Arrays.stream(held[rank]).mapToDouble(element -> copy(rank, element)).toArray();
  }

  private static double[] agreed(long[][] held, int rank, Overlap.Rule rule) {
    return Arrays.stream(held[rank])
        .mapToDouble(
            element -> {
              double sum = 0;
              double first = UNTOUCHED;
              int holders = 0;
              for (int other = 0; other < held.length; other++) {
                int at = other;
                if (Arrays.stream(held[other]).anyMatch(e -> e == element)) {
                  sum += copy(at, element);
                  first = holders++ == 0 ? copy(at, element) : first;
                }
              }
              return switch (rule) {
                case SUM -> sum;
                case AVERAGE -> sum * (1.0 / holders);
                case MASTER -> first;
              };
            })
        .toArray();
  }
}
