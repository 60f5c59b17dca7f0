package dev.rialto.sparse.local;

import dev.rialto.spi.data.DType;
import java.lang.invoke.MethodHandles;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The loops of all formats for one element type; see {@link LocalMatrix#multiply} for the
 * arguments.
 */
interface MatrixKernels {
  static MatrixKernels of(DType type) {
    return Objects.requireNonNull(Loaded.BY_TYPE.get(Specialized.checked(type)));
  }

  /** The loops of each type. */
  final class Loaded {
    private static final Map<DType, MatrixKernels> BY_TYPE = new EnumMap<>(DType.class);

    static {
      for (DType type : new DType[] {DType.F32, DType.F64, DType.C64, DType.C128}) {
        BY_TYPE.put(
            type,
            Specialized.of(MethodHandles.lookup(), MatrixKernels.class, MatrixLoops.class, type));
      }
    }

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

  /**
   * Solves {@code T x = b} with a triangle; b and x may be the same.
   *
   * @param inverse the inverses of the diagonal; null for a diagonal of ones
   * @param upward from the last row to the first
   */
  void solveRows(
      int rows,
      int[] starts,
      int[] columns,
      Values values,
      @Nullable Values inverse,
      boolean upward,
      long b,
      long x);

  /** Solves with the transpose of a triangle that is stored by rows, in place. */
  void solveColumns(
      int rows,
      int[] starts,
      int[] columns,
      Values values,
      @Nullable Values inverse,
      boolean upward,
      boolean conjugate,
      long x);
}
