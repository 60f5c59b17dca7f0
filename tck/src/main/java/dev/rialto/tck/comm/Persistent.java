package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The blocking operations made of the persistent ones, so that both pass the same cases.
 *
 * <p>Each is started three times, with what it receives into as it was before: the last start alone
 * must give the result.
 *
 * @param comm the communicator whose persistent operations are used
 */
record Persistent(Communicator comm) implements Collectives {
  @Override
  public String name() {
    return comm.name();
  }

  @Override
  public Request start(Collective collective) {
    PersistentRequest request = comm.prepare(collective);
    repeat(request, collective.receive());
    return request;
  }

  /**
   * Starts a request again and again, and takes back what it has received in between and the arrays
   * it was given.
   */
  static void repeat(PersistentRequest request, MemorySegment receive, long[]... lent) {
    for (long[] counts : lent) {
      Arrays.fill(counts, Long.MIN_VALUE);
    }
    MemorySegment before = CommunicationTck.onHeap(receive);
    assertTrue(request.test(), "a new persistent request is active");
    for (int round = 0; round < 3; round++) {
      receive.copyFrom(before);
      request.start();
      assertEquals(Status.EMPTY, request.await());
      assertTrue(request.test());
    }
  }
}
