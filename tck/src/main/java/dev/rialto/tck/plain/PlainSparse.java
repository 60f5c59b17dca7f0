package dev.rialto.tck.plain;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.SparseKernels;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.util.List;
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
    public void multiplyDot(
        MemorySegment x, MemorySegment y, boolean add, MemorySegment out, Stream stream) {
      stream.run(
          () -> {
            double product = add ? all(out).get(JAVA_DOUBLE, 0) : 0;
            for (int i = 0; i + 1 < starts.length; i++) {
              double sum = sum(i, all(x));
              product += get(all(x), type, row(i)) * sum;
              set(all(y), type, row(i), sum + (add ? get(all(y), type, row(i)) : 0));
            }
            all(out).set(JAVA_DOUBLE, 0, product);
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

  private static double value(Factor factor) {
    return factor.isKnown()
        ? factor.value()
        : factor.value() * all(factor.number()).get(JAVA_DOUBLE, 0);
  }

  /** Adds a pass over vectors to a stream, which is left out once the numbers have ended. */
  private static void unlessEnded(MemorySegment numbers, Stream stream, Runnable pass) {
    stream.run(
        () -> {
          if (numbers.address() == 0 || all(numbers).getAtIndex(JAVA_DOUBLE, ENDED) == 0) {
            pass.run();
          }
        });
  }

  @Override
  public void combine(
      DType type,
      long n,
      Factor first,
      MemorySegment x,
      Factor second,
      MemorySegment y,
      Factor third,
      MemorySegment z,
      MemorySegment numbers,
      Stream stream) {
    unlessEnded(
        numbers,
        stream,
        () -> {
          double a = value(first);
          double b = value(second);
          double c = value(third);
          for (long i = 0; i < n; i++) {
            double value = a == 0 ? 0 : a * get(all(x), type, i);
            value += b == 0 ? 0 : b * get(all(y), type, i);
            value += c == 0 ? 0 : c * get(all(z), type, i);
            set(all(z), type, i, value);
          }
        });
  }

  @Override
  public void subtractDot(
      DType type,
      long n,
      Factor factor,
      MemorySegment q,
      MemorySegment r,
      MemorySegment out,
      MemorySegment numbers,
      Stream stream) {
    unlessEnded(
        numbers,
        stream,
        () -> {
          double a = value(factor);
          double sum = 0;
          for (long i = 0; i < n; i++) {
            set(all(r), type, i, get(all(r), type, i) - a * get(all(q), type, i));
            sum += get(all(r), type, i) * get(all(r), type, i);
          }
          all(out).set(JAVA_DOUBLE, 0, sum);
        });
  }

  @Override
  public void nextDirection(
      DType type,
      long n,
      Factor first,
      MemorySegment x,
      MemorySegment z,
      Factor second,
      MemorySegment p,
      MemorySegment numbers,
      Stream stream) {
    unlessEnded(
        numbers,
        stream,
        () -> {
          double a = value(first);
          double b = value(second);
          for (long i = 0; i < n; i++) {
            double along = get(all(p), type, i);
            set(all(x), type, i, get(all(x), type, i) + a * along);
            set(all(p), type, i, get(all(z), type, i) + b * along);
          }
        });
  }

  @Override
  public void pipelinedStep(
      DType type,
      long n,
      Factor first,
      Factor second,
      MemorySegment z,
      MemorySegment w,
      MemorySegment p,
      MemorySegment s,
      MemorySegment x,
      MemorySegment r,
      MemorySegment out,
      MemorySegment numbers,
      Stream stream) {
    unlessEnded(
        numbers,
        stream,
        () -> {
          double a = value(first);
          double b = value(second);
          double sum = 0;
          for (long i = 0; i < n; i++) {
            double along = get(all(z), type, i) + b * get(all(p), type, i);
            double image = get(all(w), type, i) + b * get(all(s), type, i);
            set(all(p), type, i, along);
            set(all(s), type, i, image);
            set(all(x), type, i, get(all(x), type, i) + a * along);
            set(all(r), type, i, get(all(r), type, i) - a * image);
            sum += get(all(r), type, i) * get(all(r), type, i);
          }
          all(out).set(JAVA_DOUBLE, 0, sum);
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
  public void compute(MemorySegment numbers, List<Step> steps, Stream stream) {
    List<Step> all = List.copyOf(steps);
    stream.run(() -> all.forEach(step -> compute(all(numbers), step)));
  }

  private static void compute(MemorySegment numbers, Step step) {
    if (numbers.getAtIndex(JAVA_DOUBLE, ENDED) != 0) {
      return;
    }
    double left = numbers.getAtIndex(JAVA_DOUBLE, step.left());
    double right = numbers.getAtIndex(JAVA_DOUBLE, step.right());
    switch (step.operation()) {
      case COPY -> numbers.setAtIndex(JAVA_DOUBLE, step.to(), left);
      case SUBTRACT -> numbers.setAtIndex(JAVA_DOUBLE, step.to(), left - right);
      case MULTIPLY -> numbers.setAtIndex(JAVA_DOUBLE, step.to(), left * right);
      case DIVIDE -> numbers.setAtIndex(JAVA_DOUBLE, step.to(), left / right);
      case ROOT -> numbers.setAtIndex(JAVA_DOUBLE, step.to(), Math.sqrt(left));
      case APPEND -> {
        double count = numbers.getAtIndex(JAVA_DOUBLE, APPENDED);
        numbers.setAtIndex(JAVA_DOUBLE, HISTORY + (long) count % KEPT, left);
        numbers.setAtIndex(JAVA_DOUBLE, APPENDED, count + 1);
      }
      case END_IF_EQUAL -> endIf(left == right, numbers, step);
      case END_IF_LESS -> endIf(left < right, numbers, step);
      case END_IF_AT_MOST -> endIf(left <= right, numbers, step);
      case END_UNLESS_FINITE -> endIf(!Double.isFinite(left), numbers, step);
    }
  }

  private static void endIf(boolean condition, MemorySegment numbers, Step step) {
    if (condition) {
      numbers.setAtIndex(JAVA_DOUBLE, ENDED, step.to());
    }
  }
}
