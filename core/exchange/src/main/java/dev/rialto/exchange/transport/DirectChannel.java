package dev.rialto.exchange.transport;

import java.lang.foreign.MemorySegment;

/**
 * A channel through which peers can read a rank's arrays themselves: packing, moving and unpacking
 * are then one pass over memory.
 */
public interface DirectChannel extends Channel {
  /** Returns whether offering an array is possible, and better than packing a message. */
  boolean worthOffering(int message, MemorySegment input);

  /** Returns whether offering an array is possible. */
  boolean canOffer(int message, MemorySegment input);

  /** Lets the receiver of a message read it from the arrays, instead of {@link Channel#send}. */
  void offer(int message, MemorySegment[] inputs);

  /** Returns whether a message that has arrived is an offer. */
  boolean isOffer(int message);

  /** Returns the sender's array of an offer. */
  MemorySegment offered(int message, int vector);

  /**
   * Says that this rank reads all that was offered, until it {@linkplain #release releases} it. A
   * sender of this process that fails meanwhile waits for that, so its memory needs no other
   * protection.
   *
   * @throws dev.rialto.spi.error.PeerFailedException if a sender has failed
   */
  void read();
}
