package dev.rialto.sparse.local;

import static dev.rialto.sparse.local.Numbers.im;
import static dev.rialto.sparse.local.Numbers.re;
import static dev.rialto.sparse.local.Numbers.set;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.vector.VectorApi;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The loops that {@link Specialized} copies for each type. */
final class MatrixLoops implements MatrixKernels {
  private static final DType T = Specialized.type(MethodHandles.lookup());
  private static final boolean COMPLEX = Numbers.isComplex(T);

  /**
   * Rows that are summed at a time: sums and vectors stay in the nearest cache. A multiple of the
   * rows among which {@link Sell} sorts.
   */
  private static final int BLOCK = 2 * Sell.WINDOW;

  /** Sets {@code y = a (sr + si i) + b y} and adds {@code conj(x) a (sr + si i)} to the product. */
  private static void finish(
      Scalar a,
      Scalar b,
      boolean plain,
      double sr,
      double si,
      long x,
      long y,
      long at,
      double @Nullable [] dot) {
    double tr = sr;
    double ti = si;
    if (!plain) {
      tr = a.re() * sr;
      if (COMPLEX) {
        tr -= a.im() * si;
        ti = a.re() * si + a.im() * sr;
      }
    }
    if (dot != null) {
      double xr = re(T, x, at);
      dot[0] += xr * tr;
      if (COMPLEX) {
        double xi = im(T, x, at);
        dot[0] += xi * ti;
        dot[1] += xr * ti - xi * tr;
      }
    }
    if (!plain && !b.isZero()) {
      double yr = re(T, y, at);
      tr += b.re() * yr;
      if (COMPLEX) {
        double yi = im(T, y, at);
        tr -= b.im() * yi;
        ti += b.re() * yi + b.im() * yr;
      }
    }
    set(T, y, at, tr, ti);
  }

  private static boolean plain(Scalar a, Scalar b) {
    return a.re() == 1 && a.im() == 0 && b.isZero();
  }

  /** Adds {@code conj(x)·y} of a block of rows that are done. */
  private static void dot(int from, int to, long x, long y, double[] lanes) {
    VectorKernels.of(T).dotBlock(from, to, x, y, lanes);
  }

  private static final DType SUM = COMPLEX ? DType.C128 : DType.F64;

  @Override
  public void finish(int from, int to, long sums, Scalar a, Scalar b, long y, int stride) {
    boolean plain = plain(a, b);
    for (int i = from; i < to; i++) {
      double si = COMPLEX ? im(SUM, sums, i) : 0;
      finish(a, b, plain, re(SUM, sums, i), si, 0, y, (long) i * stride, null);
      set(SUM, sums, i, 0, 0);
    }
  }

  @Override
  public void gatherRows(
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
      double @Nullable [] dot) {
    boolean simple = !COMPLEX && stride == 1 && rowIndex == null;
    if (simple && dot == null) {
      gatherReal(0, rows, starts, columns, values.doubles, values.floats, a, x, b, y);
    } else if (dot == null || rowIndex != null) {
      gather(0, rows, starts, columns, values, rowIndex, conjugate, a, x, own, b, y, stride, dot);
    } else {
      double[] lanes = new double[VectorKernels.LANES];
      for (int first = 0; first < rows; first += 4 * BLOCK) {
        int end = Math.min(rows, first + 4 * BLOCK);
        if (simple) {
          gatherReal(first, end, starts, columns, values.doubles, values.floats, a, x, b, y);
        } else {
          gather(
              first, end, starts, columns, values, null, conjugate, a, x, own, b, y, stride, null);
        }
        dot(first, end, x, y, lanes);
      }
      VectorKernels.addLanes(lanes, dot);
    }
  }

  private static void gather(
      int first,
      int end,
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
      double @Nullable [] dot) {
    double[] doubles = values.doubles;
    float[] floats = values.floats;
    boolean plain = plain(a, b);
    for (int i = first; i < end; i++) {
      double sr = 0;
      double si = 0;
      for (int k = starts[i]; k < starts[i + 1]; k++) {
        long at = (long) columns[k] * stride;
        double v = re(T, doubles, floats, k);
        double xr = re(T, x, at);
        sr += v * xr;
        if (COMPLEX) {
          double w = im(T, doubles, floats, k, conjugate);
          double xi = im(T, x, at);
          sr -= w * xi;
          si += v * xi + w * xr;
        }
      }
      finish(
          a, b, plain, sr, si, own, y, (long) (rowIndex == null ? i : rowIndex[i]) * stride, dot);
    }
  }

  /**
   * Sets {@code y = a A x + b y}. Rows of grids have 5 or 7 entries: too few for the compiler's own
   * unrolling, so they are written out.
   */
  private static void gatherReal(
      int first,
      int last,
      int[] starts,
      int[] columns,
      double[] doubles,
      float[] floats,
      Scalar a,
      long x,
      Scalar b,
      long y) {
    boolean plain = plain(a, b);
    int k = starts[first];
    for (int i = first; i < last; i++) {
      int end = starts[i + 1];
      double sum = 0;
      if (end - k == 7) {
        sum = three(sum, k, columns, doubles, floats, x);
        sum = two(sum, k + 3, columns, doubles, floats, x);
        sum = two(sum, k + 5, columns, doubles, floats, x);
        k = end;
      } else if (end - k == 5) {
        sum = three(sum, k, columns, doubles, floats, x);
        sum = two(sum, k + 3, columns, doubles, floats, x);
        k = end;
      }
      for (; k < end; k++) {
        sum += product(k, columns, doubles, floats, x);
      }
      finish(a, b, plain, sum, 0, x, y, i, null);
    }
  }

  private static double product(int k, int[] columns, double[] doubles, float[] floats, long x) {
    return re(T, doubles, floats, k) * re(T, x, columns[k]);
  }

  private static double two(
      double sum, int k, int[] columns, double[] doubles, float[] floats, long x) {
    return sum
        + product(k, columns, doubles, floats, x)
        + product(k + 1, columns, doubles, floats, x);
  }

  private static double three(
      double sum, int k, int[] columns, double[] doubles, float[] floats, long x) {
    return two(sum, k, columns, doubles, floats, x) + product(k + 2, columns, doubles, floats, x);
  }

  /** Adds {@code (v + w i) x[from]} to a sum, with the roundings of a gathered row. */
  private static void addTo(long sums, int to, double v, double w, long x, long from) {
    double xr = re(T, x, from);
    if (COMPLEX) {
      double xi = im(T, x, from);
      double sr = re(SUM, sums, to) + v * xr - w * xi;
      set(SUM, sums, to, sr, im(SUM, sums, to) + (v * xi + w * xr));
    } else {
      set(SUM, sums, to, re(SUM, sums, to) + v * xr, 0);
    }
  }

  @Override
  public void scatterRows(
      int rows,
      int[] starts,
      int[] columns,
      Values values,
      int @Nullable [] rowIndex,
      boolean conjugate,
      long x,
      int stride,
      long sums) {
    double[] doubles = values.doubles;
    float[] floats = values.floats;
    for (int i = 0; i < rows; i++) {
      long row = (long) (rowIndex == null ? i : rowIndex[i]) * stride;
      if (!COMPLEX) {
        double xr = re(T, x, row);
        for (int k = starts[i]; k < starts[i + 1]; k++) {
          double sum = re(SUM, sums, columns[k]) + re(T, doubles, floats, k) * xr;
          set(SUM, sums, columns[k], sum, 0);
        }
        continue;
      }
      for (int k = starts[i]; k < starts[i + 1]; k++) {
        double w = im(T, doubles, floats, k, conjugate);
        addTo(sums, columns[k], re(T, doubles, floats, k), w, x, row);
      }
    }
  }

  @Override
  public void coordinates(
      int entries, int[] rows, int[] columns, Values values, long x, int stride, long sums) {
    double[] doubles = values.doubles;
    float[] floats = values.floats;
    for (int k = 0; k < entries; k++) {
      double w = COMPLEX ? im(T, doubles, floats, k, false) : 0;
      addTo(sums, rows[k], re(T, doubles, floats, k), w, x, (long) columns[k] * stride);
    }
  }

  @Override
  public void slices(
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
      double @Nullable [] dot) {
    int slices = sliceStarts.length - 1;
    if (dot == null) {
      slices(0, slices, rows, sliceStarts, order, columns, values, a, x, b, y, stride, sums);
      return;
    }
    double[] lanes = new double[VectorKernels.LANES];
    for (int first = 0; first < slices; first += BLOCK / Sell.SLICE) {
      int end = Math.min(slices, first + BLOCK / Sell.SLICE);
      slices(first, end, rows, sliceStarts, order, columns, values, a, x, b, y, stride, 0);
      dot(first * Sell.SLICE, Math.min(rows, end * Sell.SLICE), x, y, lanes);
    }
    VectorKernels.addLanes(lanes, dot);
  }

  private static void slices(
      int firstSlice,
      int endSlice,
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
      long sums) {
    double[] doubles = values.doubles;
    float[] floats = values.floats;
    boolean plain = plain(a, b);
    for (int slice = firstSlice; slice < endSlice; slice++) {
      int first = slice * Sell.SLICE;
      int start = sliceStarts[slice];
      int end = sliceStarts[slice + 1];
      if (!COMPLEX && stride == 1 && first + Sell.SLICE <= rows) {
        // Four rows at a time: their sums do not wait for each other.
        for (int lane = 0; lane < Sell.SLICE; lane += 4) {
          double s0 = 0;
          double s1 = 0;
          double s2 = 0;
          double s3 = 0;
          for (int k = start + lane; k < end; k += Sell.SLICE) {
            s0 += re(T, doubles, floats, k) * re(T, x, columns[k]);
            s1 += re(T, doubles, floats, k + 1) * re(T, x, columns[k + 1]);
            s2 += re(T, doubles, floats, k + 2) * re(T, x, columns[k + 2]);
            s3 += re(T, doubles, floats, k + 3) * re(T, x, columns[k + 3]);
          }
          if (sums != 0) {
            set(SUM, sums, order[first + lane], s0, 0);
            set(SUM, sums, order[first + lane + 1], s1, 0);
            set(SUM, sums, order[first + lane + 2], s2, 0);
            set(SUM, sums, order[first + lane + 3], s3, 0);
            continue;
          }
          finish(a, b, plain, s0, 0, x, y, order[first + lane], null);
          finish(a, b, plain, s1, 0, x, y, order[first + lane + 1], null);
          finish(a, b, plain, s2, 0, x, y, order[first + lane + 2], null);
          finish(a, b, plain, s3, 0, x, y, order[first + lane + 3], null);
        }
        continue;
      }
      for (int lane = 0; lane < Math.min(Sell.SLICE, rows - first); lane++) {
        double sr = 0;
        double si = 0;
        for (int k = start + lane; k < end; k += Sell.SLICE) {
          long at = (long) columns[k] * stride;
          double v = re(T, doubles, floats, k);
          double xr = re(T, x, at);
          sr += v * xr;
          if (COMPLEX) {
            double w = im(T, doubles, floats, k, false);
            double xi = im(T, x, at);
            sr -= w * xi;
            si += v * xi + w * xr;
          }
        }
        int row = order[first + lane];
        if (sums == 0) {
          finish(a, b, plain, sr, si, x, y, (long) row * stride, null);
        } else {
          set(SUM, sums, row, sr, si);
        }
      }
    }
  }

  @Override
  public void diagonals(
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
      double @Nullable [] dot) {
    double[] doubles = values.doubles;
    float[] floats = values.floats;
    boolean plain = plain(a, b);
    double[] lanes = new double[dot == null ? 0 : VectorKernels.LANES];
    if (T == DType.F64 && VectorApi.isPresent() && stride == 1 && plain) {
      VectorDiagonals.multiply(rows, offsets, from, to, starts, doubles, x, y, lanes);
      if (dot != null) {
        VectorKernels.addLanes(lanes, dot);
      }
      return;
    }
    double[] real = new double[BLOCK];
    double[] imaginary = new double[COMPLEX ? BLOCK : 0];
    for (int first = 0; first < rows; first += BLOCK) {
      int end = Math.min(rows, first + BLOCK);
      Arrays.fill(real, 0);
      Arrays.fill(imaginary, 0);
      for (int d = 0; d < offsets.length; d++) {
        int low = Math.max(first, from[d]);
        int high = Math.min(end, to[d]);
        int value = starts[d] - from[d];
        if (!COMPLEX && stride == 1) {
          long shifted = x + (long) offsets[d] * T.size();
          for (int i = low; i < high; i++) {
            real[i - first] += re(T, doubles, floats, value + i) * re(T, shifted, i);
          }
          continue;
        }
        for (int i = low; i < high; i++) {
          long at = ((long) i + offsets[d]) * stride;
          double v = re(T, doubles, floats, value + i);
          double xr = re(T, x, at);
          real[i - first] += v * xr;
          if (COMPLEX) {
            double w = im(T, doubles, floats, value + i, false);
            double xi = im(T, x, at);
            real[i - first] -= w * xi;
            imaginary[i - first] += v * xi + w * xr;
          }
        }
      }
      for (int i = first; i < end; i++) {
        double si = COMPLEX ? imaginary[i - first] : 0;
        finish(a, b, plain, real[i - first], si, x, y, (long) i * stride, null);
      }
      if (dot != null) {
        dot(first, end, x, y, lanes);
      }
    }
    if (dot != null) {
      VectorKernels.addLanes(lanes, dot);
    }
  }
}
