package dev.rialto.jit.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** An array of {@code byte} that a kernel is given: what a launch passes as a buffer. */
public final class I8 {
  private final MemorySegment memory;

  private I8(MemorySegment memory) {
    this.memory = memory;
  }

  /** Uses memory, on the heap or not, as an array. */
  public static I8 of(MemorySegment memory) {
    return new I8(memory);
  }

  /** Uses elements as they are, without a copy. */
  public static I8 of(byte... elements) {
    return new I8(MemorySegment.ofArray(elements));
  }

  /** Returns how many elements there are. */
  public long length() {
    return memory.byteSize() / Byte.BYTES;
  }

  /**
   * Returns an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public byte get(long index) {
    return memory.get(ValueLayout.JAVA_BYTE, index);
  }

  /**
   * Changes an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public void set(long index, byte value) {
    memory.set(ValueLayout.JAVA_BYTE, index, value);
  }

  MemorySegment memory() {
    return memory;
  }
}
