package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import java.util.Arrays;

/**
 * The blocking operations made of the non-blocking ones, so that both pass the same cases.
 *
 * @param comm the communicator whose non-blocking operations are used
 */
record NonBlocking(Communicator comm) implements Collectives {
  @Override
  public String name() {
    return comm.name();
  }

  @Override
  public Request start(Collective collective) {
    return comm.start(collective);
  }

  /** Completes a request, and spoils the arrays it was given: they are the caller's again. */
  static void complete(Request request, long[]... lent) {
    for (long[] counts : lent) {
      Arrays.fill(counts, Long.MIN_VALUE);
    }
    try (request) {
      assertEquals(Status.EMPTY, request.await());
    }
  }
}
