package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.rialto.spi.data.DType;

/** An array of floats; {@link RealArray} has its algorithms. */
public final class F32Array extends RealArray {
  F32Array(IndexSpace space) {
    super(space, DType.F32);
  }

  @Override
  public F32Array slice(int axis, long from, long to) {
    return (F32Array) super.slice(axis, from, to);
  }

  @Override
  public F32Array slice(int axis, long from, long to, long step) {
    return (F32Array) super.slice(axis, from, to, step);
  }

  @Override
  public F32Array transposed(int... axes) {
    return (F32Array) super.transposed(axes);
  }

  @Override
  public F32Array like() {
    return (F32Array) another();
  }

  /**
   * Reads an element of an array of one axis that this rank owns or has in its halo, by its index
   * in the whole array.
   *
   * @throws IndexOutOfBoundsException if this rank does not have it
   */
  public float get(long i) {
    return memory().get(JAVA_FLOAT, offset(i));
  }

  /** Writes an element of an array of one axis; see {@link #get(long)}. */
  public void set(long i, float value) {
    memory().set(JAVA_FLOAT, offset(i), value);
  }

  /** Reads an element of an array of two axes; see {@link #get(long)}. */
  public float get(long i, long j) {
    return memory().get(JAVA_FLOAT, offset(i, j));
  }

  /** Writes an element of an array of two axes; see {@link #get(long)}. */
  public void set(long i, long j, float value) {
    memory().set(JAVA_FLOAT, offset(i, j), value);
  }

  /** Reads an element of an array of three axes; see {@link #get(long)}. */
  public float get(long i, long j, long k) {
    return memory().get(JAVA_FLOAT, offset(i, j, k));
  }

  /** Writes an element of an array of three axes; see {@link #get(long)}. */
  public void set(long i, long j, long k, float value) {
    memory().set(JAVA_FLOAT, offset(i, j, k), value);
  }

  /** Reads an element of an array of any number of axes; see {@link #get(long)}. */
  public float get(long... index) {
    return memory().get(JAVA_FLOAT, operand.offset(index));
  }

  /** Writes an element of an array of any number of axes; see {@link #get(long)}. */
  public void set(long[] index, float value) {
    memory().set(JAVA_FLOAT, operand.offset(index), value);
  }
}
