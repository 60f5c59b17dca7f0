package dev.rialto.sparse.problem;

import java.util.SplittableRandom;

/**
 * A matrix with entries at random distances from the diagonal, which dominates: solvable by every
 * method. Any rank computes any row.
 */
public final class RandomMatrix implements Problem {
  private final long size;
  private final long seed;
  private final boolean symmetric;
  private final long[] distances;

  private RandomMatrix(long size, int entries, boolean symmetric, long seed) {
    this.size = size;
    this.seed = seed;
    this.symmetric = symmetric;
    long most = Math.max(2, size);
    this.distances =
        new SplittableRandom(seed)
            .longs(1, most)
            .distinct()
            .limit(Math.min(entries, most - 1))
            .toArray();
  }

  /**
   * Makes a matrix.
   *
   * @param size how many rows
   * @param entries how many entries rows have on either side of the diagonal, at most
   */
  public static RandomMatrix of(long size, int entries, boolean symmetric, long seed) {
    if (size < 1 || entries < 0) {
      throw new IllegalArgumentException(
          "%d rows of %d entries; give at least 1 and 0".formatted(size, entries));
    }
    return new RandomMatrix(size, entries, symmetric, seed);
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public double row(long row, Row entries) {
    double sum = 1;
    for (long distance : distances) {
      for (long column : new long[] {row - distance, row + distance}) {
        if (column >= 0 && column < size) {
          double value = -value(row, column);
          entries.entry(column, value);
          sum += 1;
        }
      }
    }
    entries.entry(row, sum);
    return value(row, -1);
  }

  /** A number from 0 to 1 that depends on the place alone. */
  private double value(long row, long column) {
    long low = symmetric ? Math.min(row, column) : row;
    long high = symmetric ? Math.max(row, column) : column;
    return new SplittableRandom(seed ^ (low * 0x9e3779b97f4a7c15L + high)).nextDouble();
  }
}
