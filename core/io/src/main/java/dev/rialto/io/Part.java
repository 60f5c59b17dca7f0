package dev.rialto.io;

import dev.rialto.array.Array;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The places in memory of a rank's elements of a distributed array, and which they are: runs along
 * the last axis, so that a file is read and written in pieces as long as can be.
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

  /** The elements of memory from one index to the next along each axis of a grid. */
  private final long[] strides;

  private final long offset;

  /** The axis of which this has some of the rank's indices, from the first one to a last. */
  private final int axis;

  private final long first;
  private final long end;

  private Part(
      Distribution distribution,
      int rank,
      long[] strides,
      long offset,
      int axis,
      long first,
      long end) {
    this.distribution = distribution;
    this.rank = rank;
    this.strides = strides;
    this.offset = offset;
    this.axis = axis;
    this.first = first;
    this.end = end;
  }

  private static Part whole(Distribution distribution, int rank, long[] strides, long offset) {
    return new Part(distribution, rank, strides, offset, -1, 0, 0);
  }

  /** The part of a rank that holds it densely. */
  static Part of(Distribution distribution, int rank) {
    long[] dense = distribution instanceof Grid grid ? dense(grid, rank) : new long[0];
    return whole(distribution, rank, dense, 0);
  }

  private static long[] dense(Grid grid, int rank) {
    return ofAxes(grid, ordered(grid, rank).strides());
  }

  /** Returns a rank's extents in the order of its memory. */
  private static Shape ordered(Grid grid, int rank) {
    Shape local = grid.localShape(rank);
    return Shape.of(Arrays.stream(grid.order()).mapToLong(local::extent).toArray());
  }

  /** Returns values in the order of memory by their axes. */
  private static long[] ofAxes(Grid grid, long[] inMemory) {
    long[] perAxis = new long[inMemory.length];
    for (int i = 0; i < inMemory.length; i++) {
      perAxis[grid.order()[i]] = inMemory[i];
    }
    return perAxis;
  }

  /** The part of an array on the host, which may be a view or have a halo around it. */
  static Part of(Array array) {
    int rank = array.team().communicator().rank();
    return array.distribution() instanceof Grid grid
            && array.owned() instanceof Layout.Strided owned
        ? whole(grid, rank, ofAxes(grid, owned.strides()), owned.offset())
        : of(array.distribution(), rank);
  }

  /**
   * Some of a rank's elements on a device, that lie together in its order of memory.
   *
   * @param part where they are in memory that has them densely
   * @param there where they are on the device
   */
  record Chunk(Part part, Layout there) {
    Tensor in(Array array) {
      return new Tensor(array.buffer(), Shape.of(there.count()), there);
    }
  }

  /** Divides a rank's elements of an array on a device in chunks of about so many bytes. */
  static List<Chunk> chunks(Array array, long bytes) {
    int rank = array.team().communicator().rank();
    if (array.owned().count() == 0) {
      return List.of();
    }
    if (!(array.distribution() instanceof Grid grid) || grid.shape().rank() == 0) {
      return List.of(new Chunk(of(array.distribution(), rank), array.owned()));
    }
    Shape extents = ordered(grid, rank);
    int slowest = 0;
    while (slowest < extents.rank() - 1 && extents.extent(slowest) == 1) {
      slowest++;
    }
    long[] dense = extents.strides();
    boolean gaps = array.owned() instanceof Layout.Strided;
    long[] apart = gaps ? ((Layout.Strided) array.owned()).strides() : dense;
    long start = gaps ? ((Layout.Strided) array.owned()).offset() : 0;
    long each = Math.max(1, bytes / array.type().bytes(dense[slowest]));
    List<Chunk> chunks = new ArrayList<>();
    for (long from = 0; from < extents.extent(slowest); from += each) {
      long to = Math.min(extents.extent(slowest), from + each);
      long[] some = extents.extents();
      some[slowest] = to - from;
      long there = start + from * apart[slowest];
      chunks.add(
          new Chunk(
              new Part(
                  grid,
                  rank,
                  ofAxes(grid, dense),
                  -from * dense[slowest],
                  grid.order()[slowest],
                  from,
                  to),
              Layout.strided(array.type(), Shape.of(some), apart, there)));
    }
    return chunks;
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
    for (int i = index.length - 1; i >= 0; i--) {
      index[i] = rest % shape().extent(i);
      rest /= shape().extent(i);
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
    long[] ends = grid.localShape(rank).extents();
    long[] at = new long[axes];
    if (axis >= 0) {
      at[axis] = first;
      ends[axis] = end;
    }
    boolean whole = grid.axis(last).isBlock();
    long run = whole ? ends[last] - at[last] : 1;
    long[] index = new long[axes];
    while (true) {
      long local = offset;
      for (int i = 0; i < axes; i++) {
        index[i] = grid.axis(i).index(grid.place(rank, i), at[i]);
        local += at[i] * strides[i];
      }
      visitor.run(local, strides[last], index, run);
      int next = whole ? last - 1 : last;
      while (next >= 0 && ++at[next] == ends[next]) {
        at[next] = next == axis ? first : 0;
        next--;
      }
      if (next < 0) {
        return;
      }
    }
  }
}
