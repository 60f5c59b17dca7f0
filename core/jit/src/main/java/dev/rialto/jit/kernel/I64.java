package dev.rialto.jit.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** An array of {@code long} that a kernel is given: what a launch passes as a buffer. */
public final class I64 {
  private final MemorySegment memory;

  private I64(MemorySegment memory) {
    this.memory = memory;
  }

  /** Uses memory, on the heap or not, as an array. */
  public static I64 of(MemorySegment memory) {
    return new I64(memory);
  }

  /** Uses elements as they are, without a copy. */
  public static I64 of(long... elements) {
    return new I64(MemorySegment.ofArray(elements));
  }

  /** Returns how many elements there are. */
  public long length() {
    return memory.byteSize() / Long.BYTES;
  }

  /**
   * Returns an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public long get(long index) {
    return memory.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index);
  }

  /**
   * Changes an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public void set(long index, long value) {
    memory.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index, value);
  }

  MemorySegment memory() {
    return memory;
  }
}
