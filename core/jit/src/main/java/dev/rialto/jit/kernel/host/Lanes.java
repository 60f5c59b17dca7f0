package dev.rialto.jit.kernel.host;

import java.lang.foreign.MemorySegment;
import java.util.Locale;

/** Rules for elements side by side that are read or written in one step. */
public final class Lanes {
  /** The most bytes of a step. */
  private static final int MOST_BYTES = 32;

  private static final int MOST = 16;

  private Lanes() {}

  /** Returns whether a step may have so many elements. */
  public static boolean fits(long lanes, int bytes) {
    return lanes >= 2 && lanes <= MOST && Long.bitCount(lanes) == 1 && lanes * bytes <= MOST_BYTES;
  }

  /** Returns what may be given instead. */
  public static String remedy(int bytes) {
    return String.format(
        Locale.ROOT,
        "give an array of 2, 4, 8 or 16 elements that has at most %d",
        MOST_BYTES / bytes);
  }

  public static void require(long lanes, int bytes) {
    if (!fits(lanes, bytes)) {
      throw new IllegalArgumentException(
          "a step with " + lanes + " elements of " + bytes + " bytes; " + remedy(bytes));
    }
  }

  /** Reads elements to a whole array on the heap. */
  public static void load(MemorySegment memory, long index, MemorySegment lanes, int bytes) {
    require(lanes.byteSize() / bytes, bytes);
    MemorySegment.copy(memory, index * bytes, lanes, 0, lanes.byteSize());
  }

  /** Writes elements from a whole array on the heap. */
  public static void store(MemorySegment memory, long index, MemorySegment lanes, int bytes) {
    require(lanes.byteSize() / bytes, bytes);
    MemorySegment.copy(lanes, 0, memory, index * bytes, lanes.byteSize());
  }
}
