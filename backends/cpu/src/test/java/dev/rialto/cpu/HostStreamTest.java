package dev.rialto.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Stream.Event;
import dev.rialto.spi.exec.Timeline.Observer;
import dev.rialto.spi.kernel.LoweredKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HostStreamTest {
  private final List<String> done = new CopyOnWriteArrayList<>();

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Runnable failing(RuntimeException failure) {
    return () -> {
      throw failure;
    };
  }

  @Test
  void operationsRunInOrderWithoutTheCallerWaiting() {
    try (Stream stream = new HostStream()) {
      CountDownLatch release = new CountDownLatch(1);
      List<Integer> order = new ArrayList<>();
      stream.run(() -> await(release));
      for (int i = 0; i < 1000; i++) {
        int number = i;
        stream.run(() -> order.add(number));
      }
      assertThat(stream.isIdle()).isFalse();
      release.countDown();
      stream.await();
      assertThat(stream.isIdle()).isTrue();
      assertThat(order).hasSize(1000).isSorted();
    }
  }

  @Test
  void operationsOfManyThreadsAllRun() throws InterruptedException {
    for (int round = 0; round < 20; round++) {
      AtomicLong sum = new AtomicLong();
      try (Stream stream = new HostStream()) {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
          threads.add(
              Thread.ofPlatform()
                  .start(
                      () -> {
                        for (int i = 0; i < 100; i++) {
                          stream.run(sum::incrementAndGet);
                          if (i % 10 == 0) {
                            stream.await();
                          }
                        }
                      }));
        }
        for (Thread thread : threads) {
          thread.join();
        }
        stream.await();
        assertThat(sum).hasValue(400);
      }
    }
  }

  private record Body(Runnable code, boolean onlyComputes) implements LoweredKernel.Body {
    @Override
    public void run(long begin, long end, List<MemorySegment> buffers) {
      code.run();
    }
  }

  /** Adds host code, a launch that may wait, or one that the threads that wait may do. */
  private static void add(Stream stream, int kind, Executor executor, Runnable code) {
    if (kind == 0) {
      stream.run(code);
    } else {
      HostStream.launch(stream, new Body(code, kind == 1), 1, List.of(), executor);
    }
  }

  @Test
  void operationsRunOnceAndInOrderWhileManyThreadsWait() throws InterruptedException {
    long seed = System.nanoTime();
    try (WorkStealingExecutor executor = new WorkStealingExecutor(2)) {
      for (int round = 0; round < 50; round++) {
        SplittableRandom random = new SplittableRandom(seed + round);
        List<Long> order = new ArrayList<>();
        try (Stream stream = new HostStream()) {
          List<Thread> threads = new ArrayList<>();
          for (int t = 0; t < 3; t++) {
            SplittableRandom own = random.split();
            threads.add(
                Thread.ofPlatform()
                    .start(
                        () -> {
                          for (int i = 0; i < 100; i++) {
                            // Its position is known to the operation alone, when it runs.
                            add(stream, own.nextInt(3), executor, () -> order.add(0L));
                            if (own.nextInt(4) == 0) {
                              stream.await();
                            }
                          }
                        }));
          }
          for (Thread thread : threads) {
            thread.join();
          }
          stream.await();
          int before = order.size();
          for (long i = 1; i <= 200; i++) {
            long number = i;
            add(stream, random.nextInt(3), executor, () -> order.add(number));
            if (random.nextInt(8) == 0) {
              stream.await();
              assertThat(order).as("seed %d", seed).hasSize(before + (int) i);
            }
          }
          stream.await();
          assertThat(before).as("seed %d", seed).isEqualTo(300);
          assertThat(order.subList(before, order.size()))
              .as("seed %d", seed)
              .hasSize(200)
              .isSorted();
        }
      }
    }
  }

  @Test
  void launchesThatOnlyComputeFailAsOthersDo() {
    IllegalStateException failure = new IllegalStateException("broken");
    try (WorkStealingExecutor executor = new WorkStealingExecutor(1);
        Stream stream = new HostStream()) {
      for (int round = 0; round < 100; round++) {
        add(stream, 1, executor, failing(failure));
        add(stream, 1, executor, () -> done.add("skipped"));
        assertThatThrownBy(stream::await)
            .isInstanceOf(DeviceException.class)
            .cause()
            .isSameAs(failure);
        add(
            stream,
            1,
            executor,
            () ->
                assertThatThrownBy(stream::await)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("waits for its own stream"));
        stream.await();
      }
    }
    assertThat(done).isEmpty();
  }

  @Test
  void aFailureSkipsWhatFollowsUntilItIsRaisedOnce() {
    IllegalStateException failure = new IllegalStateException("broken");
    try (Stream stream = new HostStream()) {
      stream.run(failing(failure));
      stream.run(() -> done.add("skipped"));
      assertThatThrownBy(stream::await)
          .isInstanceOf(DeviceException.class)
          .hasMessageContaining(stream.name())
          .cause()
          .isSameAs(failure);
      stream.await();
      stream.run(() -> done.add("after"));
      stream.await();
    }
    assertThat(done).containsExactly("after");
  }

  @Test
  void errorsAreFailuresToo() {
    AssertionError failure = new AssertionError("error");
    try (Stream stream = new HostStream()) {
      stream.run(
          () -> {
            throw failure;
          });
      assertThatThrownBy(stream::await)
          .isInstanceOf(DeviceException.class)
          .cause()
          .isSameAs(failure);
    }
  }

  @Test
  void anEventIsDoneWhenAllBeforeItIs() {
    try (Stream stream = new HostStream()) {
      CountDownLatch release = new CountDownLatch(1);
      Event first = stream.record();
      assertThat(first.isDone()).isTrue();
      first.await();
      stream.run(() -> await(release));
      Event second = stream.record();
      assertThat(second.isDone()).isFalse();
      release.countDown();
      second.await();
      assertThat(second.isDone()).isTrue();
    }
  }

  @Test
  void anEventRaisesFailuresBeforeItAndNoneAfterIt() {
    try (Stream stream = new HostStream()) {
      Event before = stream.record();
      stream.run(failing(new IllegalStateException("broken")));
      Event after = stream.record();
      Event later = stream.record();
      before.await();
      assertThatThrownBy(after::await).isInstanceOf(DeviceException.class);
      later.await();
      stream.run(() -> done.add("usable"));
      stream.await();
    }
    assertThat(done).containsExactly("usable");
  }

  @Test
  void aStreamWaitsForAnEventOfAnother() {
    try (Stream one = new HostStream();
        Stream two = new HostStream()) {
      for (int i = 0; i < 100; i++) {
        AtomicInteger value = new AtomicInteger();
        int expected = i;
        one.run(() -> value.set(expected));
        two.waitFor(one.record());
        two.run(() -> assertThat(value).hasValue(expected));
        two.await();
      }
    }
  }

  @Test
  void waitingForAFailedStreamFails() {
    IllegalStateException failure = new IllegalStateException("broken");
    try (Stream one = new HostStream();
        Stream two = new HostStream()) {
      one.run(failing(failure));
      two.waitFor(one.record());
      two.run(() -> done.add("skipped"));
      assertThatThrownBy(two::await)
          .isInstanceOf(DeviceException.class)
          .hasMessageContaining(two.name())
          .cause()
          .isSameAs(failure);
      assertThatThrownBy(one::await).isInstanceOf(DeviceException.class).cause().isSameAs(failure);
    }
    assertThat(done).isEmpty();
  }

  @Test
  void aStreamMayWaitForItsOwnPast() {
    try (Stream stream = new HostStream()) {
      stream.waitFor(stream.record());
      stream.run(() -> done.add("ran"));
    }
    assertThat(done).containsExactly("ran");
  }

  @Test
  void anEventOfAnotherBackendIsRefused() {
    try (Stream stream = new HostStream()) {
      Event foreign =
          new Event() {
            @Override
            public boolean isDone() {
              return true;
            }

            @Override
            public void await() {}
          };
      assertThatThrownBy(() -> stream.waitFor(foreign))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void anOperationThatWaitsForItsOwnStreamFailsInsteadOfHanging() {
    try (Stream stream = new HostStream()) {
      stream.run(stream::await);
      assertThatThrownBy(stream::await)
          .isInstanceOf(DeviceException.class)
          .hasCauseInstanceOf(IllegalStateException.class);
      stream.run(stream::close);
      assertThatThrownBy(stream::await)
          .isInstanceOf(DeviceException.class)
          .hasCauseInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void closeWaitsRaisesAndEndsTheStream() {
    Stream stream = new HostStream();
    stream.run(() -> done.add("ran"));
    stream.run(failing(new IllegalStateException("broken")));
    assertThatThrownBy(stream::close).isInstanceOf(DeviceException.class);
    stream.close();
    stream.await();
    assertThat(done).containsExactly("ran");
    assertThat(stream.isIdle()).isTrue();
    assertThatThrownBy(() -> stream.run(() -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(stream::record).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anInterruptedAwaitWaitsOnAndKeepsTheInterrupt() {
    try (Stream stream = new HostStream()) {
      stream.run(
          () -> {
            Thread.currentThread().interrupt();
            done.add("first");
          });
      stream.run(() -> done.add("second, " + Thread.currentThread().isInterrupted()));
      Thread.currentThread().interrupt();
      stream.await();
      assertThat(Thread.interrupted()).isTrue();
      assertThat(done).containsExactly("first", "second, false");
    }
  }

  @Test
  void aTimedWaitEndsWithTheTimeOrAnInterrupt() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    try (HostStream stream = new HostStream()) {
      stream.labelled("held").run(() -> await(release));
      assertThat(stream.awaitReached(1, 0)).isFalse();
      assertThat(stream.awaitReached(1, 1_000_000)).isFalse();
      assertThat(stream.pending()).isEqualTo("held");
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> stream.awaitReached(1, Long.MAX_VALUE))
          .isInstanceOf(InterruptedException.class);
      release.countDown();
      assertThat(stream.awaitReached(1, Long.MAX_VALUE)).isTrue();
      assertThat(stream.pending()).isNull();
    }
  }

  @Test
  void aStreamThatWaitsUntilAnotherHasPassedDoesNotFailWithIt() {
    CountDownLatch release = new CountDownLatch(1);
    try (HostStream one = new HostStream();
        HostStream two = new HostStream()) {
      one.run(
          () -> {
            await(release);
            done.add("one");
            throw new IllegalStateException("broken");
          });
      two.waitReached(one, 1);
      two.run(() -> done.add("two"));
      release.countDown();
      two.await();
      assertThat(done).containsExactly("one", "two");
      assertThatThrownBy(one::await).isInstanceOf(DeviceException.class);
    }
  }

  @Test
  void theObserverHearsWhatWasSkippedAndWhy() {
    IllegalStateException failure = new IllegalStateException("broken");
    try (HostStream stream = new HostStream()) {
      stream.observe(
          new Observer() {
            @Override
            public boolean isTiming() {
              return false;
            }

            @Override
            public void ended(
                Object label, long position, long added, long began, long ended, Throwable e) {
              done.add(label + " " + position + " " + e.getMessage());
            }

            @Override
            public void skipped(Object label, long position, Throwable e) {
              done.add(label + " " + position + " skipped, " + e.getMessage());
            }
          });
      stream.labelled("first").run(failing(failure));
      stream.labelled("second").run(() -> done.add("ran"));
      assertThatThrownBy(stream::await).isInstanceOf(DeviceException.class);
      assertThat(done).containsExactly("first 1 broken", "second 2 skipped, broken");
    }
  }

  @Test
  void positionsCountOperations() {
    try (HostStream stream = new HostStream()) {
      CountDownLatch release = new CountDownLatch(1);
      stream.run(() -> done.add("first"));
      long first = stream.position();
      stream.run(() -> await(release));
      long second = stream.position();
      stream.awaitReached(first);
      assertThat(done).containsExactly("first");
      assertThat(first).isEqualTo(1);
      assertThat(second).isEqualTo(2);
      assertThat(stream.isReached(first)).isTrue();
      assertThat(stream.isReached(second)).isFalse();
      release.countDown();
      stream.awaitReached(second);
      assertThat(stream.isReached(second)).isTrue();
    }
  }

  @Test
  void aStreamWaitsForAPositionAndNotForWhatComesAfterIt() {
    try (HostStream one = new HostStream();
        HostStream two = new HostStream()) {
      CountDownLatch begin = new CountDownLatch(1);
      CountDownLatch release = new CountDownLatch(1);
      one.run(() -> await(begin));
      one.run(() -> done.add("one"));
      long position = one.position();
      one.run(() -> await(release));
      two.waitFor(one, position);
      two.run(() -> done.add("two"));
      begin.countDown();
      two.await();
      assertThat(done).containsExactly("one", "two");
      assertThat(one.isIdle()).isFalse();
      release.countDown();
    }
  }

  @Test
  void aPositionThatDoesNotExistIsRefused() {
    try (HostStream one = new HostStream();
        HostStream two = new HostStream()) {
      assertThatThrownBy(() -> two.waitFor(one, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("position 1");
    }
  }

  @Test
  void whatFailedAndWhatWasSkippedStaysKnownAfterTheFailureWasRaised() {
    IllegalStateException failure = new IllegalStateException("broken");
    try (HostStream stream = new HostStream()) {
      stream.run(() -> {});
      stream.run(failing(failure));
      stream.run(() -> done.add("skipped"));
      assertThatThrownBy(stream::await).isInstanceOf(DeviceException.class);
      stream.run(() -> done.add("ran"));
      stream.await();
      assertThat(stream.failureAt(0)).isNull();
      assertThat(stream.failureAt(1)).isNull();
      assertThat(stream.failureAt(2)).isSameAs(failure);
      assertThat(stream.failureAt(3)).isSameAs(failure);
      assertThat(stream.failureAt(4)).isNull();
      for (int i = 0; i < 100; i++) {
        stream.run(failing(new IllegalStateException("another")));
        assertThatThrownBy(stream::await).isInstanceOf(DeviceException.class);
      }
      assertThat(stream.failureAt(104)).hasMessage("another");
      assertThat(stream.failureAt(2)).as("forgotten").isNull();
    }
  }

  @Test
  void manyWaitingOperationsKeepTheirOrder() {
    try (HostStream stream = new HostStream()) {
      CountDownLatch release = new CountDownLatch(1);
      stream.run(() -> await(release));
      int count = 20_000;
      int[] next = new int[1];
      int[] wrong = new int[1];
      for (int i = 0; i < count; i++) {
        int number = i;
        stream.run(() -> wrong[0] += next[0]++ == number ? 0 : 1);
      }
      release.countDown();
      stream.await();
      assertThat(next).containsExactly(count);
      assertThat(wrong).containsExactly(0);
    }
  }

  @Test
  void anObserverHearsOfFailuresAndWhileTimingOfEverything() {
    List<String> heard = new CopyOnWriteArrayList<>();
    boolean[] timing = {true};
    try (HostStream stream = new HostStream()) {
      stream.observe(
          new Observer() {
            @Override
            public boolean isTiming() {
              return timing[0];
            }

            @Override
            public void ended(
                Object label, long position, long added, long began, long ended, Throwable e) {
              heard.add(label + " " + position + " " + (e == null ? "" : e.getMessage()));
              assertThat(added <= began && began <= ended).isTrue();
            }
          });
      stream.labelled("one").run(() -> {});
      stream.run(() -> {});
      stream.await();
      timing[0] = false;
      stream.labelled("quiet").run(() -> {});
      stream.labelled("four").run(failing(new IllegalStateException("broken")));
      stream.labelled("skipped").run(() -> {});
      assertThatThrownBy(stream::await).isInstanceOf(DeviceException.class);
    }
    assertThat(heard).containsExactly("one 1 ", "null 2 ", "four 4 broken");
  }

  @Test
  void aThreadThatDiesFailsItsQueueAndWakesWhoWaits() {
    try (HostStream stream = new HostStream()) {
      CountDownLatch release = new CountDownLatch(1);
      stream.observe(
          new Observer() {
            @Override
            public boolean isTiming() {
              return true;
            }

            @Override
            public void ended(
                Object label, long position, long added, long began, long ended, Throwable e) {
              if (position == 1) {
                throw new AssertionError("the observer is broken");
              }
            }
          });
      stream.run(() -> await(release));
      stream.run(() -> done.add("skipped"));
      release.countDown();
      assertThatThrownBy(stream::await)
          .isInstanceOf(DeviceException.class)
          .hasMessageContaining("died")
          .rootCause()
          .hasMessage("the observer is broken");
      stream.run(() -> done.add("ran"));
      stream.await();
      assertThat(done).containsExactly("ran");
    }
  }
}
