package dev.rialto.runtime;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.kernel.LoweredKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * A failure is raised once, with the operation and its line, and spoils what depends on it and
 * nothing else.
 */
class FailuresTest {
  private final FakeDevice fake = new FakeDevice(1, false, 0);
  private final ComputeDevice device = ComputeDevice.open(fake);
  private final ComputeClient client = device.client();
  private final IllegalStateException failure = new IllegalStateException("broken");
  private final Kernel failing = client.compile(Kernels.failing(failure));
  private final Kernel increment = client.compile(Kernels.increment());

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void aFailureNamesTheOperationAndItsLine() {
    try (Buffer x = Kernels.create(client, 1)) {
      client.launch(failing, 1, x);
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(client::sync)
          .withMessageContaining("kernel 'failing'")
          .withMessageContaining("FailuresTest.java:")
          .withMessageContaining(client.stream().name())
          .withCause(failure);
    }
  }

  @Test
  void aFailureIsRaisedOnceAndTheStreamIsUsableAgain() {
    try (Buffer x = Kernels.create(client, 1);
        Buffer y = Kernels.create(client, 1)) {
      client.launch(failing, 1, x);
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
      client.launch(failing, 1, x);
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(() -> client.read(x))
          .withCause(failure);
      client.sync();
      client.launch(failing, 1, x);
      client.stream().timeline().awaitReached(client.stream().timeline().position());
      assertThatExceptionOfType(DeviceException.class).isThrownBy(client::flush).withCause(failure);
      client.flush();
    }
  }

  @Test
  void flushDoesNotWait() {
    CountDownLatch gate = new CountDownLatch(1);
    client.launch(client.compile(Kernels.gate(gate)), 1);
    client.flush();
    assertThat(client.stream().isIdle()).isFalse();
    gate.countDown();
  }

  @Test
  void anAsynchronousReadFailsWithTheOperation() {
    try (Buffer x = Kernels.create(client, 1)) {
      client.launch(failing, 1, x);
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(() -> client.readAsync(x).join())
          .withCauseInstanceOf(DeviceException.class)
          .withMessageContaining("kernel 'failing'");
    }
  }

  @Test
  void otherStreamsFailOnlyIfTheyUseWhatWasNotWritten() {
    try (ComputeStream one = client.openStream();
        ComputeStream two = client.openStream();
        Buffer x = Kernels.create(client, 1);
        Buffer y = Kernels.create(client, 1);
        Buffer z = Kernels.create(client, 1)) {
      client.launch(failing, 1, x);
      client.withStream(one).copy(x, y);
      client.withStream(two).launch(increment, 1, z);
      two.sync();
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(one::sync)
          .withMessageContaining("kernel 'failing'")
          .withMessageContaining("on " + client.stream().name())
          .withCause(failure);
      assertThat(Kernels.doubles(client.withStream(two), z)).containsExactly(2);
      assertThatExceptionOfType(DeviceException.class).isThrownBy(client::sync);
    }
  }

  @Test
  void whatWasNotWrittenStaysUndefinedUntilItIsWritten() {
    try (Buffer x = Kernels.create(client, 1);
        Buffer y = client.empty(8)) {
      client.launch(failing, 1, x);
      assertThatExceptionOfType(DeviceException.class).isThrownBy(client::sync);
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(() -> client.read(x))
          .withMessageContaining("was never written")
          .withMessageContaining("kernel 'failing'");
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
      client.launch(failing, 1, x);
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
      client.launch(failing, 1, x);
      client
          .withStream(one)
          .launch(client.compile(Kernels.failing(new IllegalArgumentException("too"))), 1, y);
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(client::syncDevice)
          .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    }
  }

  /** Every operation that runs on a stream, on buffers x and y of two elements. */
  private Map<String, Consumer<Buffer[]>> operations() {
    Map<String, Consumer<Buffer[]>> all = new LinkedHashMap<>();
    MemorySegment two = MemorySegment.ofArray(new double[2]);
    all.put("launch", b -> client.launch(increment, 2, b[0]));
    all.put("prepared launch", b -> client.prepare(increment, 2, b[0]).run());
    all.put("counted launch", b -> client.launch(increment, b[1], 2, b[0]));
    all.put("checked launch", b -> client.withMode(LaunchMode.CHECKED).launch(increment, 2, b[0]));
    all.put("fill", b -> client.fill(b[0], two));
    all.put("write", b -> client.write(b[0], two));
    all.put("copy", b -> client.copy(b[1], b[0]));
    all.put(
        "copy of tensors",
        b ->
            client.copy(
                new Tensor(b[1], Shape.of(2), layout()), new Tensor(b[0], Shape.of(2), layout())));
    return all;
  }

  private static Layout layout() {
    return Layout.contiguous(DType.F64, 2);
  }

  private static LoweredKernel held(CountDownLatch entered, CountDownLatch gate) {
    return new LoweredKernel.JavaBody(
        "held",
        List.of(Kernels.updates("x"), Kernels.updates("y")),
        (_, _, _) -> {
          entered.countDown();
          Kernels.await(gate);
        });
  }

  @TestFactory
  List<DynamicTest> aFaultInAnyOperationIsRaisedAndLeavesNothingBehind() {
    List<DynamicTest> tests = new ArrayList<>();
    operations()
        .forEach(
            (name, operation) ->
                tests.add(
                    DynamicTest.dynamicTest(
                        name,
                        () -> {
                          CountDownLatch entered = new CountDownLatch(1);
                          CountDownLatch gate = new CountDownLatch(1);
                          Buffer x = Kernels.create(client, 1, 2);
                          Buffer y = Kernels.create(client, 3, 4);
                          // Keeps both in use, so that no operation takes the way past the stream.
                          client.launch(client.compile(held(entered, gate)), 1, x, y);
                          Kernels.await(entered);
                          fake.failIn.set(1);
                          operation.accept(new Buffer[] {x, y});
                          gate.countDown();
                          assertThatExceptionOfType(DeviceException.class)
                              .isThrownBy(client::sync)
                              .withCauseInstanceOf(FakeDevice.Fault.class)
                              .withMessageContaining("FailuresTest.java:");
                          client.sync();
                          client.fill(x, MemorySegment.ofArray(new double[] {9}));
                          assertThat(client.read(x).toArray(JAVA_DOUBLE)).containsOnly(9);
                          x.close();
                          y.close();
                          assertThat(client.memoryUsage().used()).isZero();
                        })));
    return tests;
  }
}
