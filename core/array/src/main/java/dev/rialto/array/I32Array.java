package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.rialto.spi.data.DType;

/** An array of ints; {@link IntegerArray} has its algorithms. */
public final class I32Array extends IntegerArray {
  I32Array(IndexSpace space) {
    super(space, DType.I32);
  }

  @Override
  public I32Array slice(int axis, long from, long to) {
    return (I32Array) super.slice(axis, from, to);
  }

  @Override
  public I32Array slice(int axis, long from, long to, long step) {
    return (I32Array) super.slice(axis, from, to, step);
  }

  @Override
  public I32Array transposed(int... axes) {
    return (I32Array) super.transposed(axes);
  }

  @Override
  public I32Array like() {
    return (I32Array) another();
  }

  /**
   * Reads an element of an array of one axis that this rank owns or has in its halo, by its index
   * in the whole array.
   *
   * @throws IndexOutOfBoundsException if this rank does not have it
   */
  public int get(long i) {
    return memory().get(JAVA_INT, offset(i));
  }

  /** Writes an element of an array of one axis; see {@link #get(long)}. */
  public void set(long i, int value) {
    memory().set(JAVA_INT, offset(i), value);
  }

  /** Reads an element of an array of two axes; see {@link #get(long)}. */
  public int get(long i, long j) {
    return memory().get(JAVA_INT, offset(i, j));
  }

  /** Writes an element of an array of two axes; see {@link #get(long)}. */
  public void set(long i, long j, int value) {
    memory().set(JAVA_INT, offset(i, j), value);
  }

  /** Reads an element of an array of three axes; see {@link #get(long)}. */
  public int get(long i, long j, long k) {
    return memory().get(JAVA_INT, offset(i, j, k));
  }

  /** Writes an element of an array of three axes; see {@link #get(long)}. */
  public void set(long i, long j, long k, int value) {
    memory().set(JAVA_INT, offset(i, j, k), value);
  }

  /** Reads an element of an array of any number of axes; see {@link #get(long)}. */
  public int get(long... index) {
    return memory().get(JAVA_INT, operand.offset(index));
  }

  /** Writes an element of an array of any number of axes; see {@link #get(long)}. */
  public void set(long[] index, int value) {
    memory().set(JAVA_INT, operand.offset(index), value);
  }
}
