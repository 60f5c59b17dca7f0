package dev.rialto.cpu;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One parallel loop at a time, used again and again.
 *
 * <p>The chunks are dealt out in equal ranges, one per seat, so that repeated loops give a thread
 * the same part of the data each time. A seat's range is one word, two 32-bit chunk numbers: its
 * owner takes chunks from the front, and who has none left takes the back half of another's. Where
 * the chunks are the executor's choice, an owner takes an eighth of what is left at once: few calls
 * at first, and short ones at the end, for which the others wait. If the first of them was over at
 * once, it takes halves from then on, and not less than an eighth of its seat, as few calls are
 * then worth more than balance. The loop is done when all chunks are counted as done; each thread
 * counts its own when it finds no more.
 *
 * <p>A thread that comes to help pins the loop meanwhile: a pinned loop is not used anew. So the
 * caller need not wait for a helper that came too late and is not yet gone; it takes another loop
 * next time.
 */
final class Loop {
  static final int MAX_CHUNKS = Integer.MAX_VALUE;

  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle FAILURE = failureHandle();

  /** Longs between words, two cache lines, because hardware prefetches them in pairs. */
  private static final int STRIDE = 16;

  /**
   * The time of a first call that is so short that taking chunks costs more than waiting for one.
   */
  private static final long QUICK_NANOS = 250;

  /** The part that a thread takes from then on. */
  private static final int HALF = 2;

  /** The part of a seat that it takes at least. */
  private static final int EIGHTH = 8;

  /** No chunks. */
  private static final long NONE = 0;

  // The state word: whether it is in use, whether chunks can be taken, and by how many helpers.
  private static final long ACQUIRED = 1L << 62;
  private static final long OPEN = 1L << 61;

  private final int seats;
  private final int done;
  private final int state;
  private final long[] words;

  // Written by the caller while no other thread can pin this loop.
  private long begin;
  private long end;
  private long grain;
  private long chunks;
  private int share;
  private @Nullable RangeBody body;
  private @Nullable Cancellation cancellation;
  private @Nullable Loop parent;

  private volatile @Nullable Throwable failure;
  private volatile @Nullable Thread waiter;

  Loop(int seats) {
    this.seats = seats;
    this.done = (seats + 1) * STRIDE;
    this.state = (seats + 2) * STRIDE;
    this.words = new long[(seats + 3) * STRIDE];
  }

  private static VarHandle failureHandle() {
    try {
      return MethodHandles.lookup().findVarHandle(Loop.class, "failure", Throwable.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Takes this loop for a use; fails if it is in use or still pinned. */
  boolean acquire() {
    return WORDS.compareAndSet(words, state, 0L, ACQUIRED);
  }

  /**
   * Starts a use. From here on other threads can pin this loop and take chunks.
   *
   * @param share the part of its chunks that an owner takes at once, as a divisor; one chunk if 0
   * @param parent the loop in one of whose chunks this one is
   */
  void open(
      long begin,
      long end,
      long grain,
      int share,
      @Nullable Cancellation cancellation,
      RangeBody body,
      @Nullable Loop parent) {
    this.begin = begin;
    this.end = end;
    this.grain = grain;
    this.share = share;
    this.chunks = (end - begin - 1) / grain + 1;
    this.body = body;
    this.cancellation = cancellation;
    this.parent = parent;
    WORDS.set(words, done, 0L);
    for (int seat = 0; seat < seats; seat++) {
      WORDS.set(words, word(seat), range(firstChunk(seat), firstChunk(seat + 1)));
    }
    WORDS.getAndAdd(words, state, OPEN);
  }

  /** Rounded up, so that with few chunks the caller's seat, the first, has one. */
  private long firstChunk(int seat) {
    return (chunks * seat + seats - 1) / seats;
  }

  /** Ends a use whose chunks are all done, and returns what the first failed chunk threw. */
  @Nullable Throwable close() {
    Throwable thrown = failure;
    failure = null;
    waiter = null;
    body = null;
    cancellation = null;
    parent = null;
    WORDS.getAndAdd(words, state, -(ACQUIRED | OPEN));
    return thrown;
  }

  /** Keeps an open loop in its present use until {@link #unpin}; fails if it is not open. */
  boolean pin() {
    while (true) {
      long now = (long) WORDS.getVolatile(words, state);
      if ((now & OPEN) == 0) {
        return false;
      }
      if (WORDS.compareAndSet(words, state, now, now + 1)) {
        return true;
      }
    }
  }

  void unpin() {
    WORDS.getAndAdd(words, state, -1L);
  }

  /**
   * Returns whether this loop, which is pinned, is in a chunk of {@code other}, at any depth. Once
   * it is done, the loops around it may change and the answer means nothing; but then it has no
   * chunks left to work on.
   */
  boolean isWithin(Loop other) {
    for (Loop around = parent; around != null; around = around.parent) {
      if (around == other) {
        return true;
      }
    }
    return false;
  }

  boolean isDone() {
    return (long) WORDS.getVolatile(words, done) == chunks;
  }

  /**
   * Runs chunks until there are none to take. For the caller, and for those who pinned this loop.
   *
   * @param seat the thread's seat, or -1 if it has none here and takes one chunk at a time
   * @return whether there were any
   */
  boolean work(int seat) {
    long count = 0;
    long all = 0;
    int part = share;
    long begun = part == 0 ? 0 : System.nanoTime();
    try {
      for (long taken = take(seat, part); taken != NONE; taken = take(seat, part)) {
        all = chunks;
        count += end(taken) - first(taken);
        if (failure != null || (cancellation != null && cancellation.isCancelled())) {
          count += takeAll();
        } else {
          run(first(taken), end(taken));
        }
        if (begun != 0) {
          part = System.nanoTime() - begun < QUICK_NANOS ? HALF : part;
          begun = 0;
        }
      }
    } finally {
      if (count > 0 && (long) WORDS.getAndAdd(words, done, count) + count == all) {
        LockSupport.unpark(waiter);
      }
    }
    return count > 0;
  }

  private void run(long chunk, long behind) {
    long first = begin + chunk * grain;
    long count = (behind - chunk) * grain;
    try {
      requireNonNull(body).run(first, end - first > count ? first + count : end);
    } catch (Throwable e) {
      fail(e);
    }
  }

  void fail(Throwable e) {
    if (!FAILURE.compareAndSet(this, null, e)) {
      suppress(requireNonNull(failure), e);
    }
  }

  /** Adds a failure to the first, unless both are one object, which cannot be its own. */
  @SuppressWarnings("ReferenceEquality")
  static void suppress(Throwable first, Throwable other) {
    if (first != other) {
      first.addSuppressed(other);
    }
  }

  /** Returns whether there are chunks that are not taken. */
  boolean hasChunks() {
    for (int seat = 0; seat < seats; seat++) {
      long range = (long) WORDS.getVolatile(words, word(seat));
      if (first(range) < end(range)) {
        return true;
      }
    }
    return false;
  }

  /** Returns chunks that now belong to the caller, or {@link #NONE}. */
  private long take(int seat, int part) {
    if (seat >= 0) {
      int word = word(seat);
      while (true) {
        long range = (long) WORDS.getVolatile(words, word);
        int left = end(range) - first(range);
        if (left <= 0) {
          break;
        }
        int next = first(range) + taken(left, part);
        if (WORDS.compareAndSet(words, word, range, range(next, end(range)))) {
          return range(first(range), next);
        }
      }
    }
    for (int i = 1; i <= seats; i++) {
      long stolen = steal(word((seat + i) % seats), seat, part);
      if (stolen != NONE) {
        return stolen;
      }
    }
    return NONE;
  }

  /** Returns how many of its chunks a thread takes at once. */
  private int taken(int left, int part) {
    return switch (part) {
      case 0 -> 1;
      case HALF -> Math.min(left, Math.max((left + 1) / HALF, (int) (chunks / seats / EIGHTH)));
      default -> (left - 1) / part + 1;
    };
  }

  private long steal(int victim, int seat, int part) {
    while (true) {
      long range = (long) WORDS.getVolatile(words, victim);
      int left = end(range) - first(range);
      if (left <= 0) {
        return NONE;
      }
      int stolen = seat < 0 ? 1 : part == HALF ? taken(left, HALF) : left - left / 2;
      int middle = end(range) - stolen;
      if (WORDS.compareAndSet(words, victim, range, range(first(range), middle))) {
        int next = part == HALF ? end(range) : middle + taken(stolen, part);
        if (next < end(range)) {
          // The seat is empty, and only its owner, this thread, fills it.
          WORDS.setVolatile(words, word(seat), range(next, end(range)));
        }
        return range(middle, next);
      }
    }
  }

  /** Takes all chunks that are left, to skip them, and returns how many. */
  private long takeAll() {
    long count = 0;
    for (int seat = 0; seat < seats; seat++) {
      long range = (long) WORDS.getAndSet(words, word(seat), 0L);
      count += end(range) - first(range);
    }
    return count;
  }

  /** Sleeps until the loop is done, or for {@code nanos}, or for no reason. */
  void parkUntilDone(long nanos) {
    waiter = Thread.currentThread();
    if (!isDone()) {
      LockSupport.parkNanos(this, nanos);
    }
  }

  private static int word(int seat) {
    return (seat + 1) * STRIDE;
  }

  private static long range(long first, long end) {
    return first << 32 | end;
  }

  private static int first(long range) {
    return (int) (range >>> 32);
  }

  private static int end(long range) {
    return (int) range;
  }
}
