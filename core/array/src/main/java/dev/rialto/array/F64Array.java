package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.rialto.spi.data.DType;

/** An array of doubles; {@link RealArray} has its algorithms. */
public final class F64Array extends RealArray {
  F64Array(IndexSpace space) {
    super(space, DType.F64);
  }

  @Override
  public F64Array slice(int axis, long from, long to) {
    return (F64Array) super.slice(axis, from, to);
  }

  @Override
  public F64Array slice(int axis, long from, long to, long step) {
    return (F64Array) super.slice(axis, from, to, step);
  }

  @Override
  public F64Array transposed(int... axes) {
    return (F64Array) super.transposed(axes);
  }

  @Override
  public F64Array like() {
    return (F64Array) another();
  }

  /**
   * Reads an element of an array of one axis that this rank owns or has in its halo, by its index
   * in the whole array.
   *
   * @throws IndexOutOfBoundsException if this rank does not have it
   */
  public double get(long i) {
    return memory().get(JAVA_DOUBLE, offset(i));
  }

  /** Writes an element of an array of one axis; see {@link #get(long)}. */
  public void set(long i, double value) {
    memory().set(JAVA_DOUBLE, offset(i), value);
  }

  /** Reads an element of an array of two axes; see {@link #get(long)}. */
  public double get(long i, long j) {
    return memory().get(JAVA_DOUBLE, offset(i, j));
  }

  /** Writes an element of an array of two axes; see {@link #get(long)}. */
  public void set(long i, long j, double value) {
    memory().set(JAVA_DOUBLE, offset(i, j), value);
  }

  /** Reads an element of an array of three axes; see {@link #get(long)}. */
  public double get(long i, long j, long k) {
    return memory().get(JAVA_DOUBLE, offset(i, j, k));
  }

  /** Writes an element of an array of three axes; see {@link #get(long)}. */
  public void set(long i, long j, long k, double value) {
    memory().set(JAVA_DOUBLE, offset(i, j, k), value);
  }

  /** Reads an element of an array of any number of axes; see {@link #get(long)}. */
  public double get(long... index) {
    return memory().get(JAVA_DOUBLE, operand.offset(index));
  }

  /** Writes an element of an array of any number of axes; see {@link #get(long)}. */
  public void set(long[] index, double value) {
    memory().set(JAVA_DOUBLE, operand.offset(index), value);
  }
}
