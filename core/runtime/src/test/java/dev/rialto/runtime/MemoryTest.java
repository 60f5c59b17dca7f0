package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.runtime.memory.AllocationMode;
import dev.rialto.spi.error.MemoryException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory runs out at the operation that asked, after everything that can be had was given back. */
class MemoryTest {
  private final FakeDevice fake = new FakeDevice(1, false, 0);
  private final ComputeDevice device = ComputeDevice.open(fake);
  private final ComputeClient client = device.client();

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void runningOutNamesTheRequestAndWhoHoldsWhat() {
    fake.limit.set(10 << 20);
    try (Buffer weights = client.empty("weights", 6 << 20);
        Buffer small = client.empty("small", 100)) {
      assertThatExceptionOfType(MemoryException.class)
          .isThrownBy(() -> client.empty("activations", 5 << 20))
          .withMessageContaining((5 << 20) + " bytes")
          .withMessageContaining("weights")
          .withMessageContaining("6.0 MiB")
          .withMessageContaining("small");
      assertThat(weights.isOpen() && small.isOpen()).isTrue();
    }
    client.empty(5 << 20).close();
  }

  @Test
  void freeMemoryOfOtherSizesIsGivenBackFirst() {
    fake.limit.set(10 << 20);
    List<Buffer> small = IntStream.range(0, 100).mapToObj(_ -> client.empty(60_000)).toList();
    small.forEach(Buffer::close);
    try (Buffer large = client.empty(9 << 20)) {
      assertThat(large.isOpen()).isTrue();
    }
  }

  @Test
  void memoryOfWorkUnderWayIsWaitedFor() {
    fake.limit.set(10 << 20);
    CountDownLatch gate = new CountDownLatch(1);
    try (ComputeStream other = client.openStream()) {
      Buffer busy = client.empty(6 << 20);
      client
          .withStream(other)
          .launch(client.compile(Kernels.gate(gate, Kernels.writes("x"))), 1, busy);
      busy.close();
      Thread.ofVirtual().start(gate::countDown);
      client.empty(7 << 20).close();
    }
  }

  @Test
  void aClientMayBeLimited() {
    ComputeClient limited = client.withLimit(1000);
    try (Buffer x = limited.empty(800)) {
      assertThatExceptionOfType(MemoryException.class)
          .isThrownBy(() -> limited.empty(300))
          .withMessageContaining("limit of 1000");
      client.empty(300).close();
      assertThat(x.bytes()).isEqualTo(800);
    }
    limited.empty(1000).close();
  }

  @Test
  void theReportHasAllPoolsAndTheirPeaks() {
    try (Buffer small = client.empty(100);
        Buffer large = client.empty(3 << 20);
        Buffer kept = client.withAllocation(AllocationMode.PERSISTENT).empty(5000);
        Buffer exact = client.withAllocation(AllocationMode.EXACT).empty(500)) {
      assertThat(client.memoryUsage().used())
          .isEqualTo(small.bytes() + large.bytes() + kept.bytes() + exact.bytes());
    }
    var report = client.memoryReport();
    assertThat(report.pools())
        .extracting(row -> row.pool() + " " + row.peakUsed() + " " + row.used())
        .containsExactly("128 B 100 0", "large 3145728 0", "persistent 5000 0", "exact 500 0");
    assertThat(report.toString()).contains("persistent").contains("fake:0");
    client.cleanup();
    assertThat(client.memoryUsage().reserved()).isZero();
    assertThat(client.memoryUsage().peakReserved()).isPositive();
  }

  @Test
  void aLostBufferIsReportedOnceAndStaysCounted() throws InterruptedException {
    LinkedBlockingQueue<String> leaks = new LinkedBlockingQueue<>();
    device.onLeak(leaks::add);
    lose();
    assertThat(awaitLeak(leaks))
        .contains("lost")
        .contains("123 bytes")
        .contains("-Drialto.leaks=true");
    assertThat(client.memoryUsage().used()).isEqualTo(123);
    assertThat(leaks).isEmpty();
  }

  @Test
  void whereBuffersWereMadeIsToldOfThoseThatAreLostAndOfThoseThatHoldMemory()
      throws InterruptedException {
    LinkedBlockingQueue<String> leaks = new LinkedBlockingQueue<>();
    device.onLeak(leaks::add);
    device.trackAllocations(true);
    lose();
    assertThat(awaitLeak(leaks)).contains("lost").contains("MemoryTest.java:");
    fake.limit.set(1 << 20);
    assertThatExceptionOfType(MemoryException.class)
        .isThrownBy(() -> client.empty(2 << 20))
        .withMessageContaining("lost at dev.rialto.runtime.MemoryTest");
  }

  private static String awaitLeak(LinkedBlockingQueue<String> leaks) throws InterruptedException {
    String leak = null;
    for (int i = 0; i < 100 && leak == null; i++) {
      System.gc();
      leak = leaks.poll(100, TimeUnit.MILLISECONDS);
    }
    return leak;
  }

  private void lose() {
    Buffer lost = client.empty("lost", 123);
    assertThat(lost.isOpen()).isTrue();
    client.empty("closed", 77).close();
  }

  @Test
  void aLongRunLeavesNothingBehind() {
    Kernel increment = client.compile(Kernels.increment());
    List<Long> reserved = new ArrayList<>();
    for (int round = 0; round < 20; round++) {
      try (ComputeStream stream = client.openStream()) {
        for (int i = 0; i < 200; i++) {
          try (Buffer x = Kernels.create(client, new double[1 + i])) {
            client.launch(increment, 1 + i, x);
            client.withStream(stream).launch(increment, 1, x);
          }
        }
      }
      client.syncDevice();
      reserved.add(client.memoryUsage().reserved());
    }
    assertThat(client.memoryUsage().used()).isZero();
    assertThat(reserved.getLast()).isLessThanOrEqualTo(2 * reserved.getFirst());
    client.cleanup();
    assertThat(client.memoryUsage().reserved()).isZero();
    assertThat(fake.memory().used()).isZero();
  }
}
