package dev.rialto.array.algorithm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.device.DeviceElementwise;
import dev.rialto.array.device.DeviceTemporaries;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.View;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.jit.library.Intervals;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Counts elements in intervals of one width. */
public final class HistogramCounts {
  /** Their counts, and that of elements in none, are an array of Java's. */
  private static final int MOST_INTERVALS = Integer.MAX_VALUE - 9;

  private HistogramCounts() {}

  /** Returns the elements in each interval and, last, those in none. */
  public static ArrayOperation<long[]> of(Operand array, double low, double high, int intervals) {
    if (intervals < 1
        || intervals > MOST_INTERVALS
        || !(low < high)
        || Double.isInfinite(high - low)) {
      throw new IllegalArgumentException(
          "%d intervals from %s to %s; give 1 to %d, of finite width"
              .formatted(intervals, low, high, MOST_INTERVALS));
    }
    boolean floating = Elements.real(array.type(), "a histogram").isFloating();
    return ArrayOperation.collective(
            "histogram",
            run -> {
              long[] own =
                  array.isOnDevice()
                      ? onDevice(run, array, low, high, intervals)
                      : onHost(run, array, floating, low, high, intervals);
              long[] all = sum(run.gatherLast(own), intervals + 1);
              return all;
            })
        .about(array, low, high, intervals);
  }

  private static long[] onHost(
      OperationRunner run,
      Operand array,
      boolean floating,
      double low,
      double high,
      int intervals) {
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
      OperationRunner run, Operand array, double low, double high, int intervals) {
    Operand dense = DeviceTemporaries.dense(run, array);
    long count = array.layout().count();
    long[] counts = new long[intervals + 1];
    if (count > 0) {
      try (Buffer found = array.client().empty(DType.I64, intervals)) {
        DeviceElementwise.kernels(array)
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
}
