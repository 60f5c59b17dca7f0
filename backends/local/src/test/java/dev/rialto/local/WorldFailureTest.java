package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.PeerFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which failure comes out of a world, and what is left to do after it. */
class WorldFailureTest {
  private static final MemorySegment NOTHING = MemorySegment.NULL;

  static List<RuntimeException> consequences() {
    PeerFailedException told = new PeerFailedException("rank 1 failed", "rank 0", "", null);
    return List.of(
        told,
        new IllegalStateException("wrapped", new RuntimeException(told)),
        new DeadlockException("all wait", "rank 0", "", null),
        new MismatchException("fence and close", "rank 0", "", null));
  }

  @ParameterizedTest
  @MethodSource("consequences")
  void theUsersExceptionIsTheCauseAlsoIfAConsequenceCameFirst(RuntimeException consequence) {
    ArithmeticException own = new ArithmeticException("mine");
    try (World world = World.local(3)) {
      Throwable thrown =
          catchThrowable(
              () ->
                  world.run(
                      comm -> {
                        switch (comm.rank()) {
                          case 0 -> throw consequence;
                          case 1 -> {
                            awaitFailure(comm);
                            throw own;
                          }
                          default -> comm.barrier();
                        }
                      }));
      assertThat(thrown).hasCause(own).hasMessageContaining("rank 1 failed");
    }
  }

  @Test
  void ofSeveralExceptionsOfUsersTheFirstIsTheCause() {
    try (World world = World.local(3)) {
      Throwable thrown =
          catchThrowable(
              () ->
                  world.run(
                      comm -> {
                        if (comm.rank() != 2) {
                          awaitFailure(comm);
                        }
                        throw new IllegalStateException("rank " + comm.rank());
                      }));
      assertThat(thrown.getCause()).hasMessage("rank 2");
      assertThat(thrown.getSuppressed())
          .extracting(Throwable::getMessage)
          .containsExactly("rank 0", "rank 1");
    }
  }

  @Test
  void whatARankThrowsAfterItGaveUpIsTheCause() {
    ArithmeticException own = new ArithmeticException("mine");
    try (World world = World.local(2)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        if (comm.rank() == 1) {
                          comm.abort("cannot go on");
                          throw own;
                        }
                        assertThatThrownBy(comm::barrier).isInstanceOf(PeerFailedException.class);
                      }))
          .hasCause(own);
    }
  }

  @Test
  void afterAFailureEveryCommunicationFailsWithItAndClosingIsQuiet() {
    ArithmeticException own = new ArithmeticException("mine");
    try (World world = World.local(2);
        Arena arena = Arena.ofShared()) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        MemorySegment memory = arena.allocate(1 << 20);
                        Communicator dup = comm.dup();
                        Communicator part = comm.split(0, comm.rank()).orElseThrow();
                        Window window = dup.allocateWindow(64);
                        window.fence();
                        Topology ring =
                            part.topology(new int[] {1 - comm.rank()}, new int[] {1 - comm.rank()});
                        if (comm.rank() == 1) {
                          throw own;
                        }
                        Request receive = part.ireceive(memory, DType.I8, 1 << 20, 1, 0);
                        Request send = dup.isend(memory, DType.I8, 1 << 20, 1, 0);
                        Request barrier = part.start(new Collective.Barrier());
                        awaitFailure(comm);
                        for (Runnable each :
                            List.<Runnable>of(
                                dup::barrier,
                                () -> part.split(0, 0),
                                () -> part.send(NOTHING, DType.I8, 0, 1, 0),
                                () -> dup.probe(1, 0),
                                window::fence,
                                () -> window.put(memory, DType.I8, 8, 1, 0),
                                () -> window.get(memory, DType.I8, 8, 0, 0),
                                () -> window.lock(1, Window.LockMode.SHARED),
                                () ->
                                    ring.run(
                                        new Collective.AllToAll(memory, memory, DType.I8, 0)))) {
                          assertThatThrownBy(each::run)
                              .isInstanceOf(PeerFailedException.class)
                              .hasCause(own);
                        }
                        receive.close();
                        send.close();
                        barrier.close();
                        ring.close();
                        window.close();
                        part.close();
                        dup.close();
                      }))
          .hasCause(own)
          .hasNoSuppressedExceptions();
    }
  }

  @Test
  void aWindowThatIsClosedWhileAnotherRankFailsIsClosedAllTheSame() {
    ArithmeticException own = new ArithmeticException("mine");
    try (World world = World.local(2)) {
      assertThatThrownBy(
              () ->
                  world.run(
                      comm -> {
                        Window window = comm.allocateWindow(64);
                        MemorySegment memory = window.memory();
                        if (comm.rank() == 1) {
                          throw own;
                        }
                        Throwable told = catchThrowable(window::close);
                        if (told != null) {
                          assertThat(told).isInstanceOf(PeerFailedException.class).hasCause(own);
                        }
                        assertThat(memory.scope().isAlive()).isFalse();
                      }))
          .hasCause(own)
          .hasNoSuppressedExceptions();
    }
  }

  /** Waits, without communicating, until the world has failed. */
  private static void awaitFailure(Communicator comm) {
    Throwable failure = null;
    while (failure == null) {
      failure = catchThrowable(() -> comm.iprobe(0, 99));
      Thread.onSpinWait();
    }
  }
}
