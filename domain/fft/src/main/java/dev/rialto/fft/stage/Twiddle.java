package dev.rialto.fft.stage;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.fft.engine.Numbers;
import dev.rialto.fft.engine.RootsOfUnity;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/** Multiplies each element of a matrix by exp(∓2πi row column / points), in place. */
public final class Twiddle implements Stage {
  private final DType type;
  private final long rows;
  private final long columns;
  private final long firstRow;
  private final long firstColumn;
  private final RootsOfUnity roots;

  public Twiddle(Step.Twiddle step, int rank) {
    Grid grid = step.grid();
    this.type = step.type();
    this.rows = grid.localShape(rank).extent(0);
    this.columns = grid.localShape(rank).extent(1);
    this.firstRow = grid.axis(0).first(grid.place(rank, 0));
    this.firstColumn = grid.axis(1).first(grid.place(rank, 1));
    this.roots = new RootsOfUnity(step.points(), step.inverse());
  }

  @Override
  public void start(MemorySegment in, MemorySegment out, MemorySegment workspace) {
    long at = 0;
    for (long row = 0; row < rows; row++) {
      long step = (firstRow + row) % roots.order();
      long power = (firstRow + row) * firstColumn % roots.order();
      for (long column = 0; column < columns; column++) {
        double c = roots.real(power);
        double s = roots.imaginary(power);
        double re = Numbers.real(type, in, at);
        double im = Numbers.imaginary(type, in, at);
        Numbers.set(type, out, at, re * c - im * s, re * s + im * c);
        at++;
        power += step;
        power -= power >= roots.order() ? roots.order() : 0;
      }
    }
  }

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
  public String toString() {
    return "twiddle factors of %d points".formatted(roots.order());
  }
}
