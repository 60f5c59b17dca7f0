package dev.rialto.exchange.transport;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One message after another in one piece of memory, allocated when it is first asked for; in a run
 * a message may be elsewhere.
 */
final class MessageBuffers {
  private final ChannelSpec wiring;
  private final long[] bytes;
  private final long[] places;
  private final @Nullable MemorySegment[] elsewhere;
  private MemorySegment memory = MemorySegment.NULL;
  private MemorySegment[] messages = {};

  MessageBuffers(ChannelSpec wiring, long[] bytes) {
    this.wiring = wiring;
    this.bytes = bytes;
    this.places = ChannelSpec.places(bytes);
    this.elsewhere = new MemorySegment[bytes.length];
  }

  /** Has all messages of the next run here. */
  void begin() {
    Arrays.fill(elsewhere, null);
  }

  /** Has a message elsewhere, in this run. */
  void set(int message, MemorySegment place) {
    elsewhere[message] = place;
  }

  /** Returns where one message is. */
  MemorySegment get(int message) {
    MemorySegment place = elsewhere[message];
    if (place != null) {
      return place;
    }
    if (messages.length == 0) {
      memory = wiring.allocator().apply(Math.max(places[bytes.length], 64));
      messages = new MemorySegment[bytes.length];
      for (int i = 0; i < messages.length; i++) {
        messages[i] = memory.asSlice(places[i], bytes[i]);
      }
    }
    return messages[message];
  }

  /** Returns where a message starts, in bytes. */
  long place(int message) {
    return places[message];
  }

  /** Returns the bytes allocated so far. */
  long allocated() {
    return memory.byteSize();
  }
}
