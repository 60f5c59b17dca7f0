package dev.rialto.jit.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** An array of {@code float} that a kernel is given: what a launch passes as a buffer. */
public final class F32 {
  private final MemorySegment memory;

  private F32(MemorySegment memory) {
    this.memory = memory;
  }

  /** Uses memory, on the heap or not, as an array. */
  public static F32 of(MemorySegment memory) {
    return new F32(memory);
  }

  /** Uses elements as they are, without a copy. */
  public static F32 of(float... elements) {
    return new F32(MemorySegment.ofArray(elements));
  }

  /** Returns how many elements there are. */
  public long length() {
    return memory.byteSize() / Float.BYTES;
  }

  /**
   * Returns an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public float get(long index) {
    return memory.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index);
  }

  /**
   * Changes an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public void set(long index, float value) {
    memory.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index, value);
  }

  MemorySegment memory() {
    return memory;
  }
}
