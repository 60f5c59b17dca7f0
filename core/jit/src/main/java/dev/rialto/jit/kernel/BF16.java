package dev.rialto.jit.kernel;

import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;

/**
 * An array of 16-bit floating-point numbers, the upper halves of binary32, that a kernel is given:
 * what a launch passes as a buffer. Elements are {@code float} when they are read, and rounded to
 * the nearest when they are written.
 */
public final class BF16 {
  private final I16 bits;

  private BF16(I16 bits) {
    this.bits = bits;
  }

  /** Uses memory, on the heap or not, as an array. */
  public static BF16 of(MemorySegment memory) {
    return new BF16(I16.of(memory));
  }

  /** Uses the bits of elements as they are, without a copy. */
  public static BF16 of(short... bits) {
    return new BF16(I16.of(bits));
  }

  /** The bits of the elements. */
  I16 bits() {
    return bits;
  }

  /** Returns this array with axes, the last fastest, as a launch passes a dense tensor. */
  public BF16 shaped(long... extents) {
    return new BF16(bits.shaped(extents));
  }

  /** Returns this array with axes, as a launch passes a tensor with strides. */
  public BF16 strided(Shape extents, long offset, long... strides) {
    return new BF16(bits.strided(extents, offset, strides));
  }

  /** Returns how many elements there are along an axis of a tensor, a constant from 0. */
  public long extent(int axis) {
    return bits.extent(axis);
  }

  /** Returns an element of a tensor with two axes. */
  public float get(long i, long j) {
    return Float.intBitsToFloat(bits.get(i, j) << 16);
  }

  /** Returns an element of a tensor with three axes. */
  public float get(long i, long j, long k) {
    return Float.intBitsToFloat(bits.get(i, j, k) << 16);
  }

  /** Changes an element of a tensor with two axes. */
  public void set(long i, long j, float value) {
    bits.set(i, j, upperHalf(value));
  }

  /** Changes an element of a tensor with three axes. */
  public void set(long i, long j, long k, float value) {
    bits.set(i, j, k, upperHalf(value));
  }

  /** Returns how many elements there are. */
  public long length() {
    return bits.length();
  }

  /** Returns an element; {@link Checks} tell what becomes of an index that there is not. */
  public float get(long index) {
    return number(bits.get(index));
  }

  /** Returns the number that bits are; also what reads elements of arrays from outside. */
  static float number(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  /** Changes an element. */
  public void set(long index, float value) {
    bits.set(index, upperHalf(value));
  }

  static short upperHalf(float value) {
    int whole = Float.floatToRawIntBits(value);
    int odd = (whole >>> 16) & 1;
    return (short) (Float.isNaN(value) ? (whole >>> 16) | 0x40 : (whole + 0x7fff + odd) >>> 16);
  }

  /**
   * Reads elements of memory that follow one another, as many as the array has: 2, 4, 8 or 16. A
   * GPU reads up to 16 bytes at once where they lie at a multiple of that.
   *
   * @throws IndexOutOfBoundsException if there are none; compiled kernels do not look
   */
  public void load(long index, float[] lanes) {
    short[] all = new short[lanes.length];
    bits.load(index, all);
    for (int k = 0; k < lanes.length; k++) {
      lanes[k] = number(all[k]);
    }
  }

  /**
   * Changes elements of memory that follow one another to the numbers of an array, as {@link #load}
   * reads them.
   *
   * @throws IndexOutOfBoundsException if there are none; compiled kernels do not look
   */
  public void store(long index, float[] lanes) {
    short[] all = new short[lanes.length];
    for (int k = 0; k < lanes.length; k++) {
      all[k] = upperHalf(lanes[k]);
    }
    bits.store(index, all);
  }
}
