package dev.rialto.sparse.local;

import dev.rialto.spi.data.DType;
import org.jspecify.annotations.Nullable;

/**
 * A sparse matrix in the memory of one rank. Immutable but for the values of {@link Csr}.
 *
 * <p>In every format an element of a product is one sum in double precision, in ascending order of
 * columns, or of rows for a transposed product, which is scaled, added to what was there and
 * rounded to the type once. So formats differ in speed alone, as long as vectors are finite. Used
 * by one thread at a time.
 */
public abstract sealed class LocalMatrix permits Coo, Csr, Csc, Ell, Sell, Dia, Hyb {
  private final int rows;
  private final int columns;
  private final DType type;

  /** The loops for this matrix's type. */
  final MatrixKernels kernels;

  LocalMatrix(DType type, int rows, int columns) {
    this.type = type;
    this.rows = rows;
    this.columns = columns;
    this.kernels = MatrixKernels.of(type);
  }

  /** Returns the number of rows. */
  public final int rows() {
    return rows;
  }

  /** Returns the number of columns. */
  public final int columns() {
    return columns;
  }

  /** Returns the element type. */
  public final DType type() {
    return type;
  }

  /** Returns the format. */
  public abstract Format format();

  /** Returns how many entries there are, padding not counted. */
  public abstract long entries();

  /** Returns the bytes that a product reads of the matrix itself. */
  public abstract long bytes();

  /**
   * Sets {@code y = a op(A) x + b y}, or adds to y where {@code b} is 1; with {@code b} 0, y is not
   * read. The vectors are addresses whose memory the caller has checked.
   *
   * @param stride the distance between the elements of a vector: the columns of a multivector
   * @param dot where to add {@code conj(x)·y}, real and imaginary part, for a square matrix, {@link
   *     Op#NONE} and {@code b} 0, in the order of {@link VectorKernels#dot}; for a matrix of some
   *     rows, of what this product adds to y; null if not wanted
   */
  public abstract void multiply(
      Op op, Scalar a, long x, Scalar b, long y, int stride, double @Nullable [] dot);

  @Override
  public String toString() {
    return "%s %dx%d, %d entries of %s".formatted(format(), rows, columns, entries(), type);
  }
}
