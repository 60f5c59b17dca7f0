package dev.rialto.runtime.limits;

import java.util.Arrays;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The loops behind {@link MachineLimits}: a triad for the bandwidth, chains of multiply-adds for
 * the arithmetic.
 *
 * <p>They are plain loops over arrays because the JVM's compiler makes full vectors of these
 * without a module that may be missing. A chain of {@value #CHAIN} per element keeps loads and
 * stores out of the way; neighbouring elements are independent, so the processor overlaps their
 * chains; arrays as large as the first cache allows make the scalar ends of each pass negligible.
 * All threads start a sample together, and it lasts until the slowest is done.
 */
final class LimitLoops {
  private static final int CHAIN = 8;
  private static final int CHAIN_BYTES = 32 << 10;
  private static final long MOST_TRIAD_BYTES = 192L << 20;
  private static final int SAMPLES = 12;
  private static final int WARM_UP = 6;

  /** Chains stay finite whatever the number of turns: x becomes x / 2 + 1 / 2. */
  private static final double HALF = 0.5;

  private final int threads;

  public LimitLoops(int threads) {
    this.threads = threads;
  }

  public MachineLimits measure() {
    int turns = 2000;
    double operations = 2.0 * CHAIN * CHAIN_BYTES * turns * threads;
    // Three arrays per thread, as many of them as a small heap can hold.
    long bytes = Math.min(MOST_TRIAD_BYTES, Runtime.getRuntime().maxMemory() / 4);
    int elements = (int) (bytes / 24 / threads);
    return new MachineLimits(
        threads,
        24.0 * elements * threads / seconds(() -> triad(elements)),
        operations / Float.BYTES / seconds(() -> floatChains(turns)),
        operations / Double.BYTES / seconds(() -> doubleChains(turns)));
  }

  /** The shortest sample; each thread makes its own data, so that it is in memory near to it. */
  private double seconds(Supplier<Runnable> work) {
    CyclicBarrier barrier = new CyclicBarrier(threads);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    long[] best = new long[1];
    Thread[] team = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      int rank = t;
      team[t] =
          Thread.ofPlatform()
              .daemon()
              .name("rialto-limits-" + t)
              .start(
                  () -> {
                    try {
                      long shortest = samples(work.get(), barrier);
                      if (rank == 0) {
                        best[0] = shortest;
                      }
                    } catch (RuntimeException | Error e) {
                      failure.compareAndSet(null, e);
                      barrier.reset();
                    }
                  });
    }
    try {
      for (Thread thread : team) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Arrays.stream(team).forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the machine's limits were measured", e);
    }
    if (failure.get() != null) {
      throw new IllegalStateException(
          "the limits of " + threads + " threads cannot be measured: " + failure.get(),
          failure.get());
    }
    return best[0] / 1e9;
  }

  private static long samples(Runnable work, CyclicBarrier barrier) {
    long shortest = Long.MAX_VALUE;
    try {
      for (int sample = -WARM_UP; sample < SAMPLES; sample++) {
        barrier.await();
        long start = System.nanoTime();
        work.run();
        barrier.await();
        if (sample >= 0) {
          shortest = Math.min(shortest, System.nanoTime() - start);
        }
      }
    } catch (InterruptedException | BrokenBarrierException e) {
      // The caller gave up or another thread failed, and says so.
      Thread.currentThread().interrupt();
    }
    return shortest;
  }

  private static Runnable triad(int elements) {
    double[] a = new double[elements];
    double[] b = new double[elements];
    double[] c = new double[elements];
    Arrays.fill(a, 1);
    Arrays.fill(b, 2);
    Arrays.fill(c, 3);
    return () -> triad(a, b, c);
  }

  private static void triad(double[] a, double[] b, double[] c) {
    for (int i = 0; i < a.length; i++) {
      a[i] = b[i] + 3 * c[i];
    }
  }

  private static Runnable floatChains(int turns) {
    float[] x = new float[CHAIN_BYTES / Float.BYTES];
    return () -> {
      for (int turn = 0; turn < turns; turn++) {
        chain(x, (float) HALF);
      }
    };
  }

  private static void chain(float[] x, float half) {
    for (int i = 0; i < x.length; i++) {
      float v = x[i];
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      x[i] = v;
    }
  }

  private static Runnable doubleChains(int turns) {
    double[] x = new double[CHAIN_BYTES / Double.BYTES];
    return () -> {
      for (int turn = 0; turn < turns; turn++) {
        chain(x, HALF);
      }
    };
  }

  private static void chain(double[] x, double half) {
    for (int i = 0; i < x.length; i++) {
      double v = x[i];
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      v = Math.fma(v, half, half);
      x[i] = v;
    }
  }
}
