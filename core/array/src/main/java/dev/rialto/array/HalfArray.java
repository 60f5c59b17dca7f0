package dev.rialto.array;

import dev.rialto.array.part.Elements;
import dev.rialto.spi.data.DType;

/** An array of 16-bit floating-point numbers; {@link RealArray} has its algorithms. */
public final class HalfArray extends RealArray {
  HalfArray(IndexSpace space, DType type) {
    super(space, type);
  }

  @Override
  public HalfArray slice(int axis, long from, long to) {
    return (HalfArray) super.slice(axis, from, to);
  }

  @Override
  public HalfArray slice(int axis, long from, long to, long step) {
    return (HalfArray) super.slice(axis, from, to, step);
  }

  @Override
  public HalfArray transposed(int... axes) {
    return (HalfArray) super.transposed(axes);
  }

  @Override
  public HalfArray like() {
    return (HalfArray) another();
  }

  /**
   * Reads an element that this rank owns or has in its halo, by its index in the whole array.
   *
   * @throws IndexOutOfBoundsException if this rank does not have it
   */
  public float get(long... index) {
    long bits = Elements.of(type()).get(operand.address(index));
    return (float) Double.longBitsToDouble(bits);
  }

  /** Writes an element, rounded to the type; see {@link #get}. */
  public void set(long[] index, float value) {
    Elements.of(type()).set(operand.address(index), Double.doubleToRawLongBits((double) value));
  }
}
