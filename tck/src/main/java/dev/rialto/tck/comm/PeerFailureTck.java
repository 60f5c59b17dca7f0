package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.comm.Window.LockMode;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.function.Executable;

/** Waits for a rank that has failed end, all within seconds. */
@Requires({Capability.POINT_TO_POINT, Capability.FAILURE_NOTICE})
public final class PeerFailureTck extends CommunicationTck {
  /**
   * The longest time until a waiting rank knows that a peer is gone. The peer goes only once all
   * ranks wait, which takes seconds by itself where many processes share few cores.
   */
  private static final Duration SECONDS = Duration.ofSeconds(20);

  /** Kills rank 0 once all others wait, and checks that their wait ends as it must. */
  private void whenRankZeroFails(RankTest waits) {
    onRanks(
        2,
        (comm, memory) -> {
          if (comm.rank() == 0) {
            for (int other = 1; other < comm.size(); other++) {
              awaitSignal(comm, other);
            }
            Thread.sleep(A_WHILE);
            throw kill(comm);
          }
          signal(comm, 0);
          endsForWantOfAPeer(() -> waits.run(comm, memory));
        });
  }

  private static void endsForWantOfAPeer(Executable wait) {
    long begun = System.nanoTime();
    assertThrows(PeerFailedException.class, wait);
    Duration waited = Duration.ofNanos(System.nanoTime() - begun);
    assertTrue(waited.compareTo(SECONDS) < 0, () -> "told only after " + waited);
  }

  @Requirement(
      id = "WORLD-007",
      text = "A receive from a rank that fails ends with PeerFailedException within seconds.")
  void receivesEnd() {
    whenRankZeroFails((comm, memory) -> comm.receive(memory.blank(8), DType.I64, 1, 0, 0));
  }

  @Requirement(
      id = "WORLD-008",
      text = "A receive from any source ends with PeerFailedException when a rank fails.")
  void wildcardReceivesEnd() {
    whenRankZeroFails((comm, memory) -> comm.receive(memory.blank(8), DType.I64, 1, -1, -1));
  }

  @Requirement(
      id = "WORLD-009",
      text = "A send that waits for a rank that fails ends with PeerFailedException.")
  void sendsEnd() {
    whenRankZeroFails(
        (comm, memory) -> {
          MemorySegment message = memory.blank(1 << 20);
          for (int i = 0; i < 10_000; i++) {
            comm.send(message, DType.I8, message.byteSize(), 0, 0);
          }
        });
  }

  @Requirement(
      id = "WORLD-010",
      text = "Requests that need a rank that fails end with PeerFailedException.",
      capability = Capability.NON_BLOCKING)
  void requestsEnd() {
    whenRankZeroFails(
        (comm, memory) -> {
          var first = comm.ireceive(memory.blank(8), DType.I64, 1, 0, 0);
          var second = comm.ireceive(memory.blank(8), DType.I64, 1, 0, 1);
          endsForWantOfAPeer(() -> first.await(SECONDS));
          assertTrue(within(SECONDS, second::test), "still pending");
          second.await();
        });
  }

  @Requirement(
      id = "WORLD-011",
      text = "A probe for a message of a rank that fails ends with PeerFailedException.",
      capability = Capability.PROBE)
  void probesEnd() {
    whenRankZeroFails((comm, _) -> comm.probe(0, 0));
  }

  @Requirement(
      id = "WORLD-012",
      text = "A barrier ends with PeerFailedException when a rank fails.",
      capability = Capability.COLLECTIVES)
  void barriersEnd() {
    whenRankZeroFails((comm, _) -> comm.barrier());
  }

  @Requirement(
      id = "WORLD-013",
      text = "A reduction ends with PeerFailedException when a rank fails.",
      capability = Capability.REDUCTIONS)
  void reductionsEnd() {
    whenRankZeroFails(
        (comm, memory) ->
            comm.allReduce(memory.longs(1), memory.longs(1), DType.I64, 1, ReduceOp.SUM));
  }

  @Requirement(
      id = "WORLD-014",
      text = "Waiting for a lock that a failed rank holds ends with PeerFailedException.",
      capability = Capability.WINDOWS,
      ranks = 2)
  void locksEnd(Communicator comm) throws Exception {
    Window window = comm.allocateWindow(8);
    if (comm.rank() == 0) {
      window.lock(0, LockMode.EXCLUSIVE);
      for (int other = 1; other < comm.size(); other++) {
        signal(comm, other);
        awaitSignal(comm, other);
      }
      Thread.sleep(A_WHILE);
      throw kill(comm);
    }
    awaitSignal(comm, 0);
    signal(comm, 0);
    endsForWantOfAPeer(() -> window.lock(0, LockMode.EXCLUSIVE));
  }

  @Requirement(
      id = "WORLD-015",
      text = "What is begun after a rank has failed, and needs it, ends with PeerFailedException.")
  void laterOperationsEnd() {
    whenRankZeroFails(
        (comm, memory) -> {
          MemorySegment buffer = memory.blank(8);
          endsForWantOfAPeer(() -> comm.receive(buffer, DType.I64, 1, 0, 0));
          endsForWantOfAPeer(() -> comm.receive(buffer, DType.I64, 1, 0, 1));
          comm.sendReceive(buffer, 1, 0, 0, buffer.asSlice(8), 0, 0, 0, DType.I64);
        });
  }
}
