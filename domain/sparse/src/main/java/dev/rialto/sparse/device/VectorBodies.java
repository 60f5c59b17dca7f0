package dev.rialto.sparse.device;

import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.jit.kernel.Subgroup;

/**
 * The kernels of vectors and of the numbers of a method.
 *
 * <p>Numbers are doubles by their places; the first of them says how the method ended, and while it
 * is not 0 no vector is updated. A factor is a value, times a number if it has a place. Several
 * places are passed as one long, each one more than it is, so that 0 is none. Each block of a
 * kernel that sums up leaves its part at a place of its own; {@link #compute} adds them up, in an
 * order that depends on their count only.
 */
final class VectorBodies {
  static final int PLACE_BITS = 21;

  /** The words of {@link #compute}: a place has 20 bits of each, and the operation the rest. */
  static final int STEP_BITS = 20;

  /** The steps that a launch of {@link #compute} has room for. */
  static final int STEPS = 256;

  private static final int SUBGROUPS = SparseKernels.BLOCK / Item.SUBGROUP;

  private VectorBodies() {}

  /** The terms of a sum over elements. */
  enum Sum {
    /** The product of two vectors. */
    DOT,
    /** The absolute values of the first. */
    ABSOLUTE,
    /** The largest absolute value of the first; infinite if one is not a number. */
    LARGEST
  }

  static KernelBody fill() {
    KernelBody.Of2<Reals, Double> body = (it, x, value) -> x.set(it.global(), value);
    return body;
  }

  /** Sets {@code z = d x}; vectors that are z itself are not passed. */
  static KernelBody multiply(boolean isD, boolean isX) {
    if (isD && isX) {
      KernelBody.Of1<Reals> body = (it, z) -> multiply(it, z, z, z);
      return body;
    }
    if (isD || isX) {
      KernelBody.Of2<Reals, Reals> body = (it, z, x) -> multiply(it, z, z, x);
      return body;
    }
    KernelBody.Of3<Reals, Reals, Reals> body = (it, z, d, x) -> multiply(it, z, d, x);
    return body;
  }

  private static void multiply(Item it, Reals z, Reals d, Reals x) {
    long i = it.global();
    z.set(i, d.get(i) * x.get(i));
  }

  // --- Updates by factors -----------------------------------------------------------------------

  private static int place(long places, int which) {
    return (int) (places >> (which * PLACE_BITS)) & ((1 << PLACE_BITS) - 1);
  }

  /** Returns a factor: a value, times a number if it has a place. */
  private static double factor(double value, F64 numbers, long places, int which) {
    int place = place(places, which);
    return place == 0 ? value : value * numbers.get(place - 1);
  }

  /**
   * Sets {@code z = a x + b y + c z}; what has a factor of 0 is not read, and vectors that are z
   * itself are not passed.
   */
  static KernelBody combine(boolean isX, boolean isY) {
    if (isX && isY) {
      KernelBody.Of6<Reals, F64, Double, Double, Double, Long> body =
          (it, z, numbers, a, b, c, places) -> combine(it, z, z, z, numbers, a, b, c, places);
      return body;
    }
    if (isX) {
      KernelBody.Of7<Reals, Reals, F64, Double, Double, Double, Long> body =
          (it, z, y, numbers, a, b, c, places) -> combine(it, z, z, y, numbers, a, b, c, places);
      return body;
    }
    if (isY) {
      KernelBody.Of7<Reals, Reals, F64, Double, Double, Double, Long> body =
          (it, z, x, numbers, a, b, c, places) -> combine(it, z, x, z, numbers, a, b, c, places);
      return body;
    }
    KernelBody.Of8<Reals, Reals, Reals, F64, Double, Double, Double, Long> body =
        (it, z, x, y, numbers, a, b, c, places) -> combine(it, z, x, y, numbers, a, b, c, places);
    return body;
  }

  private static void combine(
      Item it,
      Reals z,
      Reals x,
      Reals y,
      F64 numbers,
      double aValue,
      double bValue,
      double cValue,
      long places) {
    if (numbers.get(DeviceNumbers.ENDED) != 0) {
      return;
    }
    long i = it.global();
    double a = factor(aValue, numbers, places, 0);
    double b = factor(bValue, numbers, places, 1);
    double c = factor(cValue, numbers, places, 2);
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
  }

  /** Sets {@code x += a p} and then {@code p = z + b p}. */
  static KernelBody direction() {
    KernelBody.Of7<Reals, Reals, Reals, F64, Double, Double, Long> body =
        (it, x, p, z, numbers, aValue, bValue, places) -> {
          if (numbers.get(DeviceNumbers.ENDED) != 0) {
            return;
          }
          long i = it.global();
          double along = p.get(i);
          x.set(i, x.get(i) + factor(aValue, numbers, places, 0) * along);
          p.set(i, z.get(i) + factor(bValue, numbers, places, 1) * along);
        };
    return body;
  }

  /** Sets {@code r -= a q} and leaves the sum of r·r of each block. */
  static KernelBody subtractDot() {
    KernelBody.Of5<Reals, Reals, F64, Double, Long> body =
        (it, r, q, numbers, aValue, places) -> {
          if (numbers.get(DeviceNumbers.ENDED) != 0) {
            return;
          }
          double a = factor(aValue, numbers, places, 0);
          double sum = 0;
          for (long i = it.global(); i < r.length(); i += it.globalSize()) {
            r.set(i, r.get(i) - a * q.get(i));
            double left = r.get(i);
            sum += left * left;
          }
          leave(it, sum, false, numbers, place(places, 1) - 1);
        };
    return body;
  }

  /**
   * Sets {@code p = z + b p}, {@code s = w + b s}, {@code x += a p} and {@code r -= a s}, by
   * numbers a and b, and leaves the sum of r·r of each block.
   *
   * @param same whether z is r, whose memory is passed once then
   */
  static KernelBody step(boolean same) {
    if (same) {
      KernelBody.Of7<Reals, Reals, Reals, Reals, Reals, F64, Long> body =
          (it, p, s, x, r, w, numbers, places) -> step(it, p, s, x, r, w, r, numbers, places);
      return body;
    }
    KernelBody.Of8<Reals, Reals, Reals, Reals, Reals, Reals, F64, Long> body =
        (it, p, s, x, r, w, z, numbers, places) -> step(it, p, s, x, r, w, z, numbers, places);
    return body;
  }

  private static void step(
      Item it, Reals p, Reals s, Reals x, Reals r, Reals w, Reals z, F64 numbers, long places) {
    if (numbers.get(DeviceNumbers.ENDED) != 0) {
      return;
    }
    double a = factor(1, numbers, places, 0);
    double b = factor(1, numbers, places, 1);
    double sum = 0;
    for (long i = it.global(); i < r.length(); i += it.globalSize()) {
      double along = z.get(i) + b * p.get(i);
      double image = w.get(i) + b * s.get(i);
      p.set(i, along);
      s.set(i, image);
      x.set(i, x.get(i) + a * along);
      r.set(i, r.get(i) - a * image);
      double left = r.get(i);
      sum += left * left;
    }
    leave(it, sum, false, numbers, place(places, 2) - 1);
  }

  // --- Sums -------------------------------------------------------------------------------------

  /**
   * Returns the sum of the items of a whole block, or the largest of their values, to its first.
   */
  private static double ofBlock(Item it, double value, boolean largest) {
    double[] sums = it.sharedDoubles(SUBGROUPS);
    double own = largest ? Subgroup.max(it, value) : Subgroup.sum(it, value);
    if (it.lane() == 0) {
      sums[it.local() / Item.SUBGROUP] = own;
    }
    it.barrier();
    double all = sums[0];
    if (it.local() == 0) {
      for (int i = 1; i < SUBGROUPS; i++) {
        all = largest ? Math.max(all, sums[i]) : all + sums[i];
      }
    }
    it.barrier();
    return all;
  }

  /** Leaves the sum of a block at its place, the first block's being given. */
  static void leave(Item it, double value, boolean largest, F64 numbers, long first) {
    double all = ofBlock(it, value, largest);
    if (it.local() == 0) {
      numbers.set(first + it.block(), all);
    }
  }

  /** Leaves the sum of each block, taking every {@code stride}-th element. */
  static KernelBody reduce(Sum sum) {
    KernelBody.Of6<F64, Reals, Reals, Long, Long, Long> body =
        (it, numbers, x, y, n, stride, first) -> {
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
          leave(it, value, sum == Sum.LARGEST, numbers, first);
        };
    return body;
  }

  // --- Steps with numbers -----------------------------------------------------------------------

  private static int at(long step, int which) {
    return (int) (step >> (which * STEP_BITS)) & ((1 << STEP_BITS) - 1);
  }

  /**
   * Computes with numbers, in one block: first sums of what blocks have left, all items together,
   * then the other steps, the first item alone. See {@link DeviceNumbers.Operation}.
   */
  static KernelBody compute() {
    KernelBody.Of2<F64, I64> body =
        (it, numbers, given) -> {
          long[] steps = it.sharedLongs(STEPS);
          int count = (int) given.length();
          if (it.local() < count) {
            steps[it.local()] = given.get(it.local());
          }
          double ended = numbers.get(DeviceNumbers.ENDED);
          it.barrier();
          if (ended != 0) {
            return;
          }
          int next = 0;
          while (next < count && steps[next] >>> (3 * STEP_BITS) <= DeviceNumbers.LAST_SUM) {
            int operation = (int) (steps[next] >>> (3 * STEP_BITS));
            int first = at(steps[next], 1);
            int parts = at(steps[next], 2);
            double value = 0;
            for (int i = it.local(); i < parts; i += SparseKernels.BLOCK) {
              double part = numbers.get(first + i);
              value = operation == 1 ? Math.max(value, part) : value + part;
            }
            double all = ofBlock(it, value, operation == 1);
            if (it.local() == 0) {
              numbers.set(at(steps[next], 0), all);
            }
            next++;
          }
          if (it.local() == 0) {
            run(numbers, steps, next, count);
          }
        };
    return body;
  }

  private static void run(F64 numbers, long[] steps, int from, int count) {
    double ended = 0;
    for (int i = from; i < count && ended == 0; i++) {
      int to = at(steps[i], 0);
      double left = numbers.get(at(steps[i], 1));
      double right = numbers.get(at(steps[i], 2));
      boolean end = false;
      switch ((int) (steps[i] >>> (3 * STEP_BITS))) {
        case 2 -> numbers.set(to, left);
        case 3 -> numbers.set(to, left - right);
        case 4 -> numbers.set(to, left * right);
        case 5 -> numbers.set(to, left / right);
        case 6 -> numbers.set(to, Math.sqrt(left));
        case 7 -> {
          double appended = numbers.get(DeviceNumbers.APPENDED);
          numbers.set(DeviceNumbers.HISTORY + (long) appended % DeviceNumbers.KEPT, left);
          numbers.set(DeviceNumbers.APPENDED, appended + 1);
        }
        case 8 -> end = left == right;
        case 9 -> end = left < right;
        case 10 -> end = left <= right;
        default -> end = !(Math.abs(left) <= Double.MAX_VALUE);
      }
      if (end) {
        ended = to;
      }
    }
    numbers.set(DeviceNumbers.ENDED, ended);
  }
}
