package dev.rialto.fft.stage;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;

/**
 * The place of the first half of a spectrum after a real line of n points was transformed as a
 * matrix.
 *
 * <p>Result X[k] with k = row + rows · column is in the matrix for the first rows/2+1 rows only.
 * All others are the conjugates of X[n-k], which is on the same rank as the row that theirs
 * mirrors. So each rank makes a second row of each of its rows, from its end, and of both keeps the
 * columns up to k = n/2: as much as there was. Then the matrix is transposed, and is the line.
 *
 * @param n the real points
 * @param rows the rows of the matrix of n points
 * @param ranks among how many
 */
public record HalfSpectrum(long n, long rows, int ranks) {
  /** Returns the columns of the matrix of n points. */
  public long columns() {
    return n / rows;
  }

  /** Returns the rows that are there; the others mirror them. */
  public long kept() {
    return rows / 2 + 1;
  }

  /** Returns the columns that have results up to n/2. */
  public long wanted() {
    return n / 2 / rows + 1;
  }

  /** Returns the matrix whose rows were transformed. */
  public Grid matrix() {
    return Grid.block(Shape.of(kept(), columns()), ranks, 1);
  }

  /** Returns (column, which of two, row), each rank with rows. */
  public Grid byRows() {
    return Grid.block(Shape.of(wanted(), 2, kept()), 1, 1, ranks).withOrder(2, 1, 0);
  }

  public Grid byColumns() {
    return Grid.block(Shape.of(wanted(), 2, kept()), ranks, 1, 1);
  }

  /** Returns the line of n/2+1 results. */
  public Grid line() {
    Partition columns = Partition.block(wanted(), ranks);
    long[] lengths = new long[ranks];
    Arrays.setAll(
        lengths,
        part -> {
          long first = columns.first(part) * rows;
          return Math.clamp(n / 2 + 1 - first, 0, columns.count(part) * rows);
        });
    return Grid.of(Partition.blocks(lengths));
  }
}
