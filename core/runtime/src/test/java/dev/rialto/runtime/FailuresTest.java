package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.spi.error.DeviceException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
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
          .withMessageContaining(device.isHostAccessible() ? "was never written" : "failed")
          .withMessageContaining("kernel 'increment'");
      client.copy(x, y);
      assertThatExceptionOfType(DeviceException.class).isThrownBy(client::sync);
      client.fill(x, MemorySegment.ofArray(new double[] {3}));
      assertThat(Kernels.doubles(client, x)).containsExactly(3);
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
