package dev.rialto.exchange;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.World;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.system.AddressSpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks read one another's arrays themselves, confined ones too. */
class DirectReadsTest {
  private static long read(DirectReads reads, int rank) {
    return AddressSpace.MEMORY.get(JAVA_LONG, reads.address(rank));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void everyRankReadsTheArraysOfAllInEveryRun(int ranks) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Exchanger exchanger = Exchanger.on(comm);
                Arena arena = Arena.ofConfined()) {
              DirectReads reads = exchanger.directReads().orElseThrow();
              assertThat(reads.oneProcess()).isTrue();
              for (int run = 0; run < 50; run++) {
                MemorySegment array = arena.allocateFrom(JAVA_LONG, 100L * run + comm.rank());
                reads.await(array);
                for (int rank = 0; rank < ranks; rank++) {
                  assertThat(read(reads, rank)).isEqualTo(100L * run + rank);
                }
                reads.finish();
                array.set(JAVA_LONG, 0, -1);
              }
            }
          });
    }
  }

  @Test
  void aRankThatFailsLeavesWhenNoOtherReadsItsArray() {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch failing = new CountDownLatch(1);
    AtomicBoolean freed = new AtomicBoolean();
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            Exchanger exchanger = Exchanger.on(comm);
            DirectReads reads = exchanger.directReads().orElseThrow();
            try (Arena arena = Arena.ofConfined()) {
              reads.await(arena.allocateFrom(JAVA_LONG, comm.rank()));
              if (comm.rank() == 0) {
                reading.await();
                failing.countDown();
                exchanger.fail(new IllegalStateException("mine"));
                freed.set(true);
              } else {
                reading.countDown();
                failing.await();
                for (int i = 0; i < 1_000; i++) {
                  assertThat(freed).isFalse();
                  assertThat(read(reads, 0)).isZero();
                  Thread.onSpinWait();
                }
                assertThatThrownBy(reads::finish).isInstanceOf(PeerFailedException.class);
                exchanger.fail(new IllegalStateException("told"));
              }
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            exchanger.close();
          });
    }
  }
}
