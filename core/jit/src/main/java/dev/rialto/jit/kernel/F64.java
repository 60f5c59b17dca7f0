package dev.rialto.jit.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** An array of {@code double} that a kernel is given: what a launch passes as a buffer. */
public final class F64 {
  private final MemorySegment memory;

  private F64(MemorySegment memory) {
    this.memory = memory;
  }

  /** Uses memory, on the heap or not, as an array. */
  public static F64 of(MemorySegment memory) {
    return new F64(memory);
  }

  /** Uses elements as they are, without a copy. */
  public static F64 of(double... elements) {
    return new F64(MemorySegment.ofArray(elements));
  }

  /** Returns how many elements there are. */
  public long length() {
    return memory.byteSize() / Double.BYTES;
  }

  /**
   * Returns an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public double get(long index) {
    return memory.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index);
  }

  /**
   * Changes an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public void set(long index, double value) {
    memory.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index, value);
  }

  MemorySegment memory() {
    return memory;
  }
}
