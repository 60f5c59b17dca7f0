package dev.rialto.cpu;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The loops of an executor, and which of them are open to helpers.
 *
 * <p>There is a fixed number of loops, at most 64, so that the open ones are the bits of one word
 * that idle threads can watch. When none is left, loops inside loops are deep enough for all
 * threads to be busy, and the caller does without.
 */
final class LoopBoard {
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  /** The word is in the middle of the array, away from what others write. */
  private static final int OPEN = 16;

  private final long[] words = new long[2 * OPEN];
  private final Loop[] loops;

  LoopBoard(int parallelism) {
    this.loops = new Loop[Math.clamp(4L * parallelism, 16, Long.SIZE)];
    for (int i = 0; i < loops.length; i++) {
      loops[i] = new Loop(parallelism);
    }
  }

  /** Takes a loop that is not in use; {@link Participant#lastLoop} then says which. */
  @Nullable Loop acquire(Participant self) {
    for (int i = 0; i < loops.length; i++) {
      int index = (self.lastLoop + i) % loops.length;
      if (loops[index].acquire()) {
        self.lastLoop = index;
        return loops[index];
      }
    }
    return null;
  }

  /** Shows a loop to all threads; returns what to {@link #hide} it by. */
  long show(int index) {
    long bit = 1L << index;
    WORDS.getAndBitwiseOr(words, OPEN, bit);
    return bit;
  }

  void hide(long bit) {
    WORDS.getAndBitwiseAnd(words, OPEN, ~bit);
  }

  private long open() {
    return (long) WORDS.getVolatile(words, OPEN);
  }

  /** Returns whether an open loop has chunks that are not taken. */
  boolean hasChunks() {
    for (long open = open(); open != 0; open &= open - 1) {
      if (loops[Long.numberOfTrailingZeros(open)].hasChunks()) {
        return true;
      }
    }
    return false;
  }

  /** Works on an open loop; returns false if none had anything to do. */
  boolean workOnAny(Participant self) {
    long open = open();
    while (open != 0) {
      // Workers start with different loops when there are several.
      int shift = Long.numberOfTrailingZeros(Long.rotateRight(open, self.seat));
      int index = (shift + self.seat) % Long.SIZE;
      if (workOn(loops[index], null, self)) {
        return true;
      }
      open &= ~(1L << index);
    }
    return false;
  }

  /**
   * Works on an open loop inside a chunk of {@code around}, whose caller has nothing else to do.
   *
   * <p>Only such a loop will do. Any other may, in the end, be waiting for a task or loop that is
   * further down the caller's own stack, and would wait forever.
   */
  boolean workInside(Loop around, Participant self) {
    for (long open = open(); open != 0; open &= open - 1) {
      if (workOn(loops[Long.numberOfTrailingZeros(open)], around, self)) {
        return true;
      }
    }
    return false;
  }

  private static boolean workOn(Loop loop, @Nullable Loop around, Participant self) {
    if (!loop.hasChunks() || !loop.pin()) {
      return false;
    }
    try {
      return (around == null || loop.isWithin(around)) && self.workAsGuest(loop);
    } finally {
      loop.unpin();
    }
  }
}
