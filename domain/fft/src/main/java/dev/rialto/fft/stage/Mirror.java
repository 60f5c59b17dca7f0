package dev.rialto.fft.stage;

import dev.rialto.exchange.plan.Partition;
import dev.rialto.fft.engine.Numbers;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * The local steps of a {@link HalfSpectrum}: from rows to rows and their mirrors, and from columns
 * of both to the line; or back.
 */
public final class Mirror implements Stage {
  private final HalfSpectrum spectrum;
  private final boolean line;
  private final boolean inverse;
  private final DType type;

  /** The first row here, or column if it is the line, and how many there are. */
  private final long first;

  private final long count;
  private final long results;

  public Mirror(Step.Mirror step, int rank) {
    this.spectrum = step.spectrum();
    this.line = step.line();
    this.inverse = step.inverse();
    this.type = step.type();
    Partition dealt = line ? spectrum.byColumns().axis(0) : spectrum.byRows().axis(2);
    this.first = dealt.first(rank);
    this.count = dealt.count(rank);
    this.results = spectrum.line().localCount(rank);
  }

  @Override
  public void start(MemorySegment in, MemorySegment out, MemorySegment workspace) {
    if (line) {
      line(in, out);
    } else if (inverse) {
      toRows(in, out);
    } else {
      fromRows(in, out);
    }
  }

  private void fromRows(MemorySegment rows, MemorySegment both) {
    long columns = spectrum.columns();
    long wanted = spectrum.wanted();
    for (long row = 0; row < count; row++) {
      long at = 2 * wanted * row;
      for (long column = 0; column < wanted; column++) {
        copy(rows, columns * row + column, both, at + column, false);
        copy(rows, columns * (row + 1) - 1 - column, both, at + wanted + column, true);
      }
    }
  }

  private void toRows(MemorySegment both, MemorySegment rows) {
    long columns = spectrum.columns();
    long wanted = spectrum.wanted();
    for (long row = 0; row < count; row++) {
      long at = 2 * wanted * row;
      for (long column = 0; column < columns; column++) {
        boolean there = first + row + spectrum.rows() * column <= spectrum.n() / 2;
        copy(
            both,
            at + (there ? column : mirrored(first + row, column)),
            rows,
            columns * row + column,
            !there);
      }
    }
  }

  /**
   * Returns where both rows of a row have the conjugate of what is in a column; two mirror
   * themselves.
   */
  private long mirrored(long row, long column) {
    long from = spectrum.columns() - (row == 0 ? 0 : 1) - column;
    return row == 0 || 2 * row == spectrum.rows() ? from : spectrum.wanted() + from;
  }

  private void line(MemorySegment in, MemorySegment out) {
    long rows = spectrum.rows();
    long kept = spectrum.kept();
    for (long result = 0; result < results; result++) {
      long row = result % rows;
      long at = 2 * kept * (result / rows) + (row < kept ? row : kept + rows - row);
      if (inverse) {
        copy(in, result, out, at, false);
      } else {
        copy(in, at, out, result, false);
      }
    }
  }

  private void copy(MemorySegment in, long from, MemorySegment out, long to, boolean conjugate) {
    double im = Numbers.imaginary(type, in, from);
    Numbers.set(type, out, to, Numbers.real(type, in, from), conjugate ? -im : im);
  }

  private long bothBytes() {
    return type.bytes(count * 2 * (line ? spectrum.kept() : spectrum.wanted()));
  }

  private long otherBytes() {
    return type.bytes(line ? results : count * spectrum.columns());
  }

  @Override
  public long inBytes() {
    return line == inverse ? otherBytes() : bothBytes();
  }

  @Override
  public long outBytes() {
    return line == inverse ? bothBytes() : otherBytes();
  }

  @Override
  public String toString() {
    return (line ? "columns as the line" : "rows and their mirrors")
        + " of %d results of %d real points".formatted(spectrum.n() / 2 + 1, spectrum.n());
  }
}
