package dev.rialto.local.message;

import dev.rialto.local.memory.Memory;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A message that left its ring before a receive for it was posted. */
final class Arrival {
  private final MemorySegment payload = MemorySegment.ofArray(new byte[Ring.INLINE]);
  private int tag;
  private long bytes;
  private DType type = DType.I8;
  private @Nullable Send send;
  private long start;

  /** The next in a list. */
  @Nullable Arrival following;

  /** Takes over the message at the front of a ring. */
  void load(Inlet inlet) {
    long number = inlet.front();
    long length = inlet.ring.length(number);
    tag = inlet.ring.tag(number);
    following = null;
    if (length < 0) {
      bytes = ~length;
      send = inlet.ring.send(number);
      start = inlet.ring.start(number);
    } else {
      bytes = length;
      type = inlet.ring.type(number);
      send = null;
      Memory.copySmall(inlet.ring.memory(), inlet.ring.payload(number), payload, 0, length);
    }
  }

  boolean hasTag(int wanted) {
    return wanted == PointToPoint.ANY_TAG || wanted == tag;
  }

  /** Returns whether the sender has taken it back. */
  boolean isGone() {
    return send != null && !send.isAt(start, Transfer.PENDING);
  }

  /** Takes it for a matched probe; returns whether the sender had not taken it back. */
  boolean reserve() {
    return send == null || send.change(start, Transfer.PENDING, Transfer.RESERVED);
  }

  /**
   * Takes it for a receive.
   *
   * @param from the state its send is in
   * @return whether the sender had not taken it back
   */
  boolean match(int from) {
    return send == null || send.change(start, from, Transfer.MATCHED);
  }

  /** Hands it, matched, to its receive. */
  void deliver(Receive receive, Inlet inlet) {
    if (send == null) {
      receive.accept(inlet, tag, type, payload, 0, bytes);
    } else {
      send.deliver(receive, inlet);
    }
  }

  Status status(Inlet inlet) {
    return inlet.status(tag, bytes);
  }
}
