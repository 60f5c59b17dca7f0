package dev.rialto.jit.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** An array of {@code short} that a kernel is given: what a launch passes as a buffer. */
public final class I16 {
  private final MemorySegment memory;

  private I16(MemorySegment memory) {
    this.memory = memory;
  }

  /** Uses memory, on the heap or not, as an array. */
  public static I16 of(MemorySegment memory) {
    return new I16(memory);
  }

  /** Uses elements as they are, without a copy. */
  public static I16 of(short... elements) {
    return new I16(MemorySegment.ofArray(elements));
  }

  /** Returns how many elements there are. */
  public long length() {
    return memory.byteSize() / Short.BYTES;
  }

  /**
   * Returns an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public short get(long index) {
    return memory.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index);
  }

  /**
   * Changes an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public void set(long index, short value) {
    memory.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index, value);
  }

  MemorySegment memory() {
    return memory;
  }
}
