package dev.rialto.sparse.local;

import java.lang.ref.Reference;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Rows one after the other, columns ascending within a row and each at most once.
 *
 * <p>Optionally only some rows are stored, each with its number: what a matrix has in the columns
 * of other ranks concerns few rows.
 */
public final class Csr extends LocalMatrix {
  private final int[] starts;
  private final int[] columnIndex;
  private final Values values;
  private final int @Nullable [] rowIndex;

  /** The sums of a transposed product, zeros between products; made when there is one. */
  private @Nullable RowSums sums;

  private int lowest = Integer.MAX_VALUE;

  private Csr(
      int rows,
      int columns,
      int[] starts,
      int[] columnIndex,
      Values values,
      int @Nullable [] rowIndex) {
    super(values.type(), rows, columns);
    this.starts = starts;
    this.columnIndex = columnIndex;
    this.values = values;
    this.rowIndex = rowIndex;
  }

  /**
   * Makes a matrix of arrays, which it keeps.
   *
   * @param starts where each row starts, and where the last ends: one more than rows
   * @throws IllegalArgumentException if starts do not ascend to the number of values, or columns do
   *     not ascend within a row, or one is out of range
   */
  public static Csr of(int rows, int columns, int[] starts, int[] columnIndex, Values values) {
    if (starts.length != rows + 1
        || starts[0] != 0
        || starts[rows] != columnIndex.length
        || columnIndex.length != values.size()) {
      throw new IllegalArgumentException(
          "%d rows with %d starts, %d columns and %d values; give rows + 1 starts from 0 to the "
                  .formatted(rows, starts.length, columnIndex.length, values.size())
              + "number of values");
    }
    for (int i = 0; i < rows; i++) {
      int before = -1;
      for (int k = starts[i]; k < starts[i + 1]; k++) {
        if (columnIndex[k] <= before || columnIndex[k] >= columns) {
          throw new IllegalArgumentException(
              "row %d has column %d after %d; columns ascend and are below %d"
                  .formatted(i, columnIndex[k], before, columns));
        }
        before = columnIndex[k];
      }
    }
    return new Csr(rows, columns, starts, columnIndex, values, null);
  }

  /**
   * Makes a matrix of some rows for products only, which keeps the arrays.
   *
   * @param columnIndex the columns of each row, in the order in which they are to be summed
   * @param rowIndex the number of each row
   */
  public static Csr ofRows(
      int rows, int columns, int[] starts, int[] columnIndex, Values values, int[] rowIndex) {
    return new Csr(rows, columns, starts, columnIndex, values, rowIndex);
  }

  /** Returns the number of each row that is stored; null if all are. It must not be changed. */
  public int @Nullable [] rowIndex() {
    return rowIndex;
  }

  /** Returns the same matrix with its empty rows left out, for products only. */
  public Csr withoutEmptyRows() {
    int[] index = new int[rows()];
    int[] packed = new int[rows() + 1];
    int count = 0;
    for (int i = 0; i < rows(); i++) {
      if (starts[i + 1] > starts[i]) {
        index[count] = i;
        packed[++count] = starts[i + 1];
      }
    }
    return new Csr(
        rows(),
        columns(),
        Arrays.copyOf(packed, count + 1),
        columnIndex,
        values,
        Arrays.copyOf(index, count));
  }

  /** Returns where each row starts, and the end: the matrix's own array, not to be changed. */
  public int[] starts() {
    return starts;
  }

  /** Returns the column of each entry: the matrix's own array, not to be changed. */
  public int[] columnIndex() {
    return columnIndex;
  }

  /** Returns the matrix's own values. */
  public Values values() {
    return values;
  }

  /** Returns where an entry is, or a negative number if the pattern does not have it. */
  public int find(int row, int column) {
    return Arrays.binarySearch(columnIndex, starts[row], starts[row + 1], column);
  }

  /** Converts to another format. */
  public LocalMatrix to(Format format) {
    return switch (format) {
      case COO -> Coo.of(this);
      case CSR -> this;
      case CSC -> Csc.of(this);
      case ELL -> Ell.of(this);
      case SELL -> Sell.of(this);
      case DIA -> Dia.of(this);
      case HYB -> Hyb.of(this);
    };
  }

  /** Returns the transpose. */
  public Csr transposed() {
    int[] count = new int[columns() + 1];
    for (int column : columnIndex) {
      count[column + 1]++;
    }
    Arrays.parallelPrefix(count, Integer::sum);
    int[] next = count.clone();
    int[] index = new int[columnIndex.length];
    Values turned = Values.zeros(type(), values.size());
    for (int i = 0; i < rows(); i++) {
      for (int k = starts[i]; k < starts[i + 1]; k++) {
        int at = next[columnIndex[k]]++;
        index[at] = i;
        turned.copy(at, values, k);
      }
    }
    return new Csr(columns(), rows(), count, index, turned, null);
  }

  @Override
  public Format format() {
    return Format.CSR;
  }

  @Override
  public long entries() {
    return columnIndex.length;
  }

  @Override
  public long bytes() {
    return entries() * (4L + type().size())
        + 4L * starts.length
        + (rowIndex == null ? 0 : 4L * rowIndex.length);
  }

  @Override
  public void multiply(
      Op op, Scalar a, long x, Scalar b, long y, int stride, double @Nullable [] dot) {
    if (op == Op.NONE) {
      gather(false, a, x, b, y, stride, dot);
    } else {
      scatter(op == Op.ADJOINT, a, x, b, y, stride);
    }
  }

  /** Sets {@code y = a A x + b y}, or with the conjugate of A, row by row. */
  void gather(
      boolean conjugate, Scalar a, long x, Scalar b, long y, int stride, double @Nullable [] dot) {
    gather(conjugate, a, x, x, b, y, stride, dot);
  }

  /**
   * Adds {@code a A x} to y, where the columns are those of other ranks.
   *
   * @param own the elements of the vector that belong to the rows
   * @param dot where to add the product of those with what is added to y; null if not wanted
   */
  public void addRows(Scalar a, long x, long own, long y, int stride, double @Nullable [] dot) {
    gather(false, a, x, own, Scalar.ONE, y, stride, dot);
  }

  private void gather(
      boolean conjugate,
      Scalar a,
      long x,
      long own,
      Scalar b,
      long y,
      int stride,
      double @Nullable [] dot) {
    kernels.gatherRows(
        starts.length - 1,
        starts,
        columnIndex,
        values,
        rowIndex,
        conjugate,
        a,
        x,
        own,
        b,
        y,
        stride,
        dot);
  }

  /** Sets {@code y = a Aᵀ x + b y}, or with the conjugate, through sums of their own. */
  void scatter(boolean conjugate, Scalar a, long x, Scalar b, long y, int stride) {
    RowSums all = sums;
    if (all == null) {
      all = new RowSums(type(), columns());
      sums = all;
      for (int column : columnIndex) {
        lowest = Math.min(lowest, column);
      }
    }
    try {
      kernels.scatterRows(
          starts.length - 1,
          starts,
          columnIndex,
          values,
          rowIndex,
          conjugate,
          x,
          stride,
          all.address());
      // Adding nothing to columns without entries can be left out.
      int first = b.equals(Scalar.ONE) ? Math.min(lowest, columns()) : 0;
      kernels.finish(first, columns(), all.address(), a, b, y, stride);
    } finally {
      Reference.reachabilityFence(all);
    }
  }
}
