package dev.rialto.sparse.local;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An incomplete factorization L U of a square matrix, L having a diagonal of ones.
 *
 * <p>Row by row: the entries of a row are a linked list in ascending order of columns, into which
 * fill-in is inserted where the rule lets it. ILU(k) lets in what is at most k steps away from the
 * pattern; ILUT lets in anything and afterwards drops what is small, keeping so many entries in
 * each half of a row.
 */
public final class Ilu {
  private final Triangle lower;
  private final Triangle upper;

  private Ilu(Triangle lower, Triangle upper) {
    this.lower = lower;
    this.upper = upper;
  }

  /**
   * Factors by levels of fill.
   *
   * @param level 0 to keep the pattern of the matrix
   * @throws ArithmeticException if a pivot is 0 or not finite, with its row
   */
  public static Ilu levels(Csr matrix, int level) {
    if (level < 0) {
      throw new IllegalArgumentException("level " + level + "; give 0 or more");
    }
    return new Factoring(matrix, level, 0, Integer.MAX_VALUE).run();
  }

  /**
   * Factors by size.
   *
   * @param drop entries below so much of their row's mean size are dropped
   * @param fill how many entries the rows of each factor keep at most
   * @throws ArithmeticException if a pivot is 0 or not finite, with its row
   */
  public static Ilu threshold(Csr matrix, double drop, int fill) {
    if (!(drop >= 0) || fill < 0) {
      throw new IllegalArgumentException(
          "drop %g and fill %d; give 0 or more".formatted(drop, fill));
    }
    return new Factoring(matrix, Integer.MAX_VALUE, drop, fill).run();
  }

  /** Returns how many entries both factors have, diagonals not counted. */
  public long entries() {
    return (long) lower.entries() + upper.entries();
  }

  /** Returns the bytes that a solve reads and writes at least, vectors included. */
  public long bytes() {
    return lower.bytes() + upper.bytes();
  }

  /** Returns how many rows there are. */
  public int rows() {
    return lower.rows();
  }

  /** Returns the element type. */
  public DType type() {
    return lower.type();
  }

  /** Solves {@code op(L U) x = b}; both may be the same vector. */
  public void solve(Op op, MemorySegment b, MemorySegment x) {
    (op == Op.NONE ? lower : upper).solve(op, b, x);
    (op == Op.NONE ? upper : lower).solve(op, x);
  }

  /** A growing list of rows of one factor. */
  private static final class Factor {
    final int[] starts;
    int[] columns;
    int[] levels;
    double[] re;
    double[] im;
    int count;

    Factor(int rows, int guess, boolean complex) {
      starts = new int[rows + 1];
      columns = new int[guess];
      levels = new int[guess];
      re = new double[guess];
      im = new double[complex ? guess : 0];
    }

    void add(int column, int level, double real, double imaginary) {
      if (count == columns.length) {
        int more = 2 * count;
        columns = Arrays.copyOf(columns, more);
        levels = Arrays.copyOf(levels, more);
        re = Arrays.copyOf(re, more);
        im = im.length > 0 ? Arrays.copyOf(im, more) : im;
      }
      columns[count] = column;
      levels[count] = level;
      re[count] = real;
      if (im.length > 0) {
        im[count] = imaginary;
      }
      count++;
    }

    Triangle triangle(DType type, @Nullable Values inverse) {
      Values values = Values.zeros(type, count);
      for (int k = 0; k < count; k++) {
        values.set(k, re[k], im.length > 0 ? im[k] : 0);
      }
      return new Triangle(starts, Arrays.copyOf(columns, count), values, inverse, inverse != null);
    }
  }

  /** One factorization under way. */
  private static final class Factoring {
    private final Csr matrix;
    private final int rows;
    private final boolean complex;
    private final int level;
    private final double drop;
    private final int fill;
    private final boolean bySize;
    private final Factor l;
    private final Factor u;
    private final Values inverse;

    /** The row under way: the next column of each, -1 for those that are not in it. */
    private final int[] next;

    private final int[] levels;
    private final double[] re;
    private final double[] im;

    Factoring(Csr matrix, int level, double drop, int fill) {
      this.matrix = matrix;
      this.rows = matrix.rows();
      this.complex = Numbers.isComplex(matrix.type());
      this.level = level;
      this.drop = drop;
      this.fill = fill;
      this.bySize = level == Integer.MAX_VALUE;
      int guess = (int) (matrix.entries() / 2 + 16);
      this.l = new Factor(rows, guess, complex);
      this.u = new Factor(rows, guess, complex);
      this.inverse = Values.zeros(matrix.type(), rows);
      this.next = new int[rows + 1];
      this.levels = new int[rows];
      this.re = new double[rows];
      this.im = new double[rows];
      Arrays.fill(next, -1);
    }

    Ilu run() {
      for (int i = 0; i < rows; i++) {
        double tolerance = load(i);
        eliminate(i, tolerance);
        store(i, tolerance);
      }
      return new Ilu(l.triangle(matrix.type(), null), u.triangle(matrix.type(), inverse));
    }

    /** Makes the list of row i, its diagonal always in it; returns the size to drop below. */
    private double load(int i) {
      int last = rows;
      double norm = 0;
      boolean diagonal = false;
      int start = matrix.starts()[i];
      int end = matrix.starts()[i + 1];
      for (int k = start; k < end; k++) {
        int column = matrix.columnIndex()[k];
        if (column > i && !diagonal) {
          last = append(last, i, 0, 0);
          diagonal = true;
        }
        diagonal |= column == i;
        last = append(last, column, matrix.values().re(k), matrix.values().im(k));
        norm += bySize ? Math.hypot(re[column], im[column]) : 0;
      }
      if (!diagonal) {
        last = append(last, i, 0, 0);
      }
      next[last] = rows;
      return drop * norm / Math.max(1, end - start);
    }

    private int append(int last, int column, double real, double imaginary) {
      next[last] = column;
      re[column] = real;
      im[column] = imaginary;
      levels[column] = 0;
      return column;
    }

    private void eliminate(int i, double tolerance) {
      int before = rows;
      for (int k = next[rows]; k < i; k = next[before]) {
        double pr = inverse.re(k);
        double pi = inverse.im(k);
        double wr = complex ? re[k] * pr - im[k] * pi : re[k] * pr;
        double wi = complex ? re[k] * pi + im[k] * pr : 0;
        if (bySize && Math.hypot(wr, wi) < tolerance) {
          next[before] = next[k];
          next[k] = -1;
          continue;
        }
        re[k] = wr;
        im[k] = wi;
        int place = k;
        for (int at = u.starts[k]; at < u.starts[k + 1]; at++) {
          int column = u.columns[at];
          int reach = bySize ? 0 : levels[k] + u.levels[at] + 1;
          if (next[column] < 0) {
            if (reach > level) {
              continue;
            }
            while (next[place] < column) {
              place = next[place];
            }
            next[column] = next[place];
            next[place] = column;
            re[column] = 0;
            im[column] = 0;
            levels[column] = reach;
          }
          levels[column] = Math.min(levels[column], reach);
          re[column] -= wr * u.re[at];
          if (complex) {
            re[column] += wi * u.im[at];
            im[column] -= wr * u.im[at] + wi * u.re[at];
          }
        }
        before = k;
      }
    }

    /** Moves the list to the factors and empties it. */
    private void store(int i, double tolerance) {
      double leastLower = bySize ? Math.max(tolerance, smallestKept(i, true)) : 0;
      double leastUpper = bySize ? Math.max(tolerance, smallestKept(i, false)) : 0;
      int column = next[rows];
      while (column < rows) {
        double size = bySize ? Math.hypot(re[column], im[column]) : 1;
        if (column == i) {
          pivot(i);
        } else if (size >= (column < i ? leastLower : leastUpper)) {
          (column < i ? l : u).add(column, levels[column], re[column], im[column]);
        }
        int following = next[column];
        next[column] = -1;
        column = following;
      }
      l.starts[i + 1] = l.count;
      u.starts[i + 1] = u.count;
    }

    /** Returns the size of the smallest entry to keep in a half of the row. */
    private double smallestKept(int i, boolean low) {
      double[] sizes = new double[16];
      int count = 0;
      for (int c = next[rows]; c < rows; c = next[c]) {
        if (low ? c < i : c > i) {
          if (count == sizes.length) {
            sizes = Arrays.copyOf(sizes, 2 * count);
          }
          sizes[count++] = Math.hypot(re[c], im[c]);
        }
      }
      if (count <= fill) {
        return 0;
      }
      Arrays.sort(sizes, 0, count);
      return fill == 0 ? Double.POSITIVE_INFINITY : sizes[count - fill];
    }

    private void pivot(int i) {
      Scalar pivot = new Scalar(re[i], im[i]);
      if (pivot.isZero() || !pivot.isFinite()) {
        throw new ArithmeticException("the pivot of row " + i + " is " + pivot);
      }
      Scalar inverted = Scalar.ONE.over(pivot);
      inverse.set(i, inverted.re(), inverted.im());
    }
  }
}
