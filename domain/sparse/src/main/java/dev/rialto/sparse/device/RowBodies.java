package dev.rialto.sparse.device;

import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.jit.kernel.Subgroup;

/**
 * The kernels of products with rows of a matrix.
 *
 * <p>Rows one after the other are summed by a block together: its items multiply the entries of as
 * many rows side by side into shared memory, and then each adds up a row; rows whose entries do not
 * fit there are summed by a subgroup each. Slices need none of that: a subgroup reads the entries
 * of its rows side by side as they lie, four of each row at once, since a device that waits for
 * memory needs many loads under way. Padding has column -1.
 */
final class RowBodies {
  static final int SLICE = Item.SUBGROUP;

  /** Entries that a block has room for. */
  private static final int ROOM = 2048;

  private RowBodies() {}

  private static void store(Reals y, long place, double sum, double a, double b) {
    y.set(place, b == 0 ? a * sum : a * sum + b * y.get(place));
  }

  // --- Rows one after the other -----------------------------------------------------------------

  /**
   * Returns the sum of the row of this item, of the rows that a block sums together.
   *
   * @param first the first row of the block
   * @param last the row after its last
   */
  private static double together(
      Item it, I32 starts, I32 columns, Reals values, Reals x, long first, long last) {
    double[] products = it.sharedDoubles(ROOM);
    int begin = starts.get(first);
    int end = starts.get(last);
    long row = first + it.local();
    double sum = 0;
    if (end - begin <= ROOM) {
      for (int k = begin + it.local(); k < end; k += SparseKernels.BLOCK) {
        products[k - begin] = values.get(k) * x.get(columns.get(k));
      }
      it.barrier();
      if (row < last) {
        int stop = starts.get(row + 1);
        for (int k = starts.get(row); k < stop; k++) {
          sum += products[k - begin];
        }
      }
    } else {
      for (long i = first + it.local() / Item.SUBGROUP;
          i < last;
          i += SparseKernels.BLOCK / Item.SUBGROUP) {
        double part = 0;
        int stop = starts.get(i + 1);
        for (int k = starts.get(i) + it.lane(); k < stop; k += Item.SUBGROUP) {
          part += values.get(k) * x.get(columns.get(k));
        }
        part = Subgroup.sum(it, part);
        if (it.lane() == 0) {
          products[(int) (i - first)] = part;
        }
      }
      it.barrier();
      if (row < last) {
        sum = products[it.local()];
      }
    }
    it.barrier();
    return sum;
  }

  /**
   * Sets {@code y = a A x + b y} in some rows, in whole blocks.
   *
   * @param listed whether the rows have numbers
   */
  static KernelBody rows(boolean listed) {
    KernelBody.Of8<Reals, Reals, I32, I32, Reals, I32, Double, Double> body =
        (it, y, x, starts, columns, values, numbers, a, b) -> {
          long first = it.block() * SparseKernels.BLOCK;
          long last = Math.min(first + SparseKernels.BLOCK, starts.length() - 1);
          long i = first + it.local();
          double sum = together(it, starts, columns, values, x, first, last);
          if (i < last) {
            store(y, listed ? numbers.get(i) : i, sum, a, b);
          }
        };
    return body;
  }

  /** Sets {@code y = A x}, in whole blocks, each of which leaves its part of x·A x. */
  static KernelBody rowsDot() {
    KernelBody.Of7<Reals, Reals, I32, I32, Reals, F64, Long> body =
        (it, y, x, starts, columns, values, sums, place) -> {
          double dot = 0;
          long rows = starts.length() - 1;
          for (long first = it.block() * SparseKernels.BLOCK;
              first < rows;
              first += it.blocks() * SparseKernels.BLOCK) {
            long last = Math.min(first + SparseKernels.BLOCK, rows);
            long i = first + it.local();
            double sum = together(it, starts, columns, values, x, first, last);
            if (i < last) {
              y.set(i, sum);
              dot += x.get(i) * sum;
            }
          }
          VectorBodies.leave(it, dot, false, sums, place);
        };
    return body;
  }

  /** Sets {@code y = a A x + b y} in some rows of several vectors; an item has one element. */
  static KernelBody wideRows(boolean listed, int width) {
    KernelBody.Of8<Reals, Reals, I32, I32, Reals, I32, Double, Double> body =
        (it, y, x, starts, columns, values, numbers, a, b) -> {
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

  // --- Slices -----------------------------------------------------------------------------------

  private static double product(int column, double value, Reals x, int width, long vector) {
    return column < 0 ? 0 : value * x.get((long) column * width + vector);
  }

  /** Returns the sum of a row of a slice for one of several vectors. */
  private static double sliced(
      I64 starts, I32 columns, Reals values, Reals x, long i, int width, long vector) {
    long k = starts.get(i / SLICE) + i % SLICE;
    long end = starts.get(i / SLICE + 1);
    double sum = 0;
    while (k + 3 * SLICE < end) {
      int first = columns.get(k);
      int second = columns.get(k + SLICE);
      int third = columns.get(k + 2 * SLICE);
      int fourth = columns.get(k + 3 * SLICE);
      double one = values.get(k);
      double two = values.get(k + SLICE);
      double three = values.get(k + 2 * SLICE);
      double four = values.get(k + 3 * SLICE);
      double a = product(first, one, x, width, vector);
      double b = product(second, two, x, width, vector);
      double c = product(third, three, x, width, vector);
      double d = product(fourth, four, x, width, vector);
      sum += a;
      sum += b;
      sum += c;
      sum += d;
      k += 4 * SLICE;
    }
    while (k < end) {
      sum += product(columns.get(k), values.get(k), x, width, vector);
      k += SLICE;
    }
    return sum;
  }

  /** Sets {@code y = a A x + b y} in some rows of some vectors; an item has one element. */
  static KernelBody slices(boolean listed, int width) {
    KernelBody.Of8<Reals, Reals, I64, I32, Reals, I32, Double, Double> body =
        (it, y, x, starts, columns, values, numbers, a, b) -> {
          long i = it.global() / width;
          long vector = it.global() % width;
          double sum = sliced(starts, columns, values, x, i, width, vector);
          store(y, (listed ? numbers.get(i) : i) * width + vector, sum, a, b);
        };
    return body;
  }

  /** Sets {@code y = A x}; each whole block leaves its part of x·A x. */
  static KernelBody slicesDot() {
    KernelBody.Of7<Reals, Reals, I64, I32, Reals, F64, Long> body =
        (it, y, x, starts, columns, values, sums, place) -> {
          double dot = 0;
          for (long i = it.global(); i < y.length(); i += it.globalSize()) {
            double sum = sliced(starts, columns, values, x, i, 1, 0);
            y.set(i, sum);
            dot += x.get(i) * sum;
          }
          VectorBodies.leave(it, dot, false, sums, place);
        };
    return body;
  }
}
