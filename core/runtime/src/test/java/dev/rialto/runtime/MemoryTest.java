package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.runtime.memory.AllocationMode;
import dev.rialto.runtime.memory.MemoryAccount;
import dev.rialto.runtime.memory.MemoryReport;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory runs out at the operation that asked, after everything that can be had was given back. */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"fake", "hidden", "cuda"})
@Tag("gpu")
class MemoryTest {
  private final Device spi;
  private final long usedBefore;
  private final ComputeDevice device;
  private final ComputeClient client;

  MemoryTest(String name) {
    spi = Kernels.device(name);
    usedBefore = spi.memory().used();
    device = ComputeDevice.open(spi);
    client = device.client();
  }

  /** Leaves so little memory; only a device that is made for it does that. */
  private void limit(long bytes) {
    assumeTrue(spi instanceof FakeDevice, spi.name() + " has all of its memory");
    ((FakeDevice) spi).limit.set(bytes);
  }

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void runningOutNamesTheRequestAndWhoHoldsWhat() {
    limit(10 << 20);
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
    limit(10 << 20);
    List<Buffer> small = IntStream.range(0, 100).mapToObj(_ -> client.empty(60_000)).toList();
    small.forEach(Buffer::close);
    try (Buffer large = client.empty(9 << 20)) {
      assertThat(large.isOpen()).isTrue();
    }
  }

  @Test
  void memoryOfWorkUnderWayIsWaitedFor() {
    limit(10 << 20);
    CountDownLatch gate = new CountDownLatch(1);
    try (ComputeStream other = client.openStream()) {
      Buffer busy = client.empty(6 << 20);
      Kernels.hold(client.withStream(other), gate, Access.WRITE, busy);
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
  void aLimitOfADeviceHoldsForAllOfItsClients() {
    assumeTrue(!device.isHostAccessible(), "other tests use the host's memory");
    try (Buffer before = client.empty(500)) {
      device.limitMemory(1000);
      try (Resource lent = device.client().lend("lent", 400)) {
        assertThatExceptionOfType(MemoryException.class)
            .isThrownBy(() -> client.withLimit(5000).empty(200))
            .withMessageContaining("900 of the limit of 1000 bytes")
            .withMessageContaining("lent");
        assertThat(before.bytes() + lent.segment().byteSize()).isPositive();
      }
      client.empty(500).close();
    }
    device.limitMemory(Long.MAX_VALUE);
  }

  @Test
  void stagingMemoryCountsAsTheHosts() {
    try (ComputeDevice hidden = ComputeDevice.open(new FakeDevice(1, true, 0))) {
      long host = MemoryAccount.HOST.used();
      try (Resource staged = hidden.client().lendStaging("staged", 5000);
          Resource there = hidden.client().lend("there", 7000)) {
        assertThat(MemoryAccount.HOST.used() - host).isEqualTo(5000);
        assertThat(staged.segment().byteSize()).isEqualTo(5000);
        assertThat(there.segment().byteSize()).isZero();
        assertThat(Devices.memoryReports())
            .flatExtracting(MemoryReport::pools)
            .extracting(row -> row.pool() + " " + row.used())
            .contains("staging exact 5000", "exact 7000");
      }
      assertThat(hidden.client().memoryUsage().reserved()).isZero();
    }
  }

  @Test
  void adoptedMemoryIsCountedAndStaysItsOwners() {
    assumeTrue(device.isHostAccessible(), "memory of the host is adopted there");
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(3000, 64);
      ComputeClient limited = client.withLimit(4000);
      try (Resource adopted = limited.adopt("window", memory)) {
        assertThat(client.memoryReport().pools())
            .extracting(row -> row.pool() + " " + row.used() + " " + row.buffers())
            .contains("adopted 3000 1");
        assertThat(adopted.segment().address()).isEqualTo(memory.address());
        assertThatExceptionOfType(MemoryException.class)
            .isThrownBy(() -> limited.empty(2000))
            .withMessageContaining("window");
      }
      limited.empty(4000).close();
      var _ = memory.fill((byte) 1);
    }
    assertThat(client.memoryUsage().used()).isZero();
  }

  @Test
  void memoryOfAnArenaIsCountedUntilItEnds() {
    assumeTrue(device.isHostAccessible(), "the host fills it");
    MemorySegment memory;
    try (Arena arena = Arena.ofShared()) {
      memory = client.lend("scratch", 3000).until(arena);
      assertThat(memory.byteSize()).isEqualTo(3000);
      memory.fill((byte) 1);
      assertThat(client.memoryUsage().used()).isEqualTo(3000);
    }
    assertThat(client.memoryUsage().used()).isZero();
    assertThatIllegalStateException().isThrownBy(() -> memory.fill((byte) 2));
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
    assertThat(report.toString()).contains("persistent").contains(device.name());
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
    limit(1 << 20);
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
    Kernel increment = Kernels.increment(client);
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
    assertThat(spi.memory().used()).isEqualTo(usedBefore);
  }
}
