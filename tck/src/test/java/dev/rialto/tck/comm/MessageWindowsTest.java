package dev.rialto.tck.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.comm.Window.LockMode;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.parts.messages.MessageWindows;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Windows made of messages, on ranks whose long messages wait for their receivers. */
class MessageWindowsTest {
  /** The body of a rank. */
  private interface Body {
    void run(Communicator comm, MessageWindows windows) throws Exception;
  }

  private static void ranks(int ranks, Body body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Communicator own = comm.dup();
                MessageWindows windows = new MessageWindows(comm, own)) {
              body.run(comm, windows);
              assertThat(windows.open()).isZero();
              comm.barrier();
            }
          });
    }
  }

  private static MemorySegment longs(long... values) {
    return MemorySegment.ofArray(values);
  }

  @Test
  void aTargetThatDoesNotCallInIsServed() {
    CountDownLatch done = new CountDownLatch(1);
    ranks(
        2,
        (comm, windows) -> {
          try (Window window = windows.allocateWindow(8)) {
            if (comm.rank() == 0) {
              done.await();
              assertThat(window.memory().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(9);
            } else {
              window.lock(0, LockMode.EXCLUSIVE);
              window.put(longs(4), DType.I64, 1, 0, 0);
              window.accumulate(longs(5), DType.I64, 1, 0, 0, ReduceOp.SUM);
              window.unlock(0);
              done.countDown();
            }
          }
        });
  }

  @Test
  void accessesOfManyRequestsMoveEveryElement() {
    int count = 400_000;
    ranks(
        3,
        (comm, windows) -> {
          int next = (comm.rank() + 1) % comm.size();
          long[] sent = new long[count];
          sent[0] = comm.rank();
          sent[count - 1] = 7;
          long[] got = new long[count];
          try (Window window = windows.allocateWindow(8L * count)) {
            window.fence();
            window.put(longs(sent), DType.I64, count, next, 0);
            window.fence();
            window.get(longs(got), DType.I64, count, next, 0);
            window.fence();
          }
          assertThat(got).isEqualTo(sent);
        });
  }

  @Test
  void freedMemoryIsToldAtTheEndOfTheEpoch() {
    ranks(
        2,
        (comm, windows) -> {
          Arena arena = Arena.ofShared();
          try (Window window = windows.window(arena.allocate(8, 8))) {
            comm.barrier();
            if (comm.rank() == 0) {
              arena.close();
            }
            comm.barrier();
            if (comm.rank() == 1) {
              window.lock(0, LockMode.SHARED);
              window.put(longs(1), DType.I64, 1, 0, 0);
              window.get(longs(1), DType.I64, 1, 0, 0);
              assertThatThrownBy(() -> window.unlock(0))
                  .isInstanceOf(CommunicationException.class)
                  .hasMessageContaining("rank 0");
              window.lock(0, LockMode.EXCLUSIVE);
              window.unlock(0);
            } else {
              assertThatThrownBy(window::fence)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("freed");
            }
          }
        });
  }

  @Test
  void aRankThatWaitsForOneThatHasClosedItsEndIsTold() {
    ranks(
        2,
        (comm, windows) -> {
          Window window = windows.allocateWindow(8);
          if (comm.rank() == 0) {
            window.lock(0, LockMode.SHARED);
            assertThatThrownBy(window::close).isInstanceOf(IllegalStateException.class);
          } else {
            assertThatThrownBy(() -> window.start(0))
                .isInstanceOf(CommunicationException.class)
                .hasMessageContaining("closed");
            window.close();
          }
        });
  }

  @Test
  void memoryThatIsNotAttachedIsToldAtTheEndOfTheEpoch() {
    ranks(
        2,
        (comm, windows) -> {
          try (Window window = windows.dynamicWindow()) {
            window.lockAll();
            window.put(longs(1), DType.I64, 1, 1 - comm.rank(), 4096);
            assertThatThrownBy(window::flushAll)
                .isInstanceOf(CommunicationException.class)
                .hasMessageContaining("4096")
                .hasMessageContaining("attach");
            window.unlockAll();
          }
        });
  }

  @Test
  void aRankThatClosesWithFailedAccessesDoesNotFailTheOthers() {
    ranks(
        3,
        (comm, windows) -> {
          Window window = windows.dynamicWindow();
          window.fence();
          if (comm.rank() == 1) {
            window.put(longs(1), DType.I64, 1, 2, 4096);
            assertThatThrownBy(window::close)
                .isInstanceOf(CommunicationException.class)
                .hasMessageContaining("attach");
          } else {
            window.close();
          }
        });
  }

  @Test
  void aRankLeavesAWindowOnlyWhenTheOthersNeedNothingOfItAnyMore() {
    int rounds = 300;
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            for (int round = 0; round < rounds; round++) {
              // Without a meeting after it, the communicator is closed under a rank that asks.
              Communicator own = comm.dup();
              MessageWindows windows = new MessageWindows(comm, own);
              windows.allocateWindow(8).close();
              windows.close();
              own.close();
            }
          });
    }
  }

  @Test
  void aLockThatIsAwaitedForLongIsNotGrantedByAnotherAnswer() {
    int answers = 0x3fff;
    ranks(
        2,
        (comm, windows) -> {
          try (Window window = windows.allocateWindow(8);
              Window other = windows.allocateWindow(8)) {
            if (comm.rank() == 0) {
              window.lock(0, LockMode.EXCLUSIVE);
            }
            comm.barrier();
            if (comm.rank() == 1) {
              other.lock(0, LockMode.SHARED);
              AtomicBoolean granted = new AtomicBoolean();
              Thread waits =
                  Thread.ofPlatform()
                      .start(
                          () -> {
                            window.lock(0, LockMode.EXCLUSIVE);
                            granted.set(true);
                            window.unlock(0);
                          });
              for (int i = 0; i < answers + 2; i++) {
                other.put(longs(1), DType.I64, 1, 0, 0);
                other.flush(0);
              }
              assertThat(granted).isFalse();
              other.unlock(0);
              comm.barrier();
              waits.join();
              assertThat(granted).isTrue();
            } else {
              comm.barrier();
              window.unlock(0);
            }
          }
        });
  }

  @Test
  void whatDoesNotTravelIsRefused() {
    ranks(
        1,
        (comm, windows) -> {
          ReduceOp own = ReduceOp.user("own", true, (_, _, _, _) -> {});
          try (Window window = windows.allocateWindow(8)) {
            window.fence();
            assertThatThrownBy(() -> window.accumulate(longs(1), DType.I64, 1, 0, 0, own))
                .isInstanceOf(UnsupportedOperationException.class);
            window.fence();
          }
        });
  }

  @Test
  void elementsThatDoNotLieTogetherArePutAndGot() {
    Layout odd = Layout.indexed(DType.I64, new long[] {5, 1, 3}, 1);
    Layout rows = Layout.pitched(DType.I64, Shape.of(3, 1), 2);
    ranks(
        2,
        (comm, windows) -> {
          try (Window window = windows.allocateWindow(48)) {
            window.fence();
            int other = 1 - comm.rank();
            long mine = 10L * comm.rank();
            window.put(longs(0, mine + 1, 0, mine + 2, 0, mine + 3), odd, other, 0, rows);
            window.fence();
            MemorySegment got = longs(9, 9, 9, 9, 9, 9);
            window.get(got, odd, other, 0, rows);
            window.fence();
            long theirs = 10L * other;
            assertThat(window.memory().toArray(ValueLayout.JAVA_LONG))
                .containsExactly(theirs + 3, 0, theirs + 1, 0, theirs + 2, 0);
            assertThat(got.toArray(ValueLayout.JAVA_LONG))
                .containsExactly(9, mine + 1, 9, mine + 2, 9, mine + 3);
          }
        });
  }
}
