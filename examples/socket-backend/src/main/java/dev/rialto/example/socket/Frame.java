package dev.rialto.example.socket;

import dev.rialto.spi.comm.Status;
import java.lang.foreign.MemorySegment;

/**
 * One message as it travels.
 *
 * @param context the communicator it belongs to
 * @param source the sender's rank there
 * @param tag the sender's from 0 up, or one of the last words
 * @param payload its bytes
 */
record Frame(long context, int source, int tag, MemorySegment payload) {
  /** Last word: the sender has closed the world. */
  static final int GOODBYE = Integer.MIN_VALUE;

  /** Last word: the world has failed, and the payload says why. */
  static final int FAILED = Integer.MIN_VALUE + 1;

  /** The most bytes of a payload: an array of longs can hold no more. */
  static final long LONGEST = 8L * (Integer.MAX_VALUE - 8);

  /** Allocates a payload: an array of longs is aligned for every type and goes away by itself. */
  static MemorySegment room(long bytes) {
    return MemorySegment.ofArray(new long[Math.toIntExact((bytes + 7) / 8)]).asSlice(0, bytes);
  }

  Frame copy() {
    return new Frame(context, source, tag, room(payload.byteSize()).copyFrom(payload));
  }

  Status status() {
    return new Status(source, tag, payload.byteSize(), false);
  }
}
