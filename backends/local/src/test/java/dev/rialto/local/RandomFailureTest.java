package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.CommunicationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each rank in turn throws or frees its memory at each kind of call, at a random step of a program
 * that uses everything: the world ends, names the culprit and leaves nothing behind.
 */
class RandomFailureTest {
  private static final int RANKS = 3;
  private static final int STEPS = 6;
  private static final int KINDS = 6;

  /** A fault: its rank, its step and the kind of call. */
  private record Fault(int rank, int step, int kind, boolean throwing) {}

  @BeforeAll
  static void loseNoTime() {
    System.setProperty("rialto.local.deadlock.millis", "20");
  }

  @AfterAll
  static void restore() {
    System.clearProperty("rialto.local.deadlock.millis");
  }

  /** The failure of the culprit. */
  private static final class Own extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Own(String message) {
      super(message);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRankThatFailsAnywhereEndsTheWorldWithItsOwnWords(boolean throwing) {
    for (int round = 0; round < RANKS * KINDS; round++) {
      long seed = 31L * round + (throwing ? 1 : 2);
      int step = new Random(seed).nextInt(STEPS);
      Fault fault = new Fault(round % RANKS, step, round / RANKS, throwing);
      Throwable thrown;
      Thread[] threads = new Thread[RANKS];
      try (World world = World.local(RANKS)) {
        thrown =
            catchThrowable(
                () ->
                    world.run(
                        comm -> {
                          threads[comm.rank()] = Thread.currentThread();
                          program(comm, seed, fault);
                        }));
      }
      if (throwing) {
        assertThat(thrown).as("seed %d", seed).hasCauseInstanceOf(Own.class);
      } else if (thrown != null) {
        assertThat(thrown)
            .as("seed %d", seed)
            .isInstanceOf(CommunicationException.class)
            .message()
            // The JDK refuses a close while a peer holds the memory.
            .containsAnyOf("freed", "closed", "acquired");
      }
      assertThat(Arrays.asList(threads))
          .as("seed %d", seed)
          .allSatisfy(
              thread -> {
                thread.join();
                assertThat(thread.isAlive()).isFalse();
              });
    }
  }

  private static void program(Communicator comm, long seed, Fault fault) {
    Random same = new Random(seed);
    int size = 1 << 16;
    int next = (comm.rank() + 1) % RANKS;
    int before = (comm.rank() + RANKS - 1) % RANKS;
    Arena arena = Arena.ofShared();
    try (Arena windows = Arena.ofShared();
        Communicator dup = comm.dup();
        Window window = dup.window(windows.allocate(size, 64))) {
      MemorySegment out = arena.allocate(size, 64);
      MemorySegment in = arena.allocate((long) RANKS * size, 64);
      for (int step = 0; step < STEPS; step++) {
        int bytes = 8 << same.nextInt(11);
        int any = same.nextInt(KINDS);
        int kind = step == fault.step ? fault.kind : any;
        boolean failing = step == fault.step && comm.rank() == fault.rank;
        if (failing && fault.throwing) {
          throw new Own("at step " + step + " of kind " + kind);
        }
        List<Request> begun =
            switch (kind) {
              case 0 ->
                  List.of(
                      dup.ireceive(in, DType.I8, bytes, before, 0),
                      comm.start(
                          new Collective.AllReduce(
                              out, in.asSlice(size), DType.F64, bytes / 8, ReduceOp.SUM)),
                      dup.isend(out, DType.I8, bytes, next, 0));
              case 1 -> List.of(comm.start(new Collective.AllGather(out, in, DType.I8, bytes)));
              case 2 ->
                  List.of(
                      dup.start(new Collective.Barrier()),
                      comm.start(new Collective.Broadcast(in, DType.I8, bytes, 1)));
              default -> List.of();
            };
        if (failing) {
          arena.close();
        }
        switch (kind) {
          case 3 -> comm.sendReceive(out, bytes, next, 1, in, bytes, before, 1, DType.I8);
          case 4 -> comm.allReduce(out, in, DType.F64, bytes / 8, ReduceOp.MAX);
          case 5 -> {
            window.fence();
            window.put(out, DType.I8, bytes, next, 0);
            window.accumulate(out, DType.F64, bytes / 8, before, 0, ReduceOp.SUM);
            window.fence();
          }
          default -> comm.awaitAll(begun);
        }
      }
    } finally {
      if (arena.scope().isAlive()) {
        arena.close();
      }
    }
  }
}
