package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.spi.error.DeviceException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A failure is raised once, with the operation and its line, and spoils what depends on it and
 * nothing else.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"fake", "hidden", "cuda"})
@Tag("gpu")
class FailuresTest {
  private final ComputeDevice device;
  private final ComputeClient client;
  private final Kernel increment;

  FailuresTest(String name) {
    device = ComputeDevice.open(Kernels.device(name));
    client = device.client().withMode(LaunchMode.UNCHECKED);
    increment = Kernels.increment(client);
  }

  /** Launches a kernel that looks for a second element of x, which has one. */
  private void fail(ComputeClient on, Buffer x) {
    on.withMode(LaunchMode.CHECKED).launch(increment, 2, x);
  }

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void aFailureNamesTheOperationAndItsLine() {
    try (Buffer x = Kernels.create(client, 1)) {
      fail(client, x);
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(client::sync)
          .withMessageContaining("kernel 'increment'")
          .withMessageContaining("FailuresTest.java:")
          .withMessageContaining(client.stream().name())
          .withCauseInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void aFailureIsRaisedOnceAndTheStreamIsUsableAgain() {
    try (Buffer x = Kernels.create(client, 1);
        Buffer y = Kernels.create(client, 1)) {
      fail(client, x);
      client.launch(increment, 1, y);
      assertThatExceptionOfType(DeviceException.class).isThrownBy(client::sync);
      client.sync();
      client.flush();
      client.syncDevice();
      client.write(y, MemorySegment.ofArray(new double[] {5}));
      client.launch(increment, 1, y);
      assertThat(Kernels.doubles(client, y)).containsExactly(6);
    }
  }

  @Test
  void aReadRaisesAndSoDoesAFlush() {
    try (Buffer x = Kernels.create(client, 1)) {
      fail(client, x);
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(() -> client.read(x))
          .withCauseInstanceOf(IndexOutOfBoundsException.class);
      client.sync();
      fail(client, x);
      client.stream().timeline().awaitReached(client.stream().timeline().position());
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(client::flush)
          .withCauseInstanceOf(IndexOutOfBoundsException.class);
      client.flush();
    }
  }

  @Test
  void flushDoesNotWait() {
    CountDownLatch gate = new CountDownLatch(1);
    Kernels.hold(client, gate);
    client.flush();
    assertThat(client.stream().isIdle()).isFalse();
    gate.countDown();
  }

  @Test
  void anAsynchronousReadFailsWithTheOperation() {
    try (Buffer x = Kernels.create(client, 1)) {
      fail(client, x);
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(() -> client.readAsync(x).join())
          .withCauseInstanceOf(DeviceException.class)
          .withMessageContaining("kernel 'increment'");
    }
  }

  @Test
  void otherStreamsFailOnlyIfTheyUseWhatWasNotWritten() {
    try (ComputeStream one = client.openStream();
        ComputeStream two = client.openStream();
        Buffer x = Kernels.create(client, 1);
        Buffer y = Kernels.create(client, 1);
        Buffer z = Kernels.create(client, 1)) {
      fail(client, x);
      client.withStream(one).copy(x, y);
      client.withStream(two).launch(increment, 1, z);
      two.sync();
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(one::sync)
          .withMessageContaining("kernel 'increment'")
          .withMessageContaining("on " + client.stream().name())
          .withCauseInstanceOf(IndexOutOfBoundsException.class);
      assertThat(Kernels.doubles(client.withStream(two), z)).containsExactly(2);
      assertThatExceptionOfType(DeviceException.class).isThrownBy(client::sync);
    }
  }

  @Test
  void whatWasNotWrittenStaysUndefinedUntilItIsWritten() {
    try (Buffer x = Kernels.create(client, 1);
        Buffer y = client.empty(8)) {
      fail(client, x);
      assertThatExceptionOfType(DeviceException.class).isThrownBy(client::sync);
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(() -> client.read(x))
          .withMessageContaining(device.isHostAccessible() ? "has no contents" : "failed")
          .withMessageContaining("kernel 'increment'");
      client.copy(x, y);
      assertThatExceptionOfType(DeviceException.class).isThrownBy(client::sync);
      client.fill(x, MemorySegment.ofArray(new double[] {3}));
      assertThat(Kernels.doubles(client, x)).containsExactly(3);
    }
  }

  @Test
  void aFailureIsKeptUntilTheBufferIsWrittenHoweverManyFollow() {
    try (Buffer x = Kernels.create(client, 1);
        Buffer y = Kernels.create(client, 1)) {
      fail(client, x);
      client.launch(increment, 1, y);
      assertThatExceptionOfType(DeviceException.class).isThrownBy(client::sync);
      for (int i = 0; i < 100; i++) {
        try (Buffer other = Kernels.create(client, 1)) {
          fail(client, other);
          assertThatExceptionOfType(DeviceException.class).isThrownBy(client::sync);
        }
      }
      assertThatExceptionOfType(DeviceException.class).isThrownBy(() -> client.read(x));
      assertThatExceptionOfType(DeviceException.class)
          .as("skipped, not failed")
          .isThrownBy(() -> client.read(y));
      client.write(x, MemorySegment.ofArray(new double[] {3}));
      client.fill(y, MemorySegment.ofArray(new double[] {4}));
      assertThat(Kernels.doubles(client, x)).containsExactly(3);
      assertThat(Kernels.doubles(client, y)).containsExactly(4);
    }
  }

  @Test
  void aFailureOfAnotherThreadSkipsNothing() throws Exception {
    try (Buffer mine = Kernels.create(client, 1);
        Buffer theirs = Kernels.create(client, 1);
        ExecutorService thread = Executors.newSingleThreadExecutor()) {
      thread.submit(() -> fail(client, theirs)).get();
      client.launch(increment, 1, mine);
      client.sync();
      assertThat(Kernels.doubles(client, mine)).containsExactly(2);
      assertThatExceptionOfType(DeviceException.class).isThrownBy(() -> client.read(theirs));
      assertThatExceptionOfType(ExecutionException.class)
          .as("the thread that asked for it is told too")
          .isThrownBy(() -> thread.submit(() -> client.sync()).get())
          .withCauseInstanceOf(DeviceException.class);
    }
  }

  @Test
  void manyVirtualThreadsThatFailSkipNothingOfOthers() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Double>> running = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        boolean fails = i % 2 == 0;
        running.add(
            threads.submit(
                () -> {
                  try (Buffer x = Kernels.create(client, 1)) {
                    if (fails) {
                      fail(client, x);
                    } else {
                      client.launch(increment, 1, x);
                    }
                    return Kernels.doubles(client, x)[0];
                  }
                }));
      }
      for (int i = 0; i < 200; i++) {
        Future<Double> ran = running.get(i);
        if (i % 2 == 0) {
          assertThatExceptionOfType(ExecutionException.class).isThrownBy(ran::get);
        } else {
          assertThat(ran.get()).isEqualTo(2);
        }
      }
    }
  }

  @Test
  void whatRanWellIsNotBlamedForAFailureOnTheSameStream() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong ran = new AtomicLong();
    Kernel mark =
        Kernels.java(
            client, "mark", List.of(Kernels.writes("x")), (_, _, _) -> ran.incrementAndGet());
    int well = 0;
    try (ComputeStream shared = client.openStream();
        ExecutorService threads = Executors.newCachedThreadPool()) {
      ComputeClient on = client.withStream(shared);
      Future<?> failing =
          threads.submit(
              () -> {
                while (!stop.get()) {
                  try (Buffer x = Kernels.create(client, 1)) {
                    fail(on, x);
                  }
                }
              });
      for (int i = 0; i < 3_000; i++) {
        boolean _ = raises(shared::sync);
        try (Buffer x = client.empty(8)) {
          long before = ran.get();
          on.launch(mark, 1, x);
          boolean undefined = raises(() -> client.read(x));
          assertThat(undefined).as("launch %d has no contents", i).isEqualTo(ran.get() == before);
          well += undefined ? 0 : 1;
        }
      }
      stop.set(true);
      failing.get();
      boolean _ = raises(shared::sync);
    }
    assertThat(well).isPositive();
  }

  private static boolean raises(Runnable action) {
    try {
      action.run();
      return false;
    } catch (DeviceException e) {
      return true;
    }
  }

  @Test
  void overwritingWhatAnotherStreamFailedToWriteOrReadSucceeds() {
    CountDownLatch gate = new CountDownLatch(1);
    try (ComputeStream one = client.openStream();
        ComputeStream two = client.openStream();
        Buffer written = Kernels.create(client, 1);
        Buffer read = Kernels.create(client, 1);
        Buffer other = Kernels.create(client, 1)) {
      Kernels.hold(client.withStream(one), gate);
      fail(client.withStream(one), written);
      client.withStream(one).copy(read, other);
      client.withStream(two).fill(written, MemorySegment.ofArray(new double[] {3}));
      client.withStream(two).fill(read, MemorySegment.ofArray(new double[] {4}));
      gate.countDown();
      two.sync();
      assertThat(Kernels.doubles(client, written)).containsExactly(3);
      assertThat(Kernels.doubles(client, read)).containsExactly(4);
      assertThatExceptionOfType(DeviceException.class).isThrownBy(one::sync);
    }
  }

  @Test
  void theMemoryOfABufferThatWasNotWrittenCannotBeOpenedToRead() {
    try (Buffer x = Kernels.create(client, 1)) {
      fail(client, x);
      assertThatExceptionOfType(DeviceException.class).isThrownBy(client::sync);
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(() -> client.resource(x, false))
          .withMessageContaining("has no contents");
      client.resource(x, true).close();
      client.resource(x, false).close();
      assertThat(x.isSole()).isTrue();
    }
  }

  @Test
  void memoryOfAFailedStreamIsUsedAgainByOthersUnharmed() {
    try (ComputeStream other = client.openStream()) {
      Buffer x = Kernels.create(client, 1);
      fail(client, x);
      x.close();
      for (int i = 0; i < 100; i++) {
        try (Buffer y = client.withStream(other).empty(8)) {
          client.withStream(other).fill(y, MemorySegment.ofArray(new double[] {i}));
          assertThat(Kernels.doubles(client.withStream(other), y)).containsExactly(i);
        }
      }
      other.sync();
      assertThatExceptionOfType(DeviceException.class).isThrownBy(client::sync);
    }
  }

  @Test
  void syncDeviceRaisesAllFailures() {
    try (ComputeStream one = client.openStream();
        Buffer x = Kernels.create(client, 1);
        Buffer y = Kernels.create(client, 1)) {
      fail(client, x);
      fail(client.withStream(one), y);
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(client::syncDevice)
          .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    }
  }
}
