package dev.rialto.tck;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.SparseKernels;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What {@link SparseKernels} say, as plain loops. */
final class PlainSparse implements SparseKernels {
  private static double get(MemorySegment x, DType type, long i) {
    return type == DType.F64 ? x.getAtIndex(JAVA_DOUBLE, i) : x.getAtIndex(JAVA_FLOAT, i);
  }

  private static void set(MemorySegment x, DType type, long i, double value) {
    if (type == DType.F64) {
      x.setAtIndex(JAVA_DOUBLE, i, value);
    } else {
      x.setAtIndex(JAVA_FLOAT, i, (float) value);
    }
  }

  private static MemorySegment all(MemorySegment memory) {
    return PlainDevice.all(memory);
  }

  /** Rows as they were given; both storages are the same here. */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  private record PlainRows(
      DType type, int[] starts, int[] columns, MemorySegment values, int @Nullable [] numbers)
      implements Rows {
    private int row(int i) {
      return numbers == null ? i : numbers[i];
    }

    private double sum(int i, MemorySegment x) {
      double sum = 0;
      for (int k = starts[i]; k < starts[i + 1]; k++) {
        sum += get(values, type, k) * get(x, type, columns[k]);
      }
      return sum;
    }

    @Override
    public void multiply(double a, MemorySegment x, double b, MemorySegment y, Stream stream) {
      stream.run(
          () -> {
            for (int i = 0; i + 1 < starts.length; i++) {
              double before = b == 0 ? 0 : b * get(all(y), type, row(i));
              set(all(y), type, row(i), a * sum(i, all(x)) + before);
            }
          });
    }

    @Override
    public void multiplyDots(
        MemorySegment x, MemorySegment y, boolean add, MemorySegment sums, Stream stream) {
      stream.run(
          () -> {
            double own = 0;
            double product = 0;
            for (int i = 0; i + 1 < starts.length; i++) {
              double sum = sum(i, all(x));
              double left = get(all(x), type, row(i));
              own += left * left;
              product += left * sum;
              set(all(y), type, row(i), sum + (add ? get(all(y), type, row(i)) : 0));
            }
            MemorySegment out = all(sums);
            if (!add) {
              out.setAtIndex(JAVA_DOUBLE, 0, own);
            }
            out.setAtIndex(JAVA_DOUBLE, 1, product + (add ? out.getAtIndex(JAVA_DOUBLE, 1) : 0));
          });
    }

    @Override
    public long bytes() {
      return 4L * starts.length + 4L * columns.length + values.byteSize();
    }

    @Override
    public void close() {}
  }

  @Override
  public Rows rows(
      DType type,
      Storage storage,
      MemorySegment starts,
      MemorySegment columns,
      MemorySegment values,
      int @Nullable [] numbers) {
    return new PlainRows(
        type, starts.toArray(JAVA_INT), columns.toArray(JAVA_INT), values, numbers);
  }

  @Override
  public void combine(
      DType type,
      long n,
      double a,
      MemorySegment x,
      double b,
      MemorySegment y,
      double c,
      MemorySegment z,
      Stream stream) {
    stream.run(
        () -> {
          for (long i = 0; i < n; i++) {
            double value = a == 0 ? 0 : a * get(all(x), type, i);
            value += b == 0 ? 0 : b * get(all(y), type, i);
            value += c == 0 ? 0 : c * get(all(z), type, i);
            set(all(z), type, i, value);
          }
        });
  }

  @Override
  public void fill(DType type, long n, double value, MemorySegment x, Stream stream) {
    stream.run(
        () -> {
          for (long i = 0; i < n; i++) {
            set(all(x), type, i, value);
          }
        });
  }

  @Override
  public void multiply(
      DType type, long n, MemorySegment d, MemorySegment x, MemorySegment z, Stream stream) {
    stream.run(
        () -> {
          for (long i = 0; i < n; i++) {
            set(all(z), type, i, get(all(d), type, i) * get(all(x), type, i));
          }
        });
  }

  @Override
  public void reduce(
      Sum sum,
      DType type,
      long n,
      MemorySegment x,
      MemorySegment y,
      int stride,
      MemorySegment out,
      Stream stream) {
    stream.run(
        () -> {
          double value = 0;
          for (long i = 0; i < n; i++) {
            double left = get(all(x), type, i * stride);
            value =
                switch (sum) {
                  case DOT -> value + left * get(all(y), type, i * stride);
                  case ABSOLUTE -> value + Math.abs(left);
                  case LARGEST ->
                      Math.max(
                          value, Double.isNaN(left) ? Double.POSITIVE_INFINITY : Math.abs(left));
                };
          }
          all(out).set(JAVA_DOUBLE, 0, value);
        });
  }

  @Override
  public void coefficients(MemorySegment sums, MemorySegment state, double limit, Stream stream) {
    stream.run(() -> coefficients(all(sums), all(state), limit));
  }

  private static void coefficients(MemorySegment sums, MemorySegment state, double limit) {
    double gamma = sums.getAtIndex(JAVA_DOUBLE, 0);
    double delta = sums.getAtIndex(JAVA_DOUBLE, 1);
    int done = (int) state.getAtIndex(JAVA_DOUBLE, STATE_ITERATIONS);
    state.setAtIndex(JAVA_DOUBLE, 2, 0);
    if (state.getAtIndex(JAVA_DOUBLE, STATE_ENDED) != 0) {
      return;
    }
    state.setAtIndex(JAVA_DOUBLE, STATE + done, gamma);
    if (gamma <= limit) {
      state.setAtIndex(JAVA_DOUBLE, STATE_ENDED, 1);
      return;
    }
    double beta = done == 0 ? 0 : gamma / state.getAtIndex(JAVA_DOUBLE, 0);
    delta -= done == 0 ? 0 : beta * gamma / state.getAtIndex(JAVA_DOUBLE, 1);
    double alpha = gamma / delta;
    if (!(delta > 0) || !Double.isFinite(alpha)) {
      state.setAtIndex(JAVA_DOUBLE, STATE_ENDED, 2);
      state.setAtIndex(JAVA_DOUBLE, 6, delta);
      return;
    }
    double[] next = {gamma, alpha, alpha, beta, done + 1};
    for (int i = 0; i < next.length; i++) {
      state.setAtIndex(JAVA_DOUBLE, i, next[i]);
    }
  }

  @Override
  public void step(
      DType type,
      long n,
      MemorySegment state,
      MemorySegment w,
      MemorySegment p,
      MemorySegment s,
      MemorySegment x,
      MemorySegment r,
      Stream stream) {
    stream.run(
        () -> {
          double a = all(state).getAtIndex(JAVA_DOUBLE, 2);
          double b = all(state).getAtIndex(JAVA_DOUBLE, 3);
          for (long i = 0; i < n; i++) {
            double along = get(all(r), type, i) + b * get(all(p), type, i);
            double image = get(all(w), type, i) + b * get(all(s), type, i);
            set(all(p), type, i, along);
            set(all(s), type, i, image);
            if (a != 0) {
              set(all(x), type, i, get(all(x), type, i) + a * along);
              set(all(r), type, i, get(all(r), type, i) - a * image);
            }
          }
        });
  }
}
