package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeadlockException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TeamTest {
  private static final String GRACE = "rialto.local.deadlock.millis";

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aTeamClosesItsArrays(int ranks) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            F64Array kept;
            try (Team team = Team.on(comm)) {
              kept = team.space(12, 5).halo(1).f64();
              F64Array closed = kept.like();
              kept.updateHalo();
              closed.close();
              team.i32(7).fill(1);
              kept.fill(1);
              assertThat(kept.unique().sum() + kept.copyIf(x -> x > 0).sum()).isEqualTo(61);
            }
            assertThatThrownBy(kept::sum).hasMessageContaining("is closed");
          });
    }
    assertThat(Devices.memoryReports().toString()).doesNotContain("F64 array");
  }

  @Test
  void startedWorkThatWaitsForAMessageThatNobodySendsIsADeadlock() {
    System.setProperty(GRACE, "40");
    try (World world = World.local(3)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        try (Team team = Team.on(comm);
                            F64Array x = team.f64(100)) {
                          double _ =
                              team.start(
                                      () -> {
                                        if (comm.rank() == 1) {
                                          comm.receive(MemorySegment.NULL, DType.I8, 0, 0, 7);
                                        }
                                        return x.sum();
                                      },
                                      x)
                                  .await();
                        }
                      }))
          .hasCauseInstanceOf(DeadlockException.class)
          .hasMessageContaining("rank 1 waits for the end of thread team of rank 1")
          .hasMessageContaining("team of rank 1 waits for receive from rank 0, tag 7");
    } finally {
      System.clearProperty(GRACE);
    }
  }

  @Test
  void aRankThatWasInterruptedClosesItsTeamWithTheOthers() {
    Thread[] threads = new Thread[2];
    CountDownLatch leaving = new CountDownLatch(1);
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            threads[comm.rank()] = Thread.currentThread();
            try (Team team = Team.on(comm);
                F64Array x = team.f64(100)) {
              x.fill(comm.rank());
              assertThat(x.sum()).isEqualTo(50);
              if (comm.rank() == 1) {
                leaving.countDown();
                Thread.currentThread().interrupt();
              } else {
                leaving.await();
                // Until it waits, for what only this rank can end, or has ended.
                while (threads[1].getState() == Thread.State.RUNNABLE) {
                  Thread.onSpinWait();
                }
              }
            }
          });
    }
  }

  @Test
  void aRankOnItsWayOutDoesNotWaitForOthersToCloseArrays() {
    CountDownLatch out = new CountDownLatch(1);
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                F64Array x = team.f64(100);
                F64Array y = team.f64(20, 30)) {
              x.fill(1);
              if (comm.rank() == 1) {
                throw new ArithmeticException("on its way");
              }
              assertThat(out.await(20, TimeUnit.SECONDS)).as("rank 1 has closed all").isTrue();
              assertThat(y.get(comm.rank() == 0 ? 0 : 19, 0)).isZero();
            } catch (ArithmeticException _) {
              out.countDown();
            }
            try (Team team = Team.on(comm);
                F64Array x = team.f64(100)) {
              x.fill(2);
              assertThat(x.sum()).isEqualTo(200);
            }
          });
    }
    assertThat(Devices.memoryReports().toString()).doesNotContain("F64 array");
  }

  @Test
  void memoryOfClosedArraysIsGivenBackBeforeMoreIsTaken() {
    ComputeClient limited = Devices.host().withLimit(3 << 20);
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            for (int i = 0; i < 4; i++) {
              try (Team team = Team.on(comm, limited)) {
                for (int j = 0; j < 4; j++) {
                  try (F64Array x = team.f64(1 << 18)) {
                    x.fill(j);
                  }
                }
              }
            }
          });
    }
  }

  @Test
  void aHaloThatIsUnderWayKeepsATeamFromClosing() {
    try (World world = World.local(2)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        try (Team team = Team.on(comm)) {
                          team.space(12, 5).halo(1).f64().startHalo();
                        }
                      }))
          .isInstanceOf(CommunicationException.class)
          .rootCause()
          .hasMessageContaining("while its halo is under way");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void anArrayInUseIsNotClosedByAnotherThread(int ranks) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              F64Array x = team.f64(100);
              CountDownLatch inside = new CountDownLatch(1);
              CountDownLatch refused = new CountDownLatch(1);
              CompletableFuture<Void> closing =
                  CompletableFuture.runAsync(
                      () -> {
                        await(inside);
                        try {
                          x.close();
                        } finally {
                          refused.countDown();
                        }
                      });
              x.set(
                  i -> {
                    inside.countDown();
                    await(refused);
                    return 1;
                  });
              assertThatThrownBy(closing::get)
                  .isInstanceOf(ExecutionException.class)
                  .cause()
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContainingAll("closing F64 array", "is in set", "one thread");
              assertThat(x.sum()).isEqualTo(100);
            }
          });
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
