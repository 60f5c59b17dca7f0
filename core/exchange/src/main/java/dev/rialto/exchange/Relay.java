package dev.rialto.exchange;

import dev.rialto.spi.exec.Timeline;
import java.util.List;

/**
 * Arrays of devices that go from one rank's stream to another's and back, without the host waiting
 * for either: a reader's stream waits for what its owner has added, and the owner's for what the
 * reader has. Nothing waits for what is added later, so streams never wait in a circle.
 */
final class Relay {
  private final Timeline mine;
  private final List<Timeline> streams;

  Relay(int rank, List<Timeline> streams) {
    this.mine = streams.get(rank);
    this.streams = streams;
  }

  /** Makes what this rank adds come after everything that a peer has added so far. */
  void after(int peer) {
    Timeline theirs = streams.get(peer);
    mine.waitFor(theirs, theirs.position());
  }
}
