package dev.rialto.cpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace.LiveAllocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HostMemoryTest {
  private final List<LiveAllocation> leaks = new CopyOnWriteArrayList<>();
  private final HostMemorySpace memory = new HostMemorySpace(8L << 30, true, leaks::add);

  @Test
  void memoryIsZeroedAndAligned() {
    for (long alignment : new long[] {1, 2, 64, 4096, 1 << 20}) {
      for (long bytes : new long[] {1, 63, 64, 65, 100_000}) {
        try (Allocation allocation = memory.allocate(bytes, alignment)) {
          MemorySegment segment = allocation.segment();
          assertThat(segment.byteSize()).isEqualTo(bytes);
          assertThat(segment.address() % Math.max(64, alignment)).isZero();
          assertThat(segment.mismatch(MemorySegment.ofArray(new byte[(int) bytes]))).isEqualTo(-1);
          segment.fill((byte) 1);
        }
      }
    }
  }

  @Test
  void zeroBytesAreAnAllocationLikeAnyOther() {
    try (Allocation one = memory.allocate(0);
        Allocation two = memory.allocate(0)) {
      assertThat(one.segment().byteSize()).isZero();
      assertThat(memory.live()).hasSize(2);
      assertThat(memory.owner(one.segment())).isSameAs(one);
      assertThat(memory.owner(two.segment())).isSameAs(two);
    }
    assertThat(memory.live()).isEmpty();
  }

  @Test
  void moreThanTwoGibibytesWork() {
    try (Allocation allocation = memory.allocate(3L << 30)) {
      MemorySegment segment = allocation.segment();
      segment.set(JAVA_LONG, (3L << 30) - 8, 42);
      assertThat(segment.get(JAVA_LONG, (3L << 30) - 8)).isEqualTo(42);
      assertThat(segment.get(JAVA_LONG, 1L << 31)).isZero();
    }
  }

  @Test
  void countersAreExact() {
    Allocation a = memory.allocate(1000);
    Allocation b = memory.allocate(500);
    assertThat(memory.used()).isEqualTo(1500);
    assertThat(memory.available()).isEqualTo((8L << 30) - 1500);
    a.close();
    assertThat(memory.used()).isEqualTo(500);
    assertThat(memory.peak()).isEqualTo(1500);
    assertThat(memory.live())
        .extracting(LiveAllocation::bytes, LiveAllocation::address)
        .containsExactly(org.assertj.core.groups.Tuple.tuple(500L, b.segment().address()));
    b.close();
    assertThat(memory.used()).isZero();
    assertThat(memory.peak()).isEqualTo(1500);
    assertThat(memory.live()).isEmpty();
  }

  @Test
  void countersAreExactWithManyThreads() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      Random random = new Random(t);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    List<Allocation> mine = new ArrayList<>();
                    for (int i = 0; i < 300; i++) {
                      mine.add(memory.allocate(random.nextInt(10_000)));
                      if (random.nextBoolean()) {
                        mine.remove(random.nextInt(mine.size())).close();
                      }
                    }
                    mine.forEach(Allocation::close);
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(memory.used()).isZero();
    assertThat(memory.live()).isEmpty();
  }

  @Test
  void useAfterCloseThrows() {
    Allocation allocation = memory.allocate(64);
    MemorySegment segment = allocation.segment();
    MemorySegment slice = segment.asSlice(8, 8);
    assertThat(allocation.isOpen()).isTrue();
    allocation.close();
    assertThat(allocation.isOpen()).isFalse();
    assertThat(allocation.bytes()).isEqualTo(64);
    assertThatThrownBy(allocation::segment).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> segment.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> slice.set(JAVA_BYTE, 0, (byte) 1))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void closingTwiceIsAnError() {
    Allocation allocation = memory.allocate(64);
    allocation.close();
    assertThatThrownBy(allocation::close)
        .isInstanceOf(MemoryException.class)
        .hasMessageContaining("64 bytes")
        .hasMessageContaining("closed before");
    assertThat(memory.used()).isZero();
  }

  @Test
  void anyThreadMayUseAndCloseIt() throws InterruptedException {
    Allocation allocation = memory.allocate(8);
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  allocation.segment().set(JAVA_LONG, 0, 1);
                  allocation.close();
                });
    other.join();
    assertThat(allocation.isOpen()).isFalse();
  }

  @Test
  void theOwnerOfASliceIsItsAllocation() {
    try (Allocation allocation = memory.allocate(128);
        Allocation other = memory.allocate(128)) {
      MemorySegment segment = allocation.segment();
      assertThat(memory.owner(segment)).isSameAs(allocation);
      assertThat(memory.owner(segment.asSlice(100, 28))).isSameAs(allocation);
      assertThat(memory.owner(segment.asSlice(128))).isSameAs(allocation);
      assertThat(memory.owner(segment.asReadOnly())).isSameAs(allocation);
      assertThat(memory.owner(other.segment())).isSameAs(other);
    }
  }

  @Test
  void foreignAndClosedMemoryHasNoOwner() {
    Allocation allocation = memory.allocate(128);
    MemorySegment closed = allocation.segment();
    try (Arena arena = Arena.ofConfined()) {
      for (MemorySegment foreign :
          List.of(
              MemorySegment.ofArray(new double[4]),
              arena.allocate(64),
              MemorySegment.NULL,
              MemorySegment.ofAddress(-1))) {
        assertThatThrownBy(() -> memory.owner(foreign)).isInstanceOf(MemoryException.class);
      }
    }
    allocation.close();
    assertThatThrownBy(() -> memory.owner(closed)).isInstanceOf(MemoryException.class);
  }

  @Test
  void tooMuchIsRefusedWithTheNumbersBeforeAnythingIsTouched() {
    try (Allocation held = memory.allocate(100)) {
      for (long bytes : new long[] {1L << 60, Long.MAX_VALUE, 8L << 30}) {
        assertThatThrownBy(() -> memory.allocate(bytes))
            .isInstanceOf(MemoryException.class)
            .hasMessageContaining(bytes + " bytes")
            .hasMessageContaining("100 are used")
            .hasMessageContaining(((8L << 30) - 100) + " are left")
            .hasMessageContaining("rialto.host.limit");
      }
      assertThatThrownBy(() -> memory.allocate(1, 1L << 62)).isInstanceOf(MemoryException.class);
      assertThat(memory.used()).isEqualTo(held.bytes());
      assertThat(memory.peak()).isEqualTo(held.bytes());
    }
  }

  @Test
  void wrongArgumentsAreRefused() {
    assertThatThrownBy(() -> memory.allocate(-1)).isInstanceOf(IllegalArgumentException.class);
    for (long alignment : new long[] {0, -1, 3, 48, Long.MIN_VALUE}) {
      assertThatThrownBy(() -> memory.allocate(8, alignment))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(Long.toString(alignment));
    }
  }

  @Test
  void theLimitComesFromTheProperty() {
    assertThat(HostMemorySpace.limit("4096")).isEqualTo(4096);
    assertThat(HostMemorySpace.limit(null)).isGreaterThan(1 << 20);
    for (String wrong : List.of("-1", "8g", "")) {
      assertThatThrownBy(() -> HostMemorySpace.limit(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("rialto.host.limit=" + wrong);
    }
  }

  @Test
  void liveAllocationsSayWhereTheyWereMade() {
    try (Allocation allocation = memory.allocate(16)) {
      assertThat(memory.live().getFirst().site().getFirst().getMethodName())
          .isEqualTo("liveAllocationsSayWhereTheyWereMade");
      assertThat(allocation.space()).isSameAs(memory);
    }
    HostMemorySpace untracked = new HostMemorySpace(1000, false, leaks::add);
    try (Allocation allocation = untracked.allocate(16)) {
      assertThat(allocation.isOpen()).isTrue();
      assertThat(untracked.live().getFirst().site()).isEmpty();
    }
  }

  /** Waits until what could not be reached before has been found. */
  private static void awaitCleaning() throws InterruptedException {
    CountDownLatch cleaned = new CountDownLatch(1);
    Cleaner.create().register(new Object(), cleaned::countDown);
    do {
      System.gc();
    } while (!cleaned.await(10, TimeUnit.MILLISECONDS));
  }

  @Test
  void aLostAllocationIsReportedOnceAndStaysCounted() throws InterruptedException {
    MemorySegment kept = lose(12345).asSlice(3, 4);
    memory.allocate(777).close();
    awaitCleaning();
    assertThat(leaks).as("a slice is still in use").isEmpty();
    assertThat(memory.owner(kept).bytes()).isEqualTo(12345);

    lose(54321);
    for (int i = 0; leaks.isEmpty() && i < 500; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(leaks).hasSize(1);
    assertThat(HostMemorySpace.describe(leaks.getFirst()))
        .contains("54321 bytes")
        .contains("HostMemoryTest.lose(HostMemoryTest.java");
    assertThat(memory.used()).isEqualTo(12345 + 54321);
    assertThat(memory.live()).hasSize(2);
    memory.owner(kept).close();
  }

  private MemorySegment lose(long bytes) {
    return memory.allocate(bytes).segment();
  }
}
