package dev.rialto.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * All-to-all made of its persistent form, so that both pass the same cases.
 *
 * <p>Each is started three times, with the receive buffer spoiled in between: the last start alone
 * must give the result.
 *
 * @param comm the communicator whose persistent operations are used
 */
record Persistent(Communicator comm) implements Collectives {
  @Override
  public String name() {
    return comm.name();
  }

  /**
   * Starts a request again and again, spoiling what it has received and the arrays it was given.
   */
  static void repeat(PersistentRequest request, MemorySegment receive, long[]... lent) {
    for (long[] counts : lent) {
      Arrays.fill(counts, Long.MIN_VALUE);
    }
    MemorySegment blank = CommunicationTck.onHeap(receive);
    try (request) {
      assertTrue(request.test(), "a new persistent request is active");
      for (int round = 0; round < 3; round++) {
        receive.copyFrom(blank);
        request.start();
        assertEquals(Status.EMPTY, request.await());
        assertTrue(request.test());
      }
    }
  }

  @Override
  public void allToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    repeat(comm.persistentAllToAll(send, receive, type, count), receive);
  }

  @Override
  public void allToAllV(
      MemorySegment send,
      long[] sendCounts,
      long[] sendDisplacements,
      MemorySegment receive,
      long[] receiveCounts,
      long[] receiveDisplacements,
      DType type) {
    long[][] lent = {
      sendCounts.clone(),
      sendDisplacements.clone(),
      receiveCounts.clone(),
      receiveDisplacements.clone()
    };
    repeat(
        comm.persistentAllToAllV(send, lent[0], lent[1], receive, lent[2], lent[3], type),
        receive,
        lent);
  }
}
