package dev.rialto.exchange.plan;

import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Moves an array from one distribution to any other.
 *
 * <p>Between two grids each pair of ranks shares the product of what they share of each axis: a
 * strided box where blocks meet blocks or cycles fit, a list of elements otherwise. Between other
 * distributions elements are listed one by one.
 */
public final class Redistribute {
  /** In whose memory order the elements of a message follow one another. */
  public enum MessageOrder {
    /** The sender's: packing copies long runs, unpacking permutes. */
    SENDER,
    /** The receiver's: packing permutes, unpacking copies long runs. */
    RECEIVER
  }

  private Redistribute() {}

  /** Plans for one rank, messages in the receiver's order. */
  public static ExchangePlan plan(Distribution from, Distribution to, int rank) {
    return plan(from, to, rank, MessageOrder.RECEIVER);
  }

  /**
   * Plans for one rank.
   *
   * @throws IllegalArgumentException if the distributions are of different shapes or numbers of
   *     ranks
   */
  public static ExchangePlan plan(
      Distribution from, Distribution to, int rank, MessageOrder messages) {
    return plan("redistribute " + from.shape(), from, to, rank, messages);
  }

  static ExchangePlan plan(
      String name, Distribution from, Distribution to, int rank, MessageOrder messages) {
    if (!from.shape().equals(to.shape()) || from.ranks() != to.ranks()) {
      throw new IllegalArgumentException(
          "from %s on %d ranks to %s on %d; give the same shape and as many ranks"
              .formatted(from, from.ranks(), to, to.ranks()));
    }
    return moving(name, Part.together(from, rank), Part.together(to, rank), rank, messages);
  }

  /**
   * Plans, for one rank, to move the elements whose index lies in both of two shapes, as when an
   * array grows or shrinks.
   *
   * @param in where the rank's elements of {@code from} lie, in their order there: together, or in
   *     a box with an axis for each of a grid's, outermost first, as within a halo
   * @param out where those of {@code to} are to lie
   * @throws IllegalArgumentException if the distributions differ in axes or numbers of ranks, or a
   *     region is neither
   */
  public static ExchangePlan common(
      Distribution from, Region in, Distribution to, Region out, int rank) {
    if (from.shape().rank() != to.shape().rank() || from.ranks() != to.ranks()) {
      throw new IllegalArgumentException(
          "from %s on %d ranks to %s on %d; give as many axes and as many ranks"
              .formatted(from, from.ranks(), to, to.ranks()));
    }
    String name =
        from.shape().equals(to.shape())
            ? "redistribute " + from.shape()
            : "resize " + from.shape() + " to " + to.shape();
    return moving(name, new Part(from, in), new Part(to, out), rank, MessageOrder.RECEIVER);
  }

  /** An array and where a rank's elements of it lie. */
  private record Part(Distribution array, Region memory) {
    static Part together(Distribution array, int rank) {
      return new Part(array, Region.contiguous(0, array.localCount(rank)));
    }

    /** Returns how far apart neighbours along each axis of a grid lie. */
    long[] strides(Grid grid, int rank) {
      long[] strides = grid.localStrides(rank);
      if (memory.contiguousFrom() >= 0) {
        return strides;
      }
      int[] order = grid.order();
      if (!(memory instanceof Region.Box box) || box.extents().rank() != order.length) {
        throw new IllegalArgumentException(
            "elements of %s in %s; give a box with %d axes".formatted(grid, memory, order.length));
      }
      for (int i = 0; i < order.length; i++) {
        strides[order[i]] = box.strides()[i];
      }
      return strides;
    }

    /** Returns where the first element lies. */
    long first() {
      return memory instanceof Region.Box box ? box.offset() : 0;
    }

    /** Returns where each element lies. */
    long[] places() {
      long[] places = new long[Math.toIntExact(memory.count())];
      int[] at = {0};
      memory.forEachRun(
          (place, count) -> {
            for (long i = 0; i < count; i++) {
              places[at[0]++] = place + i;
            }
          });
      return places;
    }
  }

  private static ExchangePlan moving(
      String name, Part from, Part to, int rank, MessageOrder messages) {
    List<Block> sends;
    List<Block> receives;
    int ranks = from.array.ranks();
    if (from.array instanceof Grid source && to.array instanceof Grid target) {
      int[] axes = messages == MessageOrder.SENDER ? source.order() : target.order();
      sends = new ArrayList<>();
      receives = new ArrayList<>();
      long[] sourceStrides = source.contains(rank) ? from.strides(source, rank) : new long[0];
      long[] targetStrides = target.contains(rank) ? to.strides(target, rank) : new long[0];
      for (int peer = 0; peer < ranks; peer++) {
        sends.add(
            Block.of(peer, shared(source, rank, target, peer, axes, sourceStrides, from.first())));
        receives.add(
            Block.of(peer, shared(target, rank, source, peer, axes, targetStrides, to.first())));
      }
    } else {
      sends = listed(from, to.array, rank);
      receives = listed(to, from.array, rank);
    }
    return ExchangePlan.made(
        name, rank, ranks, from.memory.span(), to.memory.span(), sends, receives, Combine.REPLACE);
  }

  /** Returns where a rank holds what it has in common with another's part of another grid. */
  private static Region shared(
      Grid mine, int rank, Grid theirs, int peer, int[] axes, long[] local, long first) {
    if (!mine.contains(rank) || !theirs.contains(peer)) {
      return Region.contiguous(0, 0);
    }
    Partition.Common[] common = new Partition.Common[axes.length];
    boolean regular = true;
    for (int axis = 0; axis < axes.length; axis++) {
      common[axis] =
          mine.axis(axis)
              .common(mine.place(rank, axis), theirs.axis(axis), theirs.place(peer, axis));
      if (common[axis].runs == 0) {
        return Region.contiguous(0, 0);
      }
      regular &= common[axis].isRegular();
    }
    return regular ? box(common, local, axes, first) : list(common, local, axes, first);
  }

  /** Each axis is two of the box: the runs, and the indices of a run. */
  private static Region box(Partition.Common[] common, long[] local, int[] axes, long first) {
    long[] extents = new long[2 * axes.length];
    long[] strides = new long[2 * axes.length];
    long offset = first;
    for (int i = 0; i < axes.length; i++) {
      Partition.Common runs = common[axes[i]];
      long stride = local[axes[i]];
      offset += runs.mine[0] * stride;
      extents[2 * i] = runs.runs;
      strides[2 * i] = runs.runs == 1 ? 0 : (runs.mine[1] - runs.mine[0]) * stride;
      extents[2 * i + 1] = runs.lengths[0];
      strides[2 * i + 1] = stride;
    }
    return Region.box(Shape.of(extents), strides, offset);
  }

  private static Region list(Partition.Common[] common, long[] local, int[] axes, long first) {
    long[] places = {first};
    for (int axis : axes) {
      Partition.Common runs = common[axis];
      long[] longer = new long[Math.toIntExact(places.length * runs.count())];
      int at = 0;
      for (long place : places) {
        for (int run = 0; run < runs.runs; run++) {
          for (long i = 0; i < runs.lengths[run]; i++) {
            longer[at++] = place + (runs.mine[run] + i) * local[axis];
          }
        }
      }
      places = longer;
    }
    return Region.indices(places);
  }

  private static List<Block> listed(Part part, Distribution theirs, int rank) {
    Distribution mine = part.array;
    long together = part.memory.contiguousFrom();
    long[] places = together == 0 ? new long[0] : part.places();
    long[][] lists = new long[mine.ranks()][];
    int[] counts = new int[mine.ranks()];
    for (long element : mine.elements(rank)) {
      long other = renumbered(element, mine.shape(), theirs.shape());
      if (other < 0) {
        continue;
      }
      int peer = theirs.owner(other);
      if (lists[peer] == null) {
        lists[peer] = new long[16];
      } else if (counts[peer] == lists[peer].length) {
        lists[peer] = Arrays.copyOf(lists[peer], 2 * counts[peer]);
      }
      long local = mine.local(element);
      lists[peer][counts[peer]++] = together == 0 ? local : places[Math.toIntExact(local)];
    }
    List<Block> blocks = new ArrayList<>();
    for (int peer = 0; peer < lists.length; peer++) {
      if (counts[peer] > 0) {
        blocks.add(Block.of(peer, Region.indices(Arrays.copyOf(lists[peer], counts[peer]))));
      }
    }
    return blocks;
  }

  /** Returns the number, in another shape, of the element at the same index; -1 if outside. */
  private static long renumbered(long element, Shape shape, Shape other) {
    if (shape.equals(other)) {
      return element;
    }
    long rest = element;
    long number = 0;
    long stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; axis--) {
      long index = rest % shape.extent(axis);
      rest /= shape.extent(axis);
      if (index >= other.extent(axis)) {
        return -1;
      }
      number += index * stride;
      stride *= other.extent(axis);
    }
    return number;
  }
}
