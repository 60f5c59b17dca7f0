package dev.rialto.fft;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * Multiplies each element of a matrix by exp(∓2πi row column / points), in place.
 *
 * <p>A power of the root is the product of one of two short tables' entries each, so the tables
 * have the square root of the elements, and every factor is within two roundings.
 */
final class Twiddle implements Stage {
  private final DType type;
  private final long rows;
  private final long columns;
  private final long firstRow;
  private final long firstColumn;
  private final long elements;
  private final long split;
  private final double[] low;
  private final double[] high;

  Twiddle(Step.Twiddle step, int rank) {
    Grid grid = step.grid();
    this.type = step.type();
    this.rows = grid.localShape(rank).extent(0);
    this.columns = grid.localShape(rank).extent(1);
    this.firstRow = grid.axis(0).first(grid.place(rank, 0));
    this.firstColumn = grid.axis(1).first(grid.place(rank, 1));
    this.elements = step.points();
    this.split = (long) Math.ceil(Math.sqrt((double) elements));
    this.low = powers(1, split, step.inverse());
    this.high = powers(split, elements / split + 1, step.inverse());
  }

  private double[] powers(long step, long count, boolean inverse) {
    double[] powers = new double[Math.toIntExact(2 * count)];
    for (int i = 0; i < count; i++) {
      double angle = 2 * Math.PI * ((double) (i * step) / elements);
      powers[2 * i] = Math.cos(angle);
      powers[2 * i + 1] = inverse ? Math.sin(angle) : -Math.sin(angle);
    }
    return powers;
  }

  @Override
  public void start(MemorySegment in, MemorySegment out, MemorySegment workspace) {
    boolean doubles = type == DType.C128;
    int half = type.size() / 2;
    long at = 0;
    for (long row = 0; row < rows; row++) {
      long step = (firstRow + row) % elements;
      long power = (firstRow + row) * firstColumn % elements;
      for (long column = 0; column < columns; column++) {
        int l = (int) (2 * (power % split));
        int h = (int) (2 * (power / split));
        double c = low[l] * high[h] - low[l + 1] * high[h + 1];
        double s = low[l] * high[h + 1] + low[l + 1] * high[h];
        double re = get(in, at, doubles);
        double im = get(in, at + half, doubles);
        set(out, at, doubles, re * c - im * s);
        set(out, at + half, doubles, re * s + im * c);
        at += type.size();
        power += step;
        power -= power >= elements ? elements : 0;
      }
    }
  }

  private static double get(MemorySegment memory, long at, boolean doubles) {
    return doubles ? memory.get(JAVA_DOUBLE_UNALIGNED, at) : memory.get(JAVA_FLOAT_UNALIGNED, at);
  }

  private static void set(MemorySegment memory, long at, boolean doubles, double value) {
    if (doubles) {
      memory.set(JAVA_DOUBLE_UNALIGNED, at, value);
    } else {
      memory.set(JAVA_FLOAT_UNALIGNED, at, (float) value);
    }
  }

  @Override
  public void await() {}

  @Override
  public long inBytes() {
    return type.bytes(rows * columns);
  }

  @Override
  public long outBytes() {
    return inBytes();
  }

  @Override
  public boolean inPlace() {
    return true;
  }

  @Override
  public boolean isCollective() {
    return false;
  }

  @Override
  public boolean isReadByPeers() {
    return false;
  }

  @Override
  public long workspaceBytes() {
    return 0;
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return "twiddle factors of %d points".formatted(elements);
  }
}
