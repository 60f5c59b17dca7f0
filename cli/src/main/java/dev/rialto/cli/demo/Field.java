package dev.rialto.cli.demo;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Numbers on a periodic cube of points, a part of them on each rank, and what is asked of them.
 * Methods that look at all of them are collective.
 *
 * @param grid which rank has which points, in row-major order
 * @param memory this rank's part
 */
record Field(Communicator comm, Grid grid, MemorySegment memory) {
  static Field of(Communicator comm, Grid grid, Arena arena) {
    long bytes = DType.F64.bytes(Math.max(8, grid.localCount(comm.rank())));
    return new Field(comm, grid, arena.allocate(bytes, 64));
  }

  long count() {
    return grid.localCount(comm.rank());
  }

  double get(long index) {
    return memory.getAtIndex(ValueLayout.JAVA_DOUBLE, index);
  }

  void set(long index, double value) {
    memory.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
  }

  /** Subtracts the mean: the equation leaves it open. */
  void removeMean() {
    double sum = 0;
    for (long i = 0; i < count(); i++) {
      sum += get(i);
    }
    double mean = combined(sum, ReduceOp.SUM) / grid.shape().count();
    for (long i = 0; i < count(); i++) {
      set(i, get(i) - mean);
    }
  }

  /** Returns the largest absolute value. */
  double largest() {
    double largest = 0;
    for (long i = 0; i < count(); i++) {
      largest = larger(Math.abs(get(i)), largest);
    }
    return combined(largest, ReduceOp.MAX);
  }

  /** Returns the largest absolute difference from another field. */
  double distance(Field other) {
    double largest = 0;
    for (long i = 0; i < count(); i++) {
      largest = larger(Math.abs(get(i) - other.get(i)), largest);
    }
    return combined(largest, ReduceOp.MAX);
  }

  /** A NaN must not pass for a small difference. */
  private static double larger(double a, double b) {
    return a <= b ? b : Double.isNaN(a) ? Double.POSITIVE_INFINITY : a;
  }

  double combined(double value, ReduceOp op) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, value);
      comm.allReduce(number, number, DType.F64, 1, op);
      return number.get(ValueLayout.JAVA_DOUBLE, 0);
    }
  }

  /**
   * Collects the plane in the middle of the last axis on rank 0.
   *
   * @return its points row by row; none on other ranks
   */
  double[] middle() {
    int n = (int) grid.shape().extent(0);
    int columns = (int) grid.shape().extent(1);
    Shape shape = grid.localShape(comm.rank());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment plane = arena.allocate(8L * n * columns, 64);
      if (count() > 0) {
        long z = grid.shape().extent(2) / 2;
        long x0 = grid.axis(0).first(grid.place(comm.rank(), 0));
        long y0 = grid.axis(1).first(grid.place(comm.rank(), 1));
        for (long x = 0; x < shape.extent(0); x++) {
          for (long y = 0; y < shape.extent(1); y++) {
            double value = get((x * shape.extent(1) + y) * shape.extent(2) + z);
            plane.setAtIndex(ValueLayout.JAVA_DOUBLE, (x0 + x) * columns + y0 + y, value);
          }
        }
      }
      comm.reduce(plane, plane, DType.F64, (long) n * columns, ReduceOp.SUM, 0);
      return comm.rank() == 0 ? plane.toArray(ValueLayout.JAVA_DOUBLE) : new double[0];
    }
  }
}
