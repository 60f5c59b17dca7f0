package dev.rialto.sparse.local;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.data.DType;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The loops of all formats for one element type; see {@link LocalMatrix#multiply} for the
 * arguments.
 */
interface MatrixKernels {
  static MatrixKernels of(DType type) {
    return requireNonNull(Loaded.BY_TYPE.get(Specialized.checked(type)));
  }

  /** The loops of each type. */
  final class Loaded {
    private static final Map<DType, MatrixKernels> BY_TYPE =
        Specialized.forEach(MethodHandles.lookup(), MatrixKernels.class, MatrixLoops.class);

    private Loaded() {}
  }

  /**
   * Sets {@code y = a sums + b y} for the elements of a range, and the sums to zeros. Sums are the
   * addresses of {@link RowSums}.
   */
  void finish(int from, int to, long sums, Scalar a, Scalar b, long y, int stride);

  /**
   * Gathers row by row; row {@code i} of the result is {@code rowIndex[i]}, or i where it is null.
   *
   * @param own the elements of x that belong to rows, for the product: x, unless columns are others
   */
  void gatherRows(
      int rows,
      int[] starts,
      int[] columns,
      Values values,
      int @Nullable [] rowIndex,
      boolean conjugate,
      Scalar a,
      long x,
      long own,
      Scalar b,
      long y,
      int stride,
      double @Nullable [] dot);

  /** Adds {@code op(A) x} to sums, row by row, rows of A being those of {@code gatherRows}. */
  void scatterRows(
      int rows,
      int[] starts,
      int[] columns,
      Values values,
      int @Nullable [] rowIndex,
      boolean conjugate,
      long x,
      int stride,
      long sums);

  /** Adds {@code A x} to sums for entries with row and column. */
  void coordinates(
      int entries, int[] rows, int[] columns, Values values, long x, int stride, long sums);

  /**
   * Slices of {@link Sell#SLICE} rows, entry by entry; {@code order[i]} is the row of place i.
   *
   * @param sums where the sums of rows go instead of to y; 0 if they do not
   */
  void slices(
      int rows,
      int[] sliceStarts,
      int[] order,
      int[] columns,
      Values values,
      Scalar a,
      long x,
      Scalar b,
      long y,
      int stride,
      long sums,
      double @Nullable [] dot);

  /** Adds diagonals; diagonal d has the rows {@code from[d]} to {@code to[d]}. */
  void diagonals(
      int rows,
      int[] offsets,
      int[] from,
      int[] to,
      int[] starts,
      Values values,
      Scalar a,
      long x,
      Scalar b,
      long y,
      int stride,
      double @Nullable [] dot);
}
