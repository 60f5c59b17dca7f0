package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.jit.library.Intervals;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** How many elements lie in each of several intervals of one width; see {@link Array#histogram}. */
public final class Histogram {
  private final double low;
  private final double high;
  private final long[] counts;
  private final long outside;

  private Histogram(double low, double high, long[] counts, long outside) {
    this.low = low;
    this.high = high;
    this.counts = counts;
    this.outside = outside;
  }

  static ArrayOperation<Histogram> of(Array array, double low, double high, int intervals) {
    if (intervals < 1 || !(low < high) || Double.isInfinite(high - low)) {
      throw new IllegalArgumentException(
          "%d intervals from %s to %s; give at least 1, of finite width"
              .formatted(intervals, low, high));
    }
    boolean floating = Elements.real(array.type(), "a histogram").isFloating();
    return ArrayOperation.collective(
            array.team(),
            "histogram",
            run -> {
              long[] own =
                  array.isOnDevice()
                      ? onDevice(run, array, low, high, intervals)
                      : onHost(run, array, floating, low, high, intervals);
              long[] all = sum(run.gatherLast(own), intervals + 1);
              return new Histogram(low, high, Arrays.copyOf(all, intervals), all[intervals]);
            })
        .about(array, low, high, intervals);
  }

  private static long[] onHost(
      OperationRunner run, Array array, boolean floating, double low, double high, int intervals) {
    View view = array.values();
    long[][] parts = new long[OperationRunner.chunksOf(view.count())][intervals + 1];
    run.stretches(
        0,
        view.count(),
        (chunk, at, count) -> count(view, at, count, floating, low, high, parts[chunk]),
        view);
    return sum(parts, intervals + 1);
  }

  private static long[] onDevice(
      OperationRunner run, Array array, double low, double high, int intervals) {
    Array dense = DeviceTemporaries.dense(run, array);
    long count = array.part().count();
    long[] counts = new long[intervals + 1];
    if (count > 0) {
      try (Buffer found = array.client().empty(DType.I64, intervals)) {
        OnDevice.kernels(array)
            .library()
            .histogram(
                new Tensor(found, Shape.of(intervals), Layout.contiguous(DType.I64, intervals)),
                new Tensor(dense.buffer(), Shape.of(count), Layout.contiguous(dense.type(), count)),
                low,
                high);
        MemorySegment.copy(array.client().read(found), JAVA_LONG, 0, counts, 0, intervals);
      }
    }
    counts[intervals] = count - Arrays.stream(counts).sum();
    return counts;
  }

  private static void count(
      View view, long at, long count, boolean floating, double low, double high, long[] counts) {
    Elements elements = view.elements();
    int intervals = counts.length - 1;
    for (long i = 0; i < count; i++) {
      long bits = elements.get(view.address(at + i));
      double value = floating ? Double.longBitsToDouble(bits) : bits;
      int interval = Intervals.of(value, low, high, intervals);
      counts[interval < 0 ? intervals : interval]++;
    }
  }

  private static long[] sum(long[][] parts, int length) {
    long[] sum = new long[length];
    for (long[] part : parts) {
      Arrays.setAll(sum, i -> sum[i] + part[i]);
    }
    return sum;
  }

  /** Returns how many intervals there are. */
  public int intervals() {
    return counts.length;
  }

  /** Returns the elements in an interval. */
  public long count(int interval) {
    return counts[interval];
  }

  /** Returns where an interval begins; that after the last gives its end. */
  public double border(int interval) {
    return Intervals.border(interval, low, high, counts.length);
  }

  /** Returns the elements in none of the intervals, NaN among them. */
  public long outside() {
    return outside;
  }
}
