package dev.rialto.sparse.local;

import static dev.rialto.sparse.local.Numbers.im;
import static dev.rialto.sparse.local.Numbers.re;
import static dev.rialto.sparse.local.Numbers.set;

import dev.rialto.spi.data.DType;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/** The loops that {@link Specialized} copies for each type. */
final class TriangleLoops implements TriangleKernels {
  private static final DType T = Specialized.type(MethodHandles.lookup());
  private static final boolean COMPLEX = Numbers.isComplex(T);
  private static final boolean DOUBLE = Numbers.isDouble(T);

  @Override
  public void solveRows(
      int rows,
      int[] starts,
      int[] columns,
      Values values,
      @Nullable Values inverse,
      boolean upward,
      long b,
      long x) {
    double[] doubles = values.doubles;
    float[] floats = values.floats;
    if (!COMPLEX && inverse == null && !upward) {
      solveDown(rows, starts, columns, doubles, floats, b, x);
      return;
    }
    if (!COMPLEX && inverse != null && upward) {
      solveUp(rows, starts, columns, doubles, floats, inverse, b, x);
      return;
    }
    for (int n = 0; n < rows; n++) {
      int i = upward ? rows - 1 - n : n;
      double sr = re(T, b, i);
      double si = COMPLEX ? im(T, b, i) : 0;
      for (int k = starts[i]; k < starts[i + 1]; k++) {
        double v = re(T, doubles, floats, k);
        double xr = re(T, x, columns[k]);
        sr -= v * xr;
        if (COMPLEX) {
          double w = im(T, doubles, floats, k, false);
          double xi = im(T, x, columns[k]);
          sr += w * xi;
          si -= v * xi + w * xr;
        }
      }
      setScaled(x, i, inverse, false, sr, si);
    }
  }

  /**
   * The lower triangle of a factorization. A row mostly needs the one before, whose result is still
   * in a register: reading it back from memory would make every row wait for the store.
   */
  private static void solveDown(
      int rows, int[] starts, int[] columns, double[] doubles, float[] floats, long b, long x) {
    double last = 0;
    for (int i = 0; i < rows; i++) {
      int end = starts[i + 1] - 1;
      double sum = re(T, b, i);
      for (int k = starts[i]; k < end; k++) {
        sum -= re(T, doubles, floats, k) * re(T, x, columns[k]);
      }
      if (end >= starts[i]) {
        int column = columns[end];
        sum -= re(T, doubles, floats, end) * (column == i - 1 ? last : re(T, x, column));
      }
      last = DOUBLE ? sum : (float) sum;
      set(T, x, i, sum, 0);
    }
  }

  /**
   * The upper triangle, from the last row to the first; entries from the farthest to the nearest.
   */
  private static void solveUp(
      int rows,
      int[] starts,
      int[] columns,
      double[] doubles,
      float[] floats,
      Values inverse,
      long b,
      long x) {
    double last = 0;
    for (int i = rows - 1; i >= 0; i--) {
      int start = starts[i];
      double sum = re(T, b, i);
      for (int k = starts[i + 1] - 1; k > start; k--) {
        sum -= re(T, doubles, floats, k) * re(T, x, columns[k]);
      }
      if (starts[i + 1] > start) {
        int column = columns[start];
        sum -= re(T, doubles, floats, start) * (column == i + 1 ? last : re(T, x, column));
      }
      sum *= re(T, inverse.doubles, inverse.floats, i);
      last = DOUBLE ? sum : (float) sum;
      set(T, x, i, sum, 0);
    }
  }

  /** Adds {@code (v + w i) (xr + xi i)} to an element of y. */
  private static void addElement(long y, long at, double v, double w, double xr, double xi) {
    double yr = re(T, y, at) + v * xr;
    double yi = 0;
    if (COMPLEX) {
      yr -= w * xi;
      yi = im(T, y, at) + v * xi + w * xr;
    }
    set(T, y, at, yr, yi);
  }

  @Override
  public void solveColumns(
      int rows,
      int[] starts,
      int[] columns,
      Values values,
      @Nullable Values inverse,
      boolean upward,
      boolean conjugate,
      long x) {
    double[] doubles = values.doubles;
    float[] floats = values.floats;
    for (int n = 0; n < rows; n++) {
      int i = upward ? rows - 1 - n : n;
      setScaled(x, i, inverse, conjugate, re(T, x, i), COMPLEX ? im(T, x, i) : 0);
      double xr = -re(T, x, i);
      double xi = COMPLEX ? -im(T, x, i) : 0;
      for (int k = starts[i]; k < starts[i + 1]; k++) {
        double w = COMPLEX ? im(T, doubles, floats, k, conjugate) : 0;
        addElement(x, columns[k], re(T, doubles, floats, k), w, xr, xi);
      }
    }
  }

  private static void setScaled(
      long x, int i, @Nullable Values inverse, boolean conjugate, double sr, double si) {
    if (inverse == null) {
      set(T, x, i, sr, si);
      return;
    }
    double v = re(T, inverse.doubles, inverse.floats, i);
    double w = COMPLEX ? im(T, inverse.doubles, inverse.floats, i, conjugate) : 0;
    set(T, x, i, COMPLEX ? v * sr - w * si : v * sr, COMPLEX ? v * si + w * sr : 0);
  }
}
