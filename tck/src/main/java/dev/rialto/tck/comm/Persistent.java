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
    MemorySegment receive = receivedInto(collective);
    PersistentRequest request = comm.prepare(collective);
    repeat(request, receive);
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

  private static MemorySegment receivedInto(Collective collective) {
    return switch (collective) {
      case Collective.Barrier() -> MemorySegment.NULL;
      case Collective.Broadcast it -> it.buffer();
      case Collective.Gather it -> it.receive();
      case Collective.GatherV it -> it.receive();
      case Collective.Scatter it -> it.receive();
      case Collective.ScatterV it -> it.receive();
      case Collective.AllGather it -> it.receive();
      case Collective.AllGatherV it -> it.receive();
      case Collective.AllToAll it -> it.receive();
      case Collective.AllToAllV it -> it.receive();
      case Collective.Reduce it -> it.receive();
      case Collective.AllReduce it -> it.receive();
      case Collective.Scan it -> it.receive();
      case Collective.Exscan it -> it.receive();
      case Collective.ReduceScatter it -> it.receive();
    };
  }
}
