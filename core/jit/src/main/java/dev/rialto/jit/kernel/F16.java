package dev.rialto.jit.kernel;

import java.lang.foreign.MemorySegment;

/**
 * An array of 16-bit floating-point numbers, IEEE 754 binary16, that a kernel is given: what a
 * launch passes as a buffer. Elements are {@code float} when they are read, and rounded to the
 * nearest when they are written.
 */
public final class F16 {
  private final I16 bits;

  private F16(I16 bits) {
    this.bits = bits;
  }

  /** Uses memory, on the heap or not, as an array. */
  public static F16 of(MemorySegment memory) {
    return new F16(I16.of(memory));
  }

  /** Uses the bits of elements as they are, without a copy. */
  public static F16 of(short... bits) {
    return new F16(I16.of(bits));
  }

  /** The bits of the elements. */
  I16 bits() {
    return bits;
  }

  /** Returns how many elements there are. */
  public long length() {
    return bits.length();
  }

  /**
   * Returns an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public float get(long index) {
    return Float.float16ToFloat(bits.get(index));
  }

  /**
   * Changes an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public void set(long index, float value) {
    bits.set(index, Float.floatToFloat16(value));
  }
}
