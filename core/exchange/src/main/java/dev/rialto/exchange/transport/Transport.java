package dev.rialto.exchange.transport;

import dev.rialto.spi.Capability;
import java.util.Set;

/**
 * A way to move messages between ranks.
 *
 * <p>A transport is found by its name: those of Rialto are in {@link Transports}, others are
 * services of this type. It has no state; what an exchange needs of it is in the {@link Channel} it
 * opens.
 */
public interface Transport {
  /** The memory that a channel can take a message from or put one into. */
  enum Reach {
    /** Only its own buffers. */
    BUFFERS,
    /** Any memory without gaps. */
    CONTIGUOUS,
    /** Any memory, with gaps. */
    LAYOUTS
  }

  /** Returns the name in schemes: lower case, no slash. */
  String name();

  /** Returns one line on how the bytes move. */
  String description();

  /** Returns what the communicator must be capable of. */
  Set<Capability> needs();

  /** Returns where messages can be taken from. */
  Reach sends();

  /** Returns where messages can be put. */
  Reach receives();

  /** Returns whether all messages leave, and arrive, at the same time. */
  default boolean together() {
    return false;
  }

  /** Returns whether the lengths of messages are fixed when the channel is opened. */
  default boolean fixedLength() {
    return false;
  }

  /** Opens a channel for the messages of one exchange. Collective. */
  Channel open(ChannelSpec wiring);
}
