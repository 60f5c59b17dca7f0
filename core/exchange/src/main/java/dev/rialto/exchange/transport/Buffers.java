package dev.rialto.exchange.transport;

import java.lang.foreign.MemorySegment;

/** One message after another in one piece of memory, allocated when it is first asked for. */
final class Buffers {
  private final Wiring wiring;
  private final long[] bytes;
  private final long[] places;
  private MemorySegment memory = MemorySegment.NULL;
  private MemorySegment[] messages = {};

  Buffers(Wiring wiring, long[] bytes) {
    this.wiring = wiring;
    this.bytes = bytes;
    this.places = Wiring.places(bytes);
  }

  /** Returns the buffer of one message. */
  MemorySegment get(int message) {
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
