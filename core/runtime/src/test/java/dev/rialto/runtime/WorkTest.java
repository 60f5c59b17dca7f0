package dev.rialto.runtime;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Operations of the caller's own are in order with all others, and fail as they do. */
class WorkTest {
  private final ComputeDevice device = ComputeDevice.open(Kernels.device("cpu"));
  private final ComputeClient client = device.client();

  @AfterEach
  void close() {
    device.close();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void add(Work work, Runnable code) {
    work.add(() -> work.stream().run(code));
  }

  @Test
  void workComesAfterWhatUsedItsBuffersOnOtherStreams() {
    try (ComputeStream one = client.openStream();
        ComputeStream other = client.openStream();
        Buffer a = client.create(MemorySegment.ofArray(new long[1]))) {
      CountDownLatch goOn = new CountDownLatch(1);
      Work first = client.withStream(one).work("first", Map.of(a, Access.WRITE));
      add(
          first,
          () -> {
            await(goOn);
            first.memory(a).set(JAVA_LONG, 0, 20);
          });
      Work second = client.withStream(other).work("second", Map.of(a, Access.READ_WRITE));
      MemorySegment memory = second.memory(a);
      add(second, () -> memory.set(JAVA_LONG, 0, 2 * memory.get(JAVA_LONG, 0) + 2));
      assertThat(first.isPending()).isTrue();
      assertThat(second.isPending()).isTrue();
      goOn.countDown();
      second.run(() -> memory.set(JAVA_LONG, 0, memory.get(JAVA_LONG, 0) + 1));
      assertThat(first.isPending()).isFalse();
      assertThat(client.read(a).get(JAVA_LONG, 0)).isEqualTo(43);
    }
  }

  @Test
  void whatWasNotWrittenIsToldWithTheNameOfTheWork() {
    try (ComputeStream stream = client.openStream();
        Buffer a = client.create(MemorySegment.ofArray(new long[1]))) {
      ComputeClient bound = client.withStream(stream);
      Work failing = bound.work("failing", Map.of(a, Access.WRITE));
      add(
          failing,
          () -> {
            throw new IllegalStateException("no numbers today");
          });
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(() -> client.read(a))
          .withMessageContaining("'failing'")
          .withMessageContaining("no numbers today");
      Work reading = bound.work("reading", Map.of(a, Access.READ));
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(() -> reading.run(() -> {}))
          .withMessageContaining("'failing'");
      assertThatExceptionOfType(DeviceException.class).isThrownBy(stream::sync);
      failing.run(() -> failing.memory(a).set(JAVA_LONG, 0, 7));
      assertThat(client.read(a).get(JAVA_LONG, 0)).isEqualTo(7);
    }
  }

  @Test
  void closedBuffersAreRefused() {
    Buffer a = client.empty(8);
    Work work = client.work("late", Map.of(a, Access.WRITE));
    a.close();
    assertThatIllegalStateException()
        .isThrownBy(() -> add(work, () -> {}))
        .withMessageContaining("is closed");
    assertThatIllegalStateException()
        .isThrownBy(() -> work.run(() -> {}))
        .withMessageContaining("is closed");
  }
}
