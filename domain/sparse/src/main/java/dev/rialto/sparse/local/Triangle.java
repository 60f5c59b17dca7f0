package dev.rialto.sparse.local;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A triangular matrix to solve with; the inverses of its diagonal are kept apart. */
public final class Triangle {
  private final int rows;
  private final int[] starts;
  private final int[] columns;
  private final Values values;
  private final @Nullable Values inverse;
  private final boolean upper;

  Triangle(int[] starts, int[] columns, Values values, @Nullable Values inverse, boolean upper) {
    this.rows = starts.length - 1;
    this.starts = starts;
    this.columns = columns;
    this.values = values;
    this.inverse = inverse;
    this.upper = upper;
  }

  /**
   * Takes a triangle of a square matrix.
   *
   * @param upper the upper one; otherwise the lower
   * @param unit the diagonal counts as ones
   * @throws ArithmeticException if an element of the diagonal is 0 and {@code unit} is not set
   */
  public static Triangle of(Csr matrix, boolean upper, boolean unit) {
    int rows = matrix.rows();
    int[] from = matrix.starts();
    int[] starts = new int[rows + 1];
    int[] columns = new int[matrix.columnIndex().length];
    Values values = Values.zeros(matrix.type(), columns.length);
    Values inverse = unit ? null : Values.zeros(matrix.type(), rows);
    int count = 0;
    for (int i = 0; i < rows; i++) {
      for (int k = from[i]; k < from[i + 1]; k++) {
        int column = matrix.columnIndex()[k];
        if (upper ? column > i : column < i) {
          columns[count] = column;
          values.copy(count++, matrix.values(), k);
        }
      }
      starts[i + 1] = count;
      if (inverse != null) {
        int k = matrix.find(i, i);
        Scalar diagonal =
            k < 0 ? Scalar.ZERO : new Scalar(matrix.values().re(k), matrix.values().im(k));
        if (diagonal.isZero()) {
          throw new ArithmeticException("the diagonal of row " + i + " is 0");
        }
        Scalar inverted = Scalar.ONE.over(diagonal);
        inverse.set(i, inverted.re(), inverted.im());
      }
    }
    return new Triangle(starts, Arrays.copyOf(columns, count), values.first(count), inverse, upper);
  }

  int rows() {
    return rows;
  }

  DType type() {
    return values.type();
  }

  /** Returns how many entries there are, the diagonal not counted. */
  public int entries() {
    return columns.length;
  }

  /** Returns the bytes that a solve reads and writes at least, vectors included. */
  long bytes() {
    long inverses = inverse == null ? 0 : rows;
    return 4L * (starts.length + columns.length)
        + values.type().bytes(columns.length + inverses + 2L * rows);
  }

  /**
   * Solves {@code op(T) x = x}, in place.
   *
   * @throws IndexOutOfBoundsException if the vector is too short
   */
  public void solve(Op op, MemorySegment x) {
    solve(op, x, x);
  }

  /**
   * Solves {@code op(T) x = b}; both may be the same vector.
   *
   * @throws IndexOutOfBoundsException if a vector is too short
   */
  public void solve(Op op, MemorySegment b, MemorySegment x) {
    long bytes = values.type().bytes(rows);
    for (MemorySegment vector : new MemorySegment[] {b, x}) {
      Objects.checkFromIndexSize(0, bytes, vector.byteSize());
      if (!vector.isNative() || !vector.scope().isAlive()) {
        throw new IllegalStateException("the vector is closed or not native memory");
      }
    }
    try {
      TriangleKernels kernels = TriangleKernels.of(values.type());
      if (op == Op.NONE) {
        kernels.solveRows(rows, starts, columns, values, inverse, upper, b.address(), x.address());
      } else {
        if (b.address() != x.address()) {
          MemorySegment.copy(b, 0, x, 0, bytes);
        }
        kernels.solveColumns(
            rows, starts, columns, values, inverse, !upper, op == Op.ADJOINT, x.address());
      }
    } finally {
      Reference.reachabilityFence(b);
      Reference.reachabilityFence(x);
    }
  }
}
