package dev.rialto.jit.library;

import dev.rialto.jit.kernel.F32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.jit.kernel.Tunable;
import dev.rialto.jit.kernel.Tunable.Candidate;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;

/** Counts of elements in intervals of one width. Launches are over elements and intervals. */
final class HistogramKernels {
  private static final int BLOCK = 256;

  /** The elements of an item, at least. */
  private static final long EACH = 16;

  private static final long MOST_ITEMS = 1 << 18;

  /** The elements that a block takes at a time. */
  private static final int CHUNK = 8 * BLOCK;

  /** The most counters that a block has for itself. */
  private static final int MOST_SHARED = 4096;

  private HistogramKernels() {}

  /**
   * Makes the work for a type.
   *
   * @param intervals a constant of the kernel with counters of a block
   */
  static Tunable of(JavaKernels settings, DType type, int intervals) {
    JavaKernels on = settings.withElements(type).withBlock(BLOCK);
    boolean real = type.kind() == DType.Kind.FLOAT;
    Candidate alone =
        new Candidate(
            "counters of all", on, real ? alone() : aloneIntegers(), HistogramKernels::items);
    if (intervals > MOST_SHARED) {
      return Tunable.of("histogram of " + type, alone);
    }
    return Tunable.of(
        "histogram of " + type,
        alone,
        new Candidate("counters of blocks", on, shared(type, intervals), HistogramKernels::items));
  }

  private static KernelBody shared(DType type, int intervals) {
    return switch (type) {
      case F32 -> sharedFloats(intervals);
      case F64, F16, BF16 -> shared(intervals);
      default -> sharedIntegers(intervals);
    };
  }

  private static Shape items(Shape size) {
    long items = Math.clamp(size.extent(0) / EACH, 1, MOST_ITEMS);
    return Shape.of((items + BLOCK - 1) / BLOCK * BLOCK);
  }

  private static KernelBody alone() {
    KernelBody.Of4<I64, Reals, Double, Double> body =
        (Item it, I64 counts, Reals x, Double low, Double high) -> {
          for (long i = it.global(); i < x.length(); i += it.globalSize()) {
            int at = Intervals.of(x.get(i), low, high, (int) counts.length());
            if (at >= 0) {
              it.atomicAdd(counts, at, 1L);
            }
          }
        };
    return body;
  }

  private static KernelBody aloneIntegers() {
    KernelBody.Of4<I64, Integers, Double, Double> body =
        (Item it, I64 counts, Integers x, Double low, Double high) -> {
          for (long i = it.global(); i < x.length(); i += it.globalSize()) {
            int at = Intervals.of((double) x.get(i), low, high, (int) counts.length());
            if (at >= 0) {
              it.atomicAdd(counts, at, 1L);
            }
          }
        };
    return body;
  }

  private static KernelBody shared(int intervals) {
    KernelBody.Of4<I64, Reals, Double, Double> body =
        (Item it, I64 counts, Reals x, Double low, Double high) ->
            shared(
                it,
                counts,
                i -> x.get(i),
                x.length(),
                low,
                high,
                intervals,
                new Doubles(it.sharedDoubles(intervals), low, high, intervals / (high - low)));
    return body;
  }

  private static KernelBody sharedFloats(int intervals) {
    KernelBody.Of4<I64, F32, Double, Double> body =
        (Item it, I64 counts, F32 x, Double low, Double high) ->
            shared(
                it,
                counts,
                i -> x.get(i),
                x.length(),
                low,
                high,
                intervals,
                new Singles(
                    it.sharedFloats(intervals),
                    up(low),
                    -up(-high),
                    (float) (intervals / (high - low)),
                    (float) (-low * (intervals / (high - low)) - 0.5)));
    return body;
  }

  private static KernelBody sharedIntegers(int intervals) {
    KernelBody.Of4<I64, Integers, Double, Double> body =
        (Item it, I64 counts, Integers x, Double low, Double high) ->
            shared(
                it,
                counts,
                i -> (double) x.get(i),
                x.length(),
                low,
                high,
                intervals,
                new Doubles(it.sharedDoubles(intervals), low, high, intervals / (high - low)));
    return body;
  }

  /** An element as a double. */
  private interface Element {
    double at(long i);
  }

  /**
   * Finds intervals by a multiplication, which is half an interval low, and by where the interval
   * that it leads to ends. Multiplication, addition and rounding keep the order of numbers, so that
   * all are found if the ends are.
   */
  private sealed interface Ends {
    /** Sets where an interval ends. */
    void set(int interval, double end);

    /** Returns the interval of a number inside, or the one before it. */
    int guess(double value);

    /** Returns the interval of a number, or how many there are if it is outside. */
    int of(double value, int intervals);
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Doubles(double[] ends, double low, double high, double scale) implements Ends {
    @Override
    public void set(int interval, double end) {
      ends[interval] = end;
    }

    @Override
    public int guess(double value) {
      return Math.max(0, (int) (value * scale + (-low * scale - 0.5)));
    }

    @Override
    @SuppressWarnings(
        "ShortCircuitBoolean") // A branch would keep elements from going side by side.
    public int of(double value, int intervals) {
      boolean inside = value >= low & value <= high;
      int at = guess(inside ? value : low);
      int next = value >= ends[at] ? at + 1 : at;
      return inside ? next : intervals;
    }
  }

  /** Finds the intervals of floats by floats: the first that is not below a border. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Singles(float[] ends, float low, float high, float scale, float shift)
      implements Ends {
    @Override
    public void set(int interval, double end) {
      ends[interval] = up(end);
    }

    @Override
    public int guess(double value) {
      return Math.max(0, (int) ((float) value * scale + shift));
    }

    @Override
    @SuppressWarnings(
        "ShortCircuitBoolean") // A branch would keep elements from going side by side.
    public int of(double value, int intervals) {
      float single = (float) value;
      boolean inside = single >= low & single <= high;
      int at = guess(inside ? single : low);
      int next = single >= ends[at] ? at + 1 : at;
      return inside ? next : intervals;
    }
  }

  /** Returns the least float that is not below a number. */
  private static float up(double value) {
    float near = (float) value;
    int next = Float.floatToRawIntBits(near) + (near >= 0 ? 1 : -1);
    return near < value ? Float.intBitsToFloat(next) : near;
  }

  private static void shared(
      Item it,
      I64 counts,
      Element x,
      long length,
      double low,
      double high,
      int intervals,
      Ends ends) {
    int[] found = it.sharedInts(intervals + 1);
    int[] unsure = it.sharedInts(1);
    if (it.local() == 0) {
      unsure[0] = 0;
    }
    it.barrier();
    for (int k = it.local(); k < intervals; k += BLOCK) {
      found[k] = 0;
      boolean last = k + 1 == intervals;
      double end = last ? high : Intervals.border(k + 1, low, high, intervals);
      ends.set(k, last ? Double.POSITIVE_INFINITY : end);
      if (ends.guess(end) != k) {
        it.atomicMax(unsure, 0, 1);
      }
    }
    it.barrier();
    if (unsure[0] == 0) {
      count(it, found, x, length, intervals, ends);
    } else {
      for (long i = it.global(); i < length; i += it.globalSize()) {
        int at = Intervals.of(x.at(i), low, high, intervals);
        if (at >= 0) {
          it.atomicAdd(found, at, 1);
        }
      }
    }
    it.barrier();
    for (int k = it.local(); k < intervals; k += BLOCK) {
      it.atomicAdd(counts, k, (long) found[k]);
    }
  }

  /**
   * Counts all elements of a block, a chunk at a time, whose reads are under way at once. Those
   * outside are counted too, behind all intervals: a branch for each would cost more.
   */
  private static void count(
      Item it, int[] found, Element x, long length, int intervals, Ends ends) {
    long i = it.block() * CHUNK + it.local();
    for (; i + (CHUNK - BLOCK) < length; i += it.blocks() * CHUNK) {
      double a = x.at(i);
      double b = x.at(i + BLOCK);
      double c = x.at(i + 2 * BLOCK);
      double d = x.at(i + 3 * BLOCK);
      double e = x.at(i + 4 * BLOCK);
      double f = x.at(i + 5 * BLOCK);
      double g = x.at(i + 6 * BLOCK);
      double h = x.at(i + 7 * BLOCK);
      it.atomicAdd(found, ends.of(a, intervals), 1);
      it.atomicAdd(found, ends.of(b, intervals), 1);
      it.atomicAdd(found, ends.of(c, intervals), 1);
      it.atomicAdd(found, ends.of(d, intervals), 1);
      it.atomicAdd(found, ends.of(e, intervals), 1);
      it.atomicAdd(found, ends.of(f, intervals), 1);
      it.atomicAdd(found, ends.of(g, intervals), 1);
      it.atomicAdd(found, ends.of(h, intervals), 1);
    }
    for (long stop = Math.min(length, i + CHUNK); i < stop; i += BLOCK) {
      it.atomicAdd(found, ends.of(x.at(i), intervals), 1);
    }
  }
}
