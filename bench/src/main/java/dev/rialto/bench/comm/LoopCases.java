package dev.rialto.bench.comm;

import com.sun.management.ThreadMXBean;
import dev.rialto.bench.Samples;
import dev.rialto.spi.exec.Executor;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;

/** Parallel loops: one limited by memory, one that does nothing and shows what a loop costs. */
final class LoopCases {
  static final String TRIAD = "parallelFor/triad";
  static final String EMPTY = "parallelFor/empty";
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final long EMPTY_RANGE = 64 << 20;

  private final Executor executor;
  private final Triad triad;
  private final int triads;
  private final int empties;

  LoopCases(Executor executor, Triad triad, boolean quick) {
    this.executor = executor;
    this.triad = triad;
    this.triads = quick ? 3 : 7;
    this.empties = quick ? 20_000 : 100_000;
  }

  /** Returns the microseconds of each case, and under {@code case/allocated} its bytes. */
  Map<String, Double> times() {
    Map<String, Double> times = new LinkedHashMap<>();
    Samples samples = new Samples();
    long allocated = Long.MAX_VALUE;
    for (int i = 0; i < triads; i++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      long start = System.nanoTime();
      triad.run(executor);
      long took = System.nanoTime() - start;
      allocated = Math.min(allocated, THREADS.getCurrentThreadAllocatedBytes() - before);
      samples.add(TRIAD, took / 1e3);
    }
    times.put(TRIAD, samples.median(TRIAD).orElseThrow());
    times.put(TRIAD + "/allocated", (double) allocated);
    empty(empties / 10);
    long before = THREADS.getCurrentThreadAllocatedBytes();
    times.put(EMPTY, empty(empties));
    times.put(
        EMPTY + "/allocated",
        (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / empties);
    return times;
  }

  private double empty(int repeat) {
    long start = System.nanoTime();
    for (int i = 0; i < repeat; i++) {
      executor.parallelFor(0, EMPTY_RANGE, LoopCases::nothing);
    }
    return (System.nanoTime() - start) / 1e3 / repeat;
  }

  /** Returns the microseconds of an empty parallel stream of as many chunks. */
  double emptyStream() {
    int chunks = 8 * executor.parallelism();
    long start = System.nanoTime();
    for (int i = 0; i < empties / 10; i++) {
      IntStream.range(0, chunks).parallel().forEach(_ -> {});
    }
    return (System.nanoTime() - start) / 1e3 / (empties / 10.0);
  }

  private static void nothing(long from, long to) {
    if (from > to) {
      throw new IllegalStateException("a chunk from " + from + " to " + to);
    }
  }
}
