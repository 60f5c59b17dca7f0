package dev.rialto.fft.stage;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.fft.engine.Numbers;
import dev.rialto.fft.engine.RootsOfUnity;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Resource;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Multiplies the spectrum of a line by that of the chirp exp(πi j²/n), in place: a convolution that
 * makes a prime number n of points a transform of a number that can be cut.
 *
 * <p>The spectrum lies as a cut line leaves it, in rows. Each rank makes its own rows of it when it
 * plans: it transforms all columns, some at a time, and keeps what belongs to its rows. So no rank
 * ever has the whole line.
 */
public final class Chirp implements Stage {
  /** As many columns at a time as fill vectors. */
  private static final long COLUMNS = 16;

  private final Step.Chirp step;
  private final long elements;
  private final Resource lent;
  private final MemorySegment spectrum;

  public Chirp(Step.Chirp step, int rank, FftEngine engine) {
    this.step = step;
    Grid grid = step.grid();
    this.elements = grid.localCount(rank);
    this.lent =
        Devices.host().lend("spectrum of a chirp", step.type().bytes(Math.max(elements, 1)));
    this.spectrum = lent.segment();
    long columns = grid.shape().extent(1);
    long mine = grid.localShape(rank).extent(0);
    columns(engine, mine == 0 ? 0 : grid.axis(0).first(grid.place(rank, 0)), mine);
    new Twiddle(new Step.Twiddle(grid, grid.shape().count(), step.type(), false), rank)
        .start(spectrum, spectrum, MemorySegment.NULL);
    FftSpec rows =
        FftSpec.of(Kind.FORWARD, step.precision(), columns, mine)
            .withScale(1.0 / grid.shape().count());
    try (FftPlan plan = engine.plan(rows);
        Arena temporary = Arena.ofConfined()) {
      plan.execute(spectrum, spectrum, temporary.allocate(Math.max(plan.workspaceBytes(), 1), 64));
    }
  }

  /** Transforms the columns of the chirp; keeps some rows. */
  private void columns(FftEngine engine, long firstRow, long mine) {
    DType type = step.type();
    long n = step.points();
    long rows = step.grid().shape().extent(0);
    long columns = step.grid().shape().extent(1);
    RootsOfUnity roots = new RootsOfUnity(2 * n, true);
    FftSpec spec =
        new FftSpec(Kind.FORWARD, step.precision(), rows, COLUMNS, COLUMNS, 1, COLUMNS, 1);
    try (Arena temporary = Arena.ofConfined();
        FftPlan plan = engine.plan(spec)) {
      MemorySegment block = temporary.allocate(spec.inBytes(), 64);
      MemorySegment work = temporary.allocate(Math.max(plan.workspaceBytes(), 1), 64);
      for (long column = 0; mine > 0 && column < columns; column += COLUMNS) {
        long count = Math.min(COLUMNS, columns - column);
        for (long row = 0; row < rows; row++) {
          for (long c = 0; c < count; c++) {
            long j = row * columns + column + c;
            j = Math.min(j, rows * columns - j);
            long power = Math.multiplyExact(j, j) % (2 * n);
            double re = j < n ? roots.real(power) : 0;
            double im = j < n ? roots.imaginary(power) : 0;
            Numbers.set(type, block, row * COLUMNS + c, re, im);
          }
        }
        plan.execute(block, block, work);
        for (long row = 0; row < mine; row++) {
          MemorySegment.copy(
              block,
              type.bytes((firstRow + row) * COLUMNS),
              spectrum,
              type.bytes(row * columns + column),
              type.bytes(count));
        }
      }
    }
  }

  @Override
  public void start(MemorySegment in, MemorySegment out, MemorySegment workspace) {
    DType type = step.type();
    for (long i = 0; i < elements; i++) {
      double re = Numbers.real(type, in, i);
      double im = Numbers.imaginary(type, in, i);
      double c = Numbers.real(type, spectrum, i);
      double s = Numbers.imaginary(type, spectrum, i);
      s = step.inverse() ? -s : s;
      Numbers.set(type, out, i, re * c - im * s, re * s + im * c);
    }
  }

  @Override
  public long inBytes() {
    return step.type().bytes(elements);
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
  public long bufferBytes() {
    return spectrum.byteSize();
  }

  @Override
  public void close() {
    lent.close();
  }

  @Override
  public String toString() {
    return "spectrum of %d elements times that of a chirp of %d points"
        .formatted(step.grid().shape().count(), step.points());
  }
}
