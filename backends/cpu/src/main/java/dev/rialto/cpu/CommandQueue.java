package dev.rialto.cpu;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Commands of many threads for one consumer, in the order in which they claimed their places.
 *
 * <p>A claim is one atomic addition, so producers never wait for one another. Places lie in chunks
 * that a directory finds by position; a chunk is made when its first place is claimed, and some of
 * those emptied are kept, so a queue of up to eight thousand commands allocates nothing. The
 * directory bounds it: more than a million waiting commands make producers wait.
 */
final class CommandQueue {
  private static final int CHUNK = 256;
  private static final int CHUNKS = 4096;
  private static final int SPARES = 32;
  private static final int LIMIT = CHUNK * (CHUNKS - 16);

  /** Counters, each in the middle of 256 bytes of its own. */
  private static final int CLAIMED = 16;

  private static final int ENDED = 48;

  private final AtomicLongArray counters = new AtomicLongArray(64);
  private final AtomicReferenceArray<Command @Nullable []> directory =
      new AtomicReferenceArray<>(CHUNKS);
  private final AtomicReferenceArray<Command @Nullable []> spares =
      new AtomicReferenceArray<>(SPARES);

  /** Returns how many places were claimed. */
  long claimed() {
    return counters.get(CLAIMED);
  }

  /** Returns how many commands have ended. */
  long ended() {
    return counters.get(ENDED);
  }

  boolean isFull() {
    return claimed() - ended() >= LIMIT;
  }

  /** Claims the next place and returns its number; the caller must fill and publish it. */
  long claim() {
    return counters.getAndIncrement(CLAIMED);
  }

  /** Returns a place that the caller claimed. */
  Command place(long number) {
    int index = index(number);
    Command[] chunk = directory.get(index);
    return (chunk == null ? install(index) : chunk)[(int) (number & (CHUNK - 1))];
  }

  private Command[] install(int index) {
    Command[] chunk = null;
    for (int i = 0; i < SPARES && chunk == null; i++) {
      chunk = spares.get(i) == null ? null : spares.getAndSet(i, null);
    }
    if (chunk == null) {
      chunk = new Command[CHUNK];
      for (int i = 0; i < CHUNK; i++) {
        chunk[i] = new Command();
      }
    }
    Command[] present = directory.compareAndExchange(index, null, chunk);
    if (present != null) {
      keep(chunk);
      return present;
    }
    return chunk;
  }

  private void keep(Command[] chunk) {
    for (int i = 0; i < SPARES; i++) {
      if (spares.get(i) == null && spares.compareAndSet(i, null, chunk)) {
        return;
      }
    }
  }

  /** Returns the command at a place if it has been published; for the consumer. */
  @Nullable Command published(long number) {
    Command[] chunk = directory.get(index(number));
    if (chunk == null) {
      return null;
    }
    Command command = chunk[(int) (number & (CHUNK - 1))];
    return command.isReady(number + 1) ? command : null;
  }

  /** Counts the command at a place as ended; for the consumer. */
  void end(long number, Command command) {
    command.clear();
    if ((number & (CHUNK - 1)) == CHUNK - 1) {
      // All that claimed a place in it have published there, so it is not looked for any more.
      int index = index(number);
      Command[] emptied = directory.get(index);
      directory.set(index, null);
      if (emptied != null) {
        keep(emptied);
      }
    }
    counters.set(ENDED, number + 1);
  }

  private static int index(long number) {
    return (int) (number / CHUNK) & (CHUNKS - 1);
  }
}
