package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.generated.Draw;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * A random program of loops, nested in one another; the model knows how often each index runs and
 * which exception must come out.
 */
final class LoopScript {
  private static final int MOST = 3000;

  /** The exception of an index. */
  private static final class Thrown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Thrown(long index) {
      super("index " + index);
    }
  }

  private final Executor executor;
  private final Draw draw;
  private final Coverage coverage;

  LoopScript(Executor executor, long seed, Coverage coverage) {
    this.executor = executor;
    this.draw = new Draw(seed);
    this.coverage = coverage;
  }

  void run(int loops) {
    for (int i = 0; i < loops; i++) {
      int count = draw.once(6) ? 0 : (int) draw.magnitude(MOST);
      long begin = draw.once(2) ? 0 : draw.number() >> 2;
      long grain = draw.once(5) ? 0 : draw.magnitude(count + 2L);
      int inner = draw.once(3) ? 1 + draw.below(5) : 0;
      Set<Integer> failing = new HashSet<>();
      if (count > 0 && draw.once(3)) {
        for (int k = 0; k <= draw.below(4); k++) {
          failing.add(draw.below(count));
        }
      }
      int cancels =
          count > 0 && grain > 0 && failing.isEmpty() && draw.once(6) ? draw.below(count) : -1;
      loop(begin, count, grain, inner, failing, cancels);
      coverage
          .addSize("loop", count)
          .add("loop", Coverage.Dimension.FORM, grain == 0 ? "own grain" : "given grain")
          .add("loop", Coverage.Dimension.FORM, inner == 0 ? "plain" : "nested")
          .add("loop", Coverage.Dimension.FORM, failing.isEmpty() ? "well" : "failing")
          .add("loop", Coverage.Dimension.FORM, cancels < 0 ? "to the end" : "cancelled");
    }
  }

  private void loop(
      long begin, int count, long grain, int inner, Set<Integer> failing, int cancels) {
    AtomicIntegerArray ran = new AtomicIntegerArray(count);
    long[] sums = new long[count];
    Cancellation cancellation = new Cancellation();
    RangeBody body =
        (from, to) -> {
          assertTrue(from < to, "an empty chunk");
          assertTrue(grain == 0 || to - from <= grain, "a chunk longer than the grain");
          for (long index = from; index < to; index++) {
            int i = (int) (index - begin);
            ran.incrementAndGet(i);
            if (inner > 0 && i % 37 == 0) {
              AtomicIntegerArray within = new AtomicIntegerArray(inner);
              executor.parallelFor(0, inner, 1, (first, _) -> within.incrementAndGet((int) first));
              for (int k = 0; k < inner; k++) {
                assertEquals(1, within.get(k), "an index of a nested loop");
              }
            }
            if (i == cancels) {
              cancellation.cancel();
            }
            if (failing.contains(i)) {
              throw new Thrown(i);
            }
            sums[i] = 3L * i + 1;
          }
        };
    RuntimeException thrown = null;
    try {
      if (cancels >= 0 || (grain > 0 && count % 3 == 0)) {
        executor.parallelFor(begin, begin + count, grain, cancellation, body);
      } else if (grain == 0) {
        executor.parallelFor(begin, begin + count, body);
      } else {
        executor.parallelFor(begin, begin + count, grain, body);
      }
    } catch (Thrown | CancellationException e) {
      thrown = e;
    }
    check(count, failing, cancels, ran, sums, thrown);
  }

  private static void check(
      int count,
      Set<Integer> failing,
      int cancels,
      AtomicIntegerArray ran,
      long[] sums,
      @Nullable RuntimeException thrown) {
    boolean all = true;
    for (int i = 0; i < count; i++) {
      assertTrue(ran.get(i) <= 1, "an index ran twice");
      all &= ran.get(i) == 1;
    }
    if (thrown == null) {
      assertTrue(all, "an index did not run, and nothing was thrown");
      assertTrue(failing.isEmpty(), "a failure was lost");
      for (int i = 0; i < count; i++) {
        assertEquals(3L * i + 1, sums[i], "what an index wrote");
      }
      return;
    }
    if (thrown instanceof CancellationException) {
      assertTrue(cancels >= 0, "cancelled without a cancel");
      return;
    }
    assertTrue(isOf(thrown, failing, ran), "thrown by no index that ran: " + thrown.getMessage());
    assertNull(thrown.getCause(), "it was wrapped");
    for (Throwable other : thrown.getSuppressed()) {
      assertTrue(isOf(other, failing, ran), "suppressed, but of no index that ran: " + other);
    }
    int failed = 0;
    for (int i : failing) {
      failed += ran.get(i);
    }
    assertEquals(failed, 1 + thrown.getSuppressed().length, "failures that came out");
    assertNotNull(thrown.getMessage());
  }

  private static boolean isOf(Throwable thrown, Set<Integer> failing, AtomicIntegerArray ran) {
    return failing.stream()
        .anyMatch(i -> ran.get(i) == 1 && ("index " + i).equals(thrown.getMessage()));
  }
}
