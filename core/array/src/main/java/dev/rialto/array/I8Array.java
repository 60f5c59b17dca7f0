package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.rialto.spi.data.DType;

/** An array of bytes; {@link IntegerArray} has its algorithms. */
public final class I8Array extends IntegerArray {
  I8Array(IndexSpace space) {
    super(space, DType.I8);
  }

  @Override
  public I8Array slice(int axis, long from, long to) {
    return (I8Array) super.slice(axis, from, to);
  }

  @Override
  public I8Array slice(int axis, long from, long to, long step) {
    return (I8Array) super.slice(axis, from, to, step);
  }

  @Override
  public I8Array transposed(int... axes) {
    return (I8Array) super.transposed(axes);
  }

  @Override
  public I8Array like() {
    return (I8Array) another();
  }

  /**
   * Reads an element of an array of one axis that this rank owns or has in its halo, by its index
   * in the whole array.
   *
   * @throws IndexOutOfBoundsException if this rank does not have it
   */
  public byte get(long i) {
    return memory().get(JAVA_BYTE, offset(i));
  }

  /** Writes an element of an array of one axis; see {@link #get(long)}. */
  public void set(long i, byte value) {
    memory().set(JAVA_BYTE, offset(i), value);
  }

  /** Reads an element of an array of two axes; see {@link #get(long)}. */
  public byte get(long i, long j) {
    return memory().get(JAVA_BYTE, offset(i, j));
  }

  /** Writes an element of an array of two axes; see {@link #get(long)}. */
  public void set(long i, long j, byte value) {
    memory().set(JAVA_BYTE, offset(i, j), value);
  }

  /** Reads an element of an array of three axes; see {@link #get(long)}. */
  public byte get(long i, long j, long k) {
    return memory().get(JAVA_BYTE, offset(i, j, k));
  }

  /** Writes an element of an array of three axes; see {@link #get(long)}. */
  public void set(long i, long j, long k, byte value) {
    memory().set(JAVA_BYTE, offset(i, j, k), value);
  }

  /** Reads an element of an array of any number of axes; see {@link #get(long)}. */
  public byte get(long... index) {
    return memory().get(JAVA_BYTE, operand.offset(index));
  }

  /** Writes an element of an array of any number of axes; see {@link #get(long)}. */
  public void set(long[] index, byte value) {
    memory().set(JAVA_BYTE, operand.offset(index), value);
  }
}
