package dev.rialto.sparse;

import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.spi.device.SparseKernels;
import dev.rialto.spi.device.SparseKernels.Sum;

/**
 * The kernels of {@link JavaSparse}.
 *
 * <p>A factor is two words: the bits of a double, and the place of a number that it is multiplied
 * by, or -1. Sums are left by each item of a launch, and added up by one block.
 */
final class SparseBodies {
  /** The items of a block. */
  static final int BLOCK = 256;

  /** Rows of a slice. */
  static final int SLICE = 32;

  /** Words of a step with numbers. */
  static final int STEP = 4;

  private SparseBodies() {}

  static KernelBody fill() {
    KernelBody.Of2<Reals, Double> body =
        (Item it, Reals x, Double value) -> x.set(it.global(), value);
    return body;
  }

  static KernelBody multiply() {
    KernelBody.Of3<Reals, Reals, Reals> body =
        (Item it, Reals z, Reals d, Reals x) -> {
          long i = it.global();
          z.set(i, d.get(i) * x.get(i));
        };
    return body;
  }

  // --- Updates by factors
  // --------------------------------------------------------------------------

  private static double factor(F64 numbers, I64 factors, int place) {
    double value = Double.longBitsToDouble(factors.get(2L * place));
    long number = factors.get(2L * place + 1);
    return number < 0 ? value : value * numbers.get(number);
  }

  /**
   * Sets {@code z = a x + b y + c z}.
   *
   * @param ends whether nothing is written once the numbers have ended
   */
  static KernelBody combine(boolean ends) {
    KernelBody.Of5<Reals, Reals, Reals, F64, I64> body =
        (Item it, Reals z, Reals x, Reals y, F64 numbers, I64 factors) -> {
          if (ends && numbers.get(SparseKernels.ENDED) != 0) {
            return;
          }
          long i = it.global();
          double a = factor(numbers, factors, 0);
          double b = factor(numbers, factors, 1);
          double c = factor(numbers, factors, 2);
          double value = 0;
          if (a != 0) {
            value = a * x.get(i);
          }
          if (b != 0) {
            value += b * y.get(i);
          }
          if (c != 0) {
            value += c * z.get(i);
          }
          z.set(i, value);
        };
    return body;
  }

  /** Sets {@code x += a p} and then {@code p = z + b p}. */
  static KernelBody direction(boolean ends) {
    KernelBody.Of5<Reals, Reals, Reals, F64, I64> body =
        (Item it, Reals x, Reals p, Reals z, F64 numbers, I64 factors) -> {
          if (ends && numbers.get(SparseKernels.ENDED) != 0) {
            return;
          }
          long i = it.global();
          double along = p.get(i);
          x.set(i, x.get(i) + factor(numbers, factors, 0) * along);
          p.set(i, z.get(i) + factor(numbers, factors, 1) * along);
        };
    return body;
  }

  /**
   * Sets {@code p = z + b p}, {@code s = w + b s}, {@code x += a p} and {@code r -= a s}.
   *
   * @param same whether z is r, whose memory is passed once then
   */
  static KernelBody step(boolean ends, boolean same) {
    if (same) {
      KernelBody.Of7<Reals, Reals, Reals, Reals, Reals, F64, I64> body =
          (Item it, Reals p, Reals s, Reals x, Reals r, Reals w, F64 numbers, I64 factors) -> {
            if (!ends || numbers.get(SparseKernels.ENDED) == 0) {
              step(it, p, s, x, r, w, r, numbers, factors);
            }
          };
      return body;
    }
    KernelBody.Of8<Reals, Reals, Reals, Reals, Reals, Reals, F64, I64> body =
        (Item it,
            Reals p,
            Reals s,
            Reals x,
            Reals r,
            Reals w,
            Reals z,
            F64 numbers,
            I64 factors) -> {
          if (!ends || numbers.get(SparseKernels.ENDED) == 0) {
            step(it, p, s, x, r, w, z, numbers, factors);
          }
        };
    return body;
  }

  private static void step(
      Item it, Reals p, Reals s, Reals x, Reals r, Reals w, Reals z, F64 numbers, I64 factors) {
    long i = it.global();
    double a = factor(numbers, factors, 0);
    double b = factor(numbers, factors, 1);
    double along = z.get(i) + b * p.get(i);
    double image = w.get(i) + b * s.get(i);
    p.set(i, along);
    s.set(i, image);
    x.set(i, x.get(i) + a * along);
    r.set(i, r.get(i) - a * image);
  }

  // --- Sums
  // ----------------------------------------------------------------------------------------

  /** Leaves a sum per item. */
  static KernelBody reduce(Sum sum) {
    KernelBody.Of5<F64, Reals, Reals, Long, Long> body =
        (Item it, F64 partial, Reals x, Reals y, Long n, Long stride) -> {
          double value = 0;
          for (long i = it.global(); i < n; i += it.globalSize()) {
            double left = x.get(i * stride);
            value =
                switch (sum) {
                  case DOT -> value + left * y.get(i * stride);
                  case ABSOLUTE -> value + Math.abs(left);
                  case LARGEST ->
                      Double.isNaN(left)
                          ? Double.POSITIVE_INFINITY
                          : Math.max(value, Math.abs(left));
                };
          }
          partial.set(it.global(), value);
        };
    return body;
  }

  /**
   * Adds up, or takes the largest of, what items have left; a launch of one block.
   *
   * @param add whether the result is added to what is there
   */
  static KernelBody finish(boolean largest, boolean add) {
    KernelBody.Of3<F64, F64, Long> body =
        (Item it, F64 out, F64 partial, Long count) -> {
          double[] sums = it.sharedDoubles(BLOCK);
          double value = 0;
          for (long i = it.global(); i < count; i += BLOCK) {
            value = largest ? Math.max(value, partial.get(i)) : value + partial.get(i);
          }
          sums[it.local()] = value;
          it.barrier();
          for (int far = BLOCK / 2; far > 0; far /= 2) {
            if (it.local() < far) {
              double other = sums[it.local() + far];
              double own = sums[it.local()];
              sums[it.local()] = largest ? Math.max(own, other) : own + other;
            }
            it.barrier();
          }
          if (it.local() == 0) {
            out.set(0, add ? out.get(0) + sums[0] : sums[0]);
          }
        };
    return body;
  }

  // --- Rows of matrices
  // ----------------------------------------------------------------------------

  /** Returns the sum of a row that lies in one piece. */
  private static double row(I32 starts, I32 columns, Reals values, Reals x, long i) {
    int end = starts.get(i + 1);
    double sum = 0;
    for (int k = starts.get(i); k < end; k++) {
      sum += values.get(k) * x.get(columns.get(k));
    }
    return sum;
  }

  /** Returns the sum of a row of a slice; padding has column -1. */
  private static double sliced(I64 starts, I32 columns, Reals values, Reals x, long i) {
    long end = starts.get(i / SLICE + 1);
    double sum = 0;
    for (long k = starts.get(i / SLICE) + i % SLICE; k < end; k += SLICE) {
      int column = columns.get(k);
      if (column >= 0) {
        sum += values.get(k) * x.get(column);
      }
    }
    return sum;
  }

  private static void store(Reals y, long row, double sum, double a, double b) {
    y.set(row, b == 0 ? a * sum : a * sum + b * y.get(row));
  }

  /**
   * Sets {@code y = a A x + b y} in some rows.
   *
   * @param listed whether the rows have numbers
   */
  static KernelBody rows(boolean listed) {
    KernelBody.Of8<Reals, Reals, I32, I32, Reals, I32, Double, Double> body =
        (Item it,
            Reals y,
            Reals x,
            I32 starts,
            I32 columns,
            Reals values,
            I32 numbers,
            Double a,
            Double b) -> {
          long i = it.global();
          long row = listed ? numbers.get(i) : i;
          store(y, row, row(starts, columns, values, x, i), a, b);
        };
    return body;
  }

  static KernelBody slices(boolean listed) {
    KernelBody.Of8<Reals, Reals, I64, I32, Reals, I32, Double, Double> body =
        (Item it,
            Reals y,
            Reals x,
            I64 starts,
            I32 columns,
            Reals values,
            I32 numbers,
            Double a,
            Double b) -> {
          long i = it.global();
          long row = listed ? numbers.get(i) : i;
          store(y, row, sliced(starts, columns, values, x, i), a, b);
        };
    return body;
  }

  /** Sets {@code y = a A x + b y} in some rows of several vectors; an item has one element. */
  static KernelBody wideRows(boolean listed, int width) {
    KernelBody.Of8<Reals, Reals, I32, I32, Reals, I32, Double, Double> body =
        (Item it,
            Reals y,
            Reals x,
            I32 starts,
            I32 columns,
            Reals values,
            I32 numbers,
            Double a,
            Double b) -> {
          long i = it.global() / width;
          long vector = it.global() % width;
          int end = starts.get(i + 1);
          double sum = 0;
          for (int k = starts.get(i); k < end; k++) {
            sum += values.get(k) * x.get((long) columns.get(k) * width + vector);
          }
          store(y, (listed ? numbers.get(i) : i) * width + vector, sum, a, b);
        };
    return body;
  }

  static KernelBody wideSlices(boolean listed, int width) {
    KernelBody.Of8<Reals, Reals, I64, I32, Reals, I32, Double, Double> body =
        (Item it,
            Reals y,
            Reals x,
            I64 starts,
            I32 columns,
            Reals values,
            I32 numbers,
            Double a,
            Double b) -> {
          long i = it.global() / width;
          long vector = it.global() % width;
          long end = starts.get(i / SLICE + 1);
          double sum = 0;
          for (long k = starts.get(i / SLICE) + i % SLICE; k < end; k += SLICE) {
            int column = columns.get(k);
            if (column >= 0) {
              sum += values.get(k) * x.get((long) column * width + vector);
            }
          }
          store(y, (listed ? numbers.get(i) : i) * width + vector, sum, a, b);
        };
    return body;
  }

  /** Sets {@code y = A x} in some rows, or adds it, and leaves x·A x of each item's. */
  static KernelBody rowsDot(boolean listed, boolean add) {
    KernelBody.Of8<Reals, Reals, I32, I32, Reals, I32, F64, Long> body =
        (Item it,
            Reals y,
            Reals x,
            I32 starts,
            I32 columns,
            Reals values,
            I32 numbers,
            F64 partial,
            Long rows) -> {
          double dot = 0;
          for (long i = it.global(); i < rows; i += it.globalSize()) {
            long row = listed ? numbers.get(i) : i;
            double sum = row(starts, columns, values, x, i);
            store(y, row, sum, 1, add ? 1 : 0);
            dot += x.get(row) * sum;
          }
          partial.set(it.global(), dot);
        };
    return body;
  }

  static KernelBody slicesDot(boolean listed, boolean add) {
    KernelBody.Of8<Reals, Reals, I64, I32, Reals, I32, F64, Long> body =
        (Item it,
            Reals y,
            Reals x,
            I64 starts,
            I32 columns,
            Reals values,
            I32 numbers,
            F64 partial,
            Long rows) -> {
          double dot = 0;
          for (long i = it.global(); i < rows; i += it.globalSize()) {
            long row = listed ? numbers.get(i) : i;
            double sum = sliced(starts, columns, values, x, i);
            store(y, row, sum, 1, add ? 1 : 0);
            dot += x.get(row) * sum;
          }
          partial.set(it.global(), dot);
        };
    return body;
  }

  // --- Steps with numbers
  // --------------------------------------------------------------------------

  /** Computes with numbers, in one item. */
  static KernelBody compute() {
    KernelBody.Of2<F64, I64> body =
        (Item it, F64 numbers, I64 steps) -> {
          double ended = numbers.get(SparseKernels.ENDED);
          for (long i = 0; i < steps.length() && ended == 0; i += STEP) {
            long to = steps.get(i + 1);
            double left = numbers.get(steps.get(i + 2));
            double right = numbers.get(steps.get(i + 3));
            boolean end = false;
            switch ((int) steps.get(i)) {
              case 0 -> numbers.set(to, left);
              case 1 -> numbers.set(to, left - right);
              case 2 -> numbers.set(to, left * right);
              case 3 -> numbers.set(to, left / right);
              case 4 -> numbers.set(to, Math.sqrt(left));
              case 5 -> {
                double appended = numbers.get(SparseKernels.APPENDED);
                numbers.set(SparseKernels.HISTORY + (long) appended % SparseKernels.KEPT, left);
                numbers.set(SparseKernels.APPENDED, appended + 1);
              }
              case 6 -> end = left == right;
              case 7 -> end = left < right;
              case 8 -> end = left <= right;
              default -> end = !(Math.abs(left) <= Double.MAX_VALUE);
            }
            if (end) {
              ended = to;
            }
          }
          numbers.set(SparseKernels.ENDED, ended);
        };
    return body;
  }
}
