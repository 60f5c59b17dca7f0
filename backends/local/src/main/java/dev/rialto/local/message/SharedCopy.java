package dev.rialto.local.message;

import static java.util.Objects.requireNonNull;

import dev.rialto.local.memory.Memory;
import dev.rialto.local.rank.LongField;
import dev.rialto.local.rank.Padded;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The copy of a long message, cut into chunks that both sides claim: the receiver from the front
 * and the sender, if it waits anyway, from the back. Two cores copy faster than one, and from one
 * message to the next each touches the same part of the buffers.
 *
 * <p>What both write at every chunk has lines of its own, apart from the state of the send, which
 * is looked at all the time.
 */
final class SharedCopy extends Padded {
  /** From how many bytes the sender helps; below, telling it costs more than it saves. */
  static final long SHORTEST = 32 << 10;

  private static final long SMALLEST_CHUNK = 16 << 10;
  private static final long LARGEST_CHUNK = 256 << 10;

  /** From how many bytes caches are of no use to the copy. */
  private static final long STREAMED = 6 << 20;

  /**
   * The JDK's copy goes around the caches from 2.5 MiB at a time on; measured, it halves the time.
   */
  private static final long STREAMED_CHUNK = 3 << 20;

  private static final VarHandle CLAIMED = LongField.of(MethodHandles.lookup(), "claimed");
  private static final VarHandle COPIED = LongField.of(MethodHandles.lookup(), "copied");

  private final Send send;
  private @Nullable Receive receive;
  private long chunk;
  private long chunks;
  private volatile long claimed;

  @SuppressWarnings("UnusedVariable")
  private volatile long copied;

  /** The failure of a chunk. */
  private @Nullable IllegalStateException fault;

  SharedCopy(Send send) {
    this.send = send;
  }

  /** Begins to copy a message to its receive; what is set here is published by the send's state. */
  void begin(Receive to) {
    if (receive != to) {
      receive = to;
    }
    long bytes = send.bytes();
    chunk = chunkOf(bytes);
    chunks = (bytes + chunk - 1) / chunk;
    COPIED.set(this, 0L);
    fault = null;
    // The receiver's first chunk is taken already, so that it always has a part in the end.
    CLAIMED.set(this, 1L);
  }

  /** Returns the size of chunks; there is an even number of large ones, for two to share. */
  private static long chunkOf(long bytes) {
    if (bytes < STREAMED) {
      return Math.clamp(bytes / 8, SMALLEST_CHUNK, LARGEST_CHUNK);
    }
    long pairs = bytes / (2 * STREAMED_CHUNK);
    return Math.ceilDiv(bytes, 2 * pairs);
  }

  /** Returns the receive that the message is copied to. */
  Receive receive() {
    return requireNonNull(receive);
  }

  /** Returns whether chunks are left. */
  boolean isOpen() {
    return claimed < chunks;
  }

  /**
   * Copies chunks until none is left; the side that ends the last one completes both requests.
   * After a fault chunks are only counted, so that no side is at work any more when the requests
   * end.
   */
  void copy(boolean receiving) {
    Receive to = receive();
    long mine = 0;
    if (receiving) {
      copyChunk(to, 0);
      mine = 1;
    }
    while ((long) CLAIMED.getAndAdd(this, 1L) < chunks) {
      copyChunk(to, receiving ? mine : chunks - 1 - mine);
      mine++;
    }
    if (mine > 0 && (long) COPIED.getAndAdd(this, mine) + mine == chunks) {
      send.complete(to, fault);
    }
  }

  private void copyChunk(Receive to, long index) {
    if (fault != null) {
      return;
    }
    long at = index * chunk;
    try {
      send.copyTo(to, at, Math.min(chunk, send.bytes() - at));
    } catch (IllegalStateException e) {
      Memory.brokenOff();
      fault = e;
    }
  }
}
