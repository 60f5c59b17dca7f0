package dev.rialto.jit.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** An array of {@code int} that a kernel is given: what a launch passes as a buffer. */
public final class I32 {
  private final MemorySegment memory;

  private I32(MemorySegment memory) {
    this.memory = memory;
  }

  /** Uses memory, on the heap or not, as an array. */
  public static I32 of(MemorySegment memory) {
    return new I32(memory);
  }

  /** Uses elements as they are, without a copy. */
  public static I32 of(int... elements) {
    return new I32(MemorySegment.ofArray(elements));
  }

  /** Returns how many elements there are. */
  public long length() {
    return memory.byteSize() / Integer.BYTES;
  }

  /**
   * Returns an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public int get(long index) {
    return memory.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index);
  }

  /**
   * Changes an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public void set(long index, int value) {
    memory.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index, value);
  }

  MemorySegment memory() {
    return memory;
  }
}
