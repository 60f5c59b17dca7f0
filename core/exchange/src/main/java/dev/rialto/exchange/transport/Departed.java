package dev.rialto.exchange.transport;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.error.PeerFailedException;

/** The failure of a rank that waits for one that has said that nothing more will come. */
final class Departed {
  private Departed() {}

  static PeerFailedException peer(Communicator comm, int peer) {
    return new PeerFailedException(
        "rank %d has failed, or has closed the exchange or plan that this rank still runs"
            .formatted(peer),
        "rank %d of %d".formatted(comm.rank(), comm.size()),
        "see what rank %d reports; run and close on all ranks in the same order".formatted(peer),
        null);
  }
}
