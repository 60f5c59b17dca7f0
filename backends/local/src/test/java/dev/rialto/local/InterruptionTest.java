package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.comm.Window.LockMode;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CommunicationException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Waits of threads that are interrupted. */
class InterruptionTest {
  private static final MemorySegment NOTHING = MemorySegment.NULL;

  private static void run(int ranks, World.RankBody body) {
    try (World world = World.local(ranks)) {
      world.run(body);
    }
  }

  private static void assertInterrupted(Runnable call) {
    Thread.currentThread().interrupt();
    assertThatThrownBy(call::run)
        .isInstanceOf(CommunicationException.class)
        .hasCauseInstanceOf(InterruptedException.class)
        .hasMessageContaining("interrupted while waiting for");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aCallThatBlocksIsTakenBack() {
    run(
        2,
        comm -> {
          MemorySegment memory = MemorySegment.ofArray(new byte[1000]);
          if (comm.rank() == 0) {
            assertInterrupted(() -> comm.receive(memory, DType.I8, 1000, 1, 0));
            assertInterrupted(() -> comm.send(memory, DType.I8, 1000, 1, 0));
            assertInterrupted(() -> comm.probe(1, 0));
          }
          comm.barrier();
          assertThat(comm.iprobe(1 - comm.rank(), 0)).isEmpty();
        });
  }

  @Test
  void aRequestStaysPending() {
    run(
        2,
        comm -> {
          MemorySegment memory = MemorySegment.ofArray(new byte[1000]);
          if (comm.rank() == 0) {
            Request receive = comm.ireceive(memory, DType.I8, 1000, 1, 0);
            Request barrier = comm.start(new Collective.Barrier());
            assertInterrupted(receive::await);
            assertInterrupted(barrier::await);
            comm.send(NOTHING, DType.I8, 0, 1, 1);
            assertThat(receive.await().bytes()).isEqualTo(1000);
            barrier.await();
          } else {
            comm.receive(NOTHING, DType.I8, 0, 0, 1);
            comm.send(memory, DType.I8, 1000, 0, 0);
            comm.barrier();
          }
        });
  }

  @Test
  void whatNeedsNoWaitIsDone() {
    run(
        1,
        comm -> {
          Thread.currentThread().interrupt();
          comm.send(NOTHING, DType.I8, 0, 0, 0);
          comm.receive(NOTHING, DType.I8, 0, 0, 0);
          comm.barrier();
          assertThat(Thread.interrupted()).isTrue();
        });
  }

  @Test
  void aLockThatIsNotWaitedForAnyLongerIsPassedOn() {
    run(
        3,
        comm -> {
          try (Window window = comm.allocateWindow(8)) {
            for (LockMode mode : LockMode.values()) {
              if (comm.rank() == 0) {
                window.lock(0, LockMode.EXCLUSIVE);
              }
              comm.barrier();
              if (comm.rank() == 1) {
                assertInterrupted(() -> window.lock(0, mode));
                assertInterrupted(window::lockAll);
              }
              comm.barrier();
              if (comm.rank() == 0) {
                window.unlock(0);
              }
              window.lock(0, comm.rank() == 2 ? LockMode.EXCLUSIVE : LockMode.SHARED);
              window.unlock(0);
              comm.barrier();
            }
          }
        });
  }
}
