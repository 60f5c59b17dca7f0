package dev.rialto.jit.library;

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
        new Candidate(
            "counters of blocks",
            on,
            real ? shared(intervals) : sharedIntegers(intervals),
            HistogramKernels::items));
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
            shared(it, counts, i -> x.get(i), x.length(), low, high, intervals);
    return body;
  }

  private static KernelBody sharedIntegers(int intervals) {
    KernelBody.Of4<I64, Integers, Double, Double> body =
        (Item it, I64 counts, Integers x, Double low, Double high) ->
            shared(it, counts, i -> (double) x.get(i), x.length(), low, high, intervals);
    return body;
  }

  /** An element as a double. */
  private interface Element {
    double at(long i);
  }

  private static void shared(
      Item it, I64 counts, Element x, long length, double low, double high, int intervals) {
    int[] found = it.sharedInts(intervals);
    double[] borders = it.sharedDoubles(intervals);
    for (int k = it.local(); k < intervals; k += BLOCK) {
      found[k] = 0;
      borders[k] = Intervals.border(k, low, high, intervals);
    }
    it.barrier();
    long far = it.globalSize();
    long i = it.global();
    // Four reads at a time are under way.
    for (; i + 3 * far < length; i += 4 * far) {
      double first = x.at(i);
      double second = x.at(i + far);
      double third = x.at(i + 2 * far);
      double fourth = x.at(i + 3 * far);
      count(it, found, borders, first, low, high, intervals);
      count(it, found, borders, second, low, high, intervals);
      count(it, found, borders, third, low, high, intervals);
      count(it, found, borders, fourth, low, high, intervals);
    }
    for (; i < length; i += far) {
      count(it, found, borders, x.at(i), low, high, intervals);
    }
    it.barrier();
    for (int k = it.local(); k < intervals; k += BLOCK) {
      it.atomicAdd(counts, k, (long) found[k]);
    }
  }

  /** Counts a number as {@link Intervals#of} does, with borders that are known. */
  private static void count(
      Item it,
      int[] found,
      double[] borders,
      double value,
      double low,
      double high,
      int intervals) {
    if (value >= low && value <= high) {
      int at = Intervals.guess(value, low, high, intervals);
      if (at + 1 < intervals && value >= borders[at + 1]) {
        at++;
      } else if (value < borders[at]) {
        at--;
      }
      it.atomicAdd(found, at, 1);
    }
  }
}
