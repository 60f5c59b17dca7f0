package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.DType;

/** An array of longs; {@link IntegerArray} has its algorithms. */
public final class I64Array extends IntegerArray {
  I64Array(IndexSpace space) {
    super(space, DType.I64);
  }

  @Override
  public I64Array slice(int axis, long from, long to) {
    return (I64Array) super.slice(axis, from, to);
  }

  @Override
  public I64Array slice(int axis, long from, long to, long step) {
    return (I64Array) super.slice(axis, from, to, step);
  }

  @Override
  public I64Array transposed(int... axes) {
    return (I64Array) super.transposed(axes);
  }

  @Override
  public I64Array like() {
    return (I64Array) another();
  }

  /**
   * Reads an element of an array of one axis that this rank owns or has in its halo, by its index
   * in the whole array.
   *
   * @throws IndexOutOfBoundsException if this rank does not have it
   */
  public long get(long i) {
    return memory().get(JAVA_LONG, offset(i));
  }

  /** Writes an element of an array of one axis; see {@link #get(long)}. */
  public void set(long i, long value) {
    memory().set(JAVA_LONG, offset(i), value);
  }

  /** Reads an element of an array of two axes; see {@link #get(long)}. */
  public long get(long i, long j) {
    return memory().get(JAVA_LONG, offset(i, j));
  }

  /** Writes an element of an array of two axes; see {@link #get(long)}. */
  public void set(long i, long j, long value) {
    memory().set(JAVA_LONG, offset(i, j), value);
  }

  /** Reads an element of an array of three axes; see {@link #get(long)}. */
  public long get(long i, long j, long k) {
    return memory().get(JAVA_LONG, offset(i, j, k));
  }

  /** Writes an element of an array of three axes; see {@link #get(long)}. */
  public void set(long i, long j, long k, long value) {
    memory().set(JAVA_LONG, offset(i, j, k), value);
  }

  /** Reads an element of an array of any number of axes; see {@link #get(long)}. */
  public long get(long... index) {
    return memory().get(JAVA_LONG, operand.offset(index));
  }

  /** Writes an element of an array of any number of axes; see {@link #get(long)}. */
  public void set(long[] index, long value) {
    memory().set(JAVA_LONG, operand.offset(index), value);
  }
}
