package dev.rialto.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.management.ThreadMXBean;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParallelForTest {
  private static final RangeBody NOTHING = (begin, end) -> {};

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void eachIndexIsGivenOnceInChunksOfAtMostTheGrain(int parallelism) {
    long seed = 7_001L + parallelism;
    Random random = new Random(seed);
    // A low limit of chunks per turn, so that some ranges take several.
    try (var executor = new WorkStealingExecutor(parallelism, 1000)) {
      for (int i = 0; i < 200; i++) {
        int count = random.nextInt(5000);
        long begin = random.nextInt(3) == 0 ? Long.MAX_VALUE - count : random.nextLong() >> 1;
        long grain = random.nextBoolean() ? 1 : random.nextInt(1, 700);
        AtomicIntegerArray visits = new AtomicIntegerArray(count);
        executor.parallelFor(
            begin,
            begin + count,
            grain,
            (first, end) -> {
              assertThat(end - first).isBetween(1L, grain);
              for (long index = first; index < end; index++) {
                visits.incrementAndGet((int) (index - begin));
              }
            });
        for (int index = 0; index < count; index++) {
          assertThat(visits.get(index)).as("index %d of %d, seed %d", index, count, seed).isOne();
        }
      }
    }
  }

  @Test
  void theWholeRangeOfLongWorks() {
    try (var executor = new WorkStealingExecutor(3)) {
      AtomicLong indices = new AtomicLong();
      RangeBody count = (begin, end) -> indices.addAndGet(end - begin);
      executor.parallelFor(0, Long.MAX_VALUE, 1L << 50, count);
      assertThat(indices.getAndSet(0)).isEqualTo(Long.MAX_VALUE);
      executor.parallelFor(Long.MIN_VALUE, -1, Long.MAX_VALUE, count);
      assertThat(indices.getAndSet(0)).isEqualTo(Long.MAX_VALUE);
      executor.parallelFor(Long.MIN_VALUE, -1, count);
      assertThat(indices.get()).isEqualTo(Long.MAX_VALUE);
    }
  }

  @Test
  void moreChunksThanAnybodyCouldRunEndAtTheFirstFailure() {
    try (var executor = new WorkStealingExecutor(2)) {
      IllegalStateException failure = new IllegalStateException("enough");
      assertThatThrownBy(
              () ->
                  executor.parallelFor(
                      0,
                      Long.MAX_VALUE,
                      1,
                      (begin, end) -> {
                        throw failure;
                      }))
          .isSameAs(failure);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void wrongRangesAreRefusedAndEmptyOnesCallNothing(int parallelism) {
    RangeBody never =
        (begin, end) -> {
          throw new AssertionError("called for " + begin + " to " + end);
        };
    try (var executor = new WorkStealingExecutor(parallelism)) {
      executor.parallelFor(5, 5, 1, never);
      executor.parallelFor(5, 5, never);
      executor.parallelFor(Long.MIN_VALUE, Long.MIN_VALUE, 1, new Cancellation(), never);
      assertThatThrownBy(() -> executor.parallelFor(6, 5, 1, never))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("6")
          .hasMessageContaining("5");
      assertThatThrownBy(() -> executor.parallelFor(6, 5, never))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> executor.parallelFor(0, 5, 0, never))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("grain 0");
      assertThatThrownBy(() -> executor.parallelFor(-2, Long.MAX_VALUE, never))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("2^63-1");
      assertThatThrownBy(() -> executor.parallelFor(-2, Long.MAX_VALUE, 1, never))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("2^63-1");
    }
    assertThatThrownBy(() -> new WorkStealingExecutor(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void allThreadsWorkAtOnce() {
    try (var executor = new WorkStealingExecutor(4)) {
      for (int i = 0; i < 20; i++) {
        CyclicBarrier together = new CyclicBarrier(4);
        executor.parallelFor(0, 4, 1, (begin, end) -> await(together));
      }
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatChunksWroteIsSeenByTheCaller() {
    try (var executor = new WorkStealingExecutor(4)) {
      long[] plain = new long[1000];
      for (long round = 1; round <= 2000; round++) {
        long value = round;
        executor.parallelFor(
            0,
            plain.length,
            17,
            (begin, end) -> {
              for (long i = begin; i < end; i++) {
                plain[(int) i] = value * i;
              }
            });
        for (int i = 0; i < plain.length; i++) {
          if (plain[i] != value * i) {
            throw new AssertionError("round " + round + ": element " + i + " is " + plain[i]);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void theFirstFailureIsThrownAsItIsAndTheRestIsSkipped(int parallelism) {
    try (var executor = new WorkStealingExecutor(parallelism)) {
      for (Throwable failure :
          List.of(
              new IllegalStateException("unchecked"),
              new IOException("checked"),
              new AssertionError("error"),
              new StackOverflowError("overflow"))) {
        AtomicInteger running = new AtomicInteger();
        AtomicLong begun = new AtomicLong();
        Throwable thrown =
            catchThrowable(
                () ->
                    executor.parallelFor(
                        0,
                        1_000_000,
                        1,
                        (begin, end) -> {
                          running.incrementAndGet();
                          try {
                            if (begun.incrementAndGet() == 3) {
                              throw WorkStealingExecutor.unchecked(failure);
                            }
                          } finally {
                            running.decrementAndGet();
                          }
                        }));
        assertThat(thrown).isSameAs(failure);
        assertThat(running).hasValue(0);
        assertThat(begun.get()).isLessThan(1_000_000);
      }
    }
  }

  @Test
  void failuresOfOtherChunksAreSuppressedInTheFirst() {
    try (var executor = new WorkStealingExecutor(3)) {
      CyclicBarrier together = new CyclicBarrier(3);
      Throwable thrown =
          catchThrowable(
              () ->
                  executor.parallelFor(
                      0,
                      3,
                      1,
                      (begin, end) -> {
                        await(together);
                        throw new IllegalStateException("chunk " + begin);
                      }));
      List<String> messages = new ArrayList<>(List.of(thrown.getMessage()));
      for (Throwable other : thrown.getSuppressed()) {
        messages.add(other.getMessage());
      }
      assertThat(messages).containsExactlyInAnyOrder("chunk 0", "chunk 1", "chunk 2");
    }
  }

  @Test
  void chunksMayThrowOneAndTheSameObject() {
    try (var executor = new WorkStealingExecutor(3)) {
      CyclicBarrier together = new CyclicBarrier(3);
      IllegalStateException shared = new IllegalStateException("shared");
      assertThatThrownBy(
              () ->
                  executor.parallelFor(
                      0,
                      3,
                      1,
                      (begin, end) -> {
                        await(together);
                        throw shared;
                      }))
          .isSameAs(shared)
          .hasNoSuppressedExceptions();
    }
  }

  @Test
  void aBodyThatOverflowsTheStackFailsTheLoopAndNothingElse() {
    try (var executor = new WorkStealingExecutor(3)) {
      for (int i = 0; i < 5; i++) {
        assertThatThrownBy(() -> executor.parallelFor(0, 30, 1, (begin, end) -> overflow(begin)))
            .isInstanceOf(StackOverflowError.class);
      }
      AtomicLong sum = new AtomicLong();
      executor.parallelFor(0, 1000, 1, (begin, end) -> sum.addAndGet(begin));
      assertThat(sum).hasValue(499_500);
    }
  }

  @SuppressWarnings("InfiniteRecursion")
  private static long overflow(long n) {
    return overflow(n + 1) + 1;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void cancellingSkipsWhatHasNotBegun(int parallelism) {
    try (var executor = new WorkStealingExecutor(parallelism)) {
      Cancellation cancellation = new Cancellation();
      AtomicLong begun = new AtomicLong();
      AtomicInteger running = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  executor.parallelFor(
                      0,
                      Long.MAX_VALUE,
                      1,
                      cancellation,
                      (begin, end) -> {
                        running.incrementAndGet();
                        if (begun.incrementAndGet() == 100) {
                          cancellation.cancel();
                        }
                        running.decrementAndGet();
                      }))
          .isInstanceOf(CancellationException.class);
      assertThat(running).hasValue(0);
      assertThat(begun.get()).isGreaterThanOrEqualTo(100);

      long before = begun.get();
      assertThatThrownBy(
              () ->
                  executor.parallelFor(
                      0, 100, 1, cancellation, (begin, end) -> begun.incrementAndGet()))
          .isInstanceOf(CancellationException.class);
      assertThat(begun).hasValue(before);
      executor.parallelFor(0, 100, 1, new Cancellation(), NOTHING);
    }
  }

  @Test
  void aFailureCountsForMoreThanACancellation() {
    try (var executor = new WorkStealingExecutor(2)) {
      Cancellation cancellation = new Cancellation();
      assertThatThrownBy(
              () ->
                  executor.parallelFor(
                      0,
                      100,
                      1,
                      cancellation,
                      (begin, end) -> {
                        cancellation.cancel();
                        throw new IllegalStateException("both");
                      }))
          .hasMessage("both");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void loopsInsideLoopsWorkToAnyDepth(int parallelism) {
    try (var executor = new WorkStealingExecutor(parallelism)) {
      AtomicLong leaves = new AtomicLong();
      nest(executor, 9, leaves);
      assertThat(leaves).hasValue(1 << 18);
    }
  }

  private static void nest(WorkStealingExecutor executor, int depth, AtomicLong leaves) {
    if (depth == 0) {
      leaves.incrementAndGet();
      return;
    }
    executor.parallelFor(0, 4, 1, (begin, end) -> nest(executor, depth - 1, leaves));
  }

  @Test
  void aCallerThatWaitsHelpsWithLoopsInsideItsChunks() {
    try (var executor = new WorkStealingExecutor(2)) {
      for (int i = 0; i < 20; i++) {
        // One outer chunk ends at once; the inner loop needs both threads to get anywhere.
        CyclicBarrier together = new CyclicBarrier(2);
        CountDownLatch bothBegan = new CountDownLatch(2);
        executor.parallelFor(
            0,
            2,
            1,
            (begin, end) -> {
              bothBegan.countDown();
              await(bothBegan);
              if (begin == 0) {
                executor.parallelFor(0, 2, 1, (first, last) -> await(together));
              }
            });
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void randomProgramsOfManyCallersMatchSequentialRuns() throws InterruptedException {
    long seed = 99;
    try (var executor = new WorkStealingExecutor(3);
        var sequential = new WorkStealingExecutor(1)) {
      ConcurrentLinkedQueue<Throwable> wrong = new ConcurrentLinkedQueue<>();
      List<Thread> callers = new ArrayList<>();
      for (int caller = 0; caller < 4; caller++) {
        Random seeds = new Random(seed + caller);
        callers.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        for (int i = 0; i < 150; i++) {
                          long program = seeds.nextLong();
                          assertThat(outcome(executor, program))
                              .as("program %d", program)
                              .isEqualTo(outcome(sequential, program));
                        }
                      } catch (Throwable e) {
                        wrong.add(e);
                      }
                    }));
      }
      for (Thread caller : callers) {
        caller.join();
      }
      assertThat(wrong).isEmpty();
    }
  }

  /** The sum over a random tree of loops; failed loops add their exception's hash. */
  private static long outcome(WorkStealingExecutor executor, long program) {
    AtomicLong sum = new AtomicLong();
    random(executor, program, 3, sum);
    return sum.get();
  }

  private static void random(
      WorkStealingExecutor executor, long program, int depth, AtomicLong sum) {
    Random random = new Random(program);
    int count = random.nextInt(40);
    int grain = random.nextInt(1, 8);
    boolean fails = random.nextInt(4) == 0;
    long begin = random.nextInt();
    try {
      executor.parallelFor(
          begin,
          begin + count,
          grain,
          (first, end) -> {
            for (long i = first; i < end; i++) {
              if (fails) {
                throw new IllegalStateException("program " + program);
              }
              if (depth > 0 && Math.floorMod(i, 5) == 0) {
                random(executor, program * 31 + i, depth - 1, sum);
              } else {
                sum.addAndGet(program ^ i);
              }
            }
          });
    } catch (IllegalStateException e) {
      sum.addAndGet(e.getMessage().hashCode());
    }
  }

  @Test
  void interruptsStayWithTheThreadTheyWereMeantFor() {
    try (var executor = new WorkStealingExecutor(3)) {
      Thread.currentThread().interrupt();
      executor.parallelFor(0, 3, 1, (begin, end) -> sleep(20));
      assertThat(Thread.interrupted()).isTrue();

      Thread caller = Thread.currentThread();
      CyclicBarrier together = new CyclicBarrier(3);
      executor.parallelFor(
          0,
          3,
          1,
          (begin, end) -> {
            await(together);
            if (!Thread.currentThread().equals(caller)) {
              Thread.currentThread().interrupt();
            }
          });
      assertThat(Thread.interrupted()).isFalse();
      executor.parallelFor(
          0,
          3,
          1,
          (begin, end) -> {
            await(together);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
          });
    }
  }

  private static void sleep(long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aSleepingCallerIsWokenWhenTheLastChunkEnds() {
    try (var executor = new WorkStealingExecutor(2)) {
      Thread caller = Thread.currentThread();
      CountDownLatch taken = new CountDownLatch(2);
      executor.parallelFor(
          0,
          2,
          1,
          (begin, end) -> {
            taken.countDown();
            await(taken);
            if (!Thread.currentThread().equals(caller)) {
              sleep(50);
            }
          });
      assertThat(Thread.currentThread()).isSameAs(caller);
    }
  }

  @Test
  void aLoopAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (var executor = new WorkStealingExecutor(2)) {
      Cancellation cancellation = new Cancellation();
      long loops = 5000;
      long least = Long.MAX_VALUE;
      // The first rounds link and compile.
      for (int round = 0; round < 5; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (long i = 0; i < loops; i++) {
          executor.parallelFor(0, 1 << 20, NOTHING);
          executor.parallelFor(0, 100, 1, cancellation, NOTHING);
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertThat(least).isLessThan(loops);
    }
  }

  @Test
  void aClosedExecutorRefusesLoopsAndSaysSo() {
    var executor = new WorkStealingExecutor(2);
    executor.close();
    executor.close();
    assertThatThrownBy(() -> executor.parallelFor(0, 10, NOTHING))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(executor.name())
        .hasMessageContaining("closed");
  }
}
