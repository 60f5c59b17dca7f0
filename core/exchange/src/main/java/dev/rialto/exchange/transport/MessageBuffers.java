package dev.rialto.exchange.transport;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A buffer for each message, allocated when it is first asked for: a message that always travels
 * from or to its array needs none. In a run a message may be elsewhere.
 */
final class MessageBuffers {
  private final ChannelSpec wiring;
  private final long[] bytes;
  private final @Nullable MemorySegment[] elsewhere;
  private final @Nullable MemorySegment[] messages;
  private long allocated;

  MessageBuffers(ChannelSpec wiring, long[] bytes) {
    this.wiring = wiring;
    this.bytes = bytes;
    this.elsewhere = new MemorySegment[bytes.length];
    this.messages = new MemorySegment[bytes.length];
  }

  /** Has all messages of the next run here. */
  void begin() {
    Arrays.fill(elsewhere, null);
  }

  /** Has a message elsewhere, in this run. */
  void set(int message, MemorySegment place) {
    elsewhere[message] = place;
  }

  MemorySegment get(int message) {
    MemorySegment place = elsewhere[message];
    if (place != null) {
      return place;
    }
    MemorySegment own = messages[message];
    if (own == null) {
      // Whole cache lines, so that neighbours in memory do not share one.
      long rounded = Math.max(bytes[message] + 63 & -64, 64);
      own = wiring.allocator().apply(rounded).asSlice(0, bytes[message]);
      messages[message] = own;
      allocated += rounded;
    }
    return own;
  }

  /** Returns the bytes allocated so far. */
  long allocated() {
    return allocated;
  }
}
