package dev.rialto.io;

import dev.rialto.array.Array;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.LongStream;

/**
 * Where a rank's elements of a distributed array lie in its memory, and which they are: as runs
 * along the last axis, so that a file is read and written in pieces as long as can be.
 */
final class Part {
  /** Takes elements that follow one another along the last axis. */
  @FunctionalInterface
  interface RunVisitor<E extends Exception> {
    /**
     * Takes a run.
     *
     * @param local where the first lies, in elements
     * @param stride from one to the next, in elements
     * @param index of the first; not to be kept
     */
    void run(long local, long stride, long[] index, long count) throws E;
  }

  private final Distribution distribution;
  private final int rank;
  private final Shape memory;
  private final long offset;

  private Part(Distribution distribution, int rank, Shape memory, long offset) {
    this.distribution = distribution;
    this.rank = rank;
    this.memory = memory;
    this.offset = offset;
  }

  /** The part of a rank that holds it densely. */
  static Part of(Distribution distribution, int rank) {
    Shape memory =
        distribution instanceof Grid grid
            ? grid.localShape(rank)
            : Shape.of(distribution.localCount(rank));
    return new Part(distribution, rank, memory, 0);
  }

  /** The part of an array, which may have a halo around it; not so what comes from a device. */
  static Part of(Array array) {
    if (array.isOnDevice()) {
      return of(array.distribution(), array.team().communicator().rank());
    }
    long[] first = {-1};
    array
        .owned()
        .forEachRun((from, _) -> first[0] = first[0] < 0 ? from / array.type().size() : first[0]);
    int rank = array.team().communicator().rank();
    return new Part(array.distribution(), rank, array.localShape(), Math.max(first[0], 0));
  }

  /** Returns a rank's elements in the host's memory: the array's own, or a copy from a device. */
  static MemorySegment elements(Array array, Arena arena) {
    if (!array.isOnDevice()) {
      return array.local();
    }
    MemorySegment copy = arena.allocate(array.owned().bytes(), 64);
    array.copyTo(copy);
    return copy;
  }

  Shape shape() {
    return distribution.shape();
  }

  <E extends Exception> void forEachRun(RunVisitor<E> visitor) throws E {
    if (distribution instanceof Grid grid) {
      onGrid(grid, visitor);
      return;
    }
    for (long element : distribution.elements(rank)) {
      visitor.run(offset + distribution.local(element), 1, index(element), 1);
    }
  }

  private long[] index(long element) {
    long[] index = new long[shape().rank()];
    long rest = element;
    for (int axis = index.length - 1; axis >= 0; axis--) {
      index[axis] = rest % shape().extent(axis);
      rest /= shape().extent(axis);
    }
    return index;
  }

  private <E extends Exception> void onGrid(Grid grid, RunVisitor<E> visitor) throws E {
    if (grid.localCount(rank) == 0) {
      return;
    }
    int axes = shape().rank();
    if (axes == 0) {
      visitor.run(offset, 1, new long[0], 1);
      return;
    }
    int last = axes - 1;
    long[][] indices = new long[axes][];
    for (int axis = 0; axis < axes; axis++) {
      indices[axis] = indices(grid.axis(axis), grid.place(rank, axis));
    }
    boolean whole = grid.axis(last).isBlock();
    long run = whole ? indices[last].length : 1;
    long[] strides = strides(grid.order());
    int[] at = new int[axes];
    long[] index = new long[axes];
    while (true) {
      long local = offset;
      for (int axis = 0; axis < axes; axis++) {
        index[axis] = indices[axis][at[axis]];
        local += at[axis] * strides[axis];
      }
      visitor.run(local, strides[last], index, run);
      int axis = whole ? last - 1 : last;
      while (axis >= 0 && ++at[axis] == indices[axis].length) {
        at[axis--] = 0;
      }
      if (axis < 0) {
        return;
      }
    }
  }

  private static long[] indices(Partition dealt, int place) {
    return dealt.isBlock()
        ? LongStream.range(dealt.first(place), dealt.first(place) + dealt.count(place)).toArray()
        : LongStream.range(0, dealt.extent()).filter(i -> dealt.part(i) == place).toArray();
  }

  /** Returns the strides of this rank's memory, halo and all. */
  private long[] strides(int[] order) {
    long[] strides = new long[order.length];
    long stride = 1;
    for (int i = order.length - 1; i >= 0; i--) {
      strides[order[i]] = stride;
      stride *= Math.max(memory.extent(order[i]), 1);
    }
    return strides;
  }
}
