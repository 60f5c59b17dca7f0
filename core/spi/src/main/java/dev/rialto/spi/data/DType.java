package dev.rialto.spi.data;

/**
 * The type of one array element.
 *
 * <p>Elements are stored in the machine's byte order. A complex element is its real part followed
 * by its imaginary part. {@link #F16} is IEEE 754 binary16 and {@link #BF16} the upper half of a
 * binary32.
 */
public enum DType {
  /** IEEE 754 binary16. */
  F16(2, Kind.FLOAT),
  /** The upper 16 bits of a binary32. */
  BF16(2, Kind.FLOAT),
  /** IEEE 754 binary32, Java's {@code float}. */
  F32(4, Kind.FLOAT),
  /** IEEE 754 binary64, Java's {@code double}. */
  F64(8, Kind.FLOAT),
  /** Complex number of two {@link #F32}. */
  C64(8, Kind.COMPLEX),
  /** Complex number of two {@link #F64}. */
  C128(16, Kind.COMPLEX),
  /** Two's complement 8-bit integer, Java's {@code byte}. */
  I8(1, Kind.INTEGER),
  /** Two's complement 32-bit integer, Java's {@code int}. */
  I32(4, Kind.INTEGER),
  /** Two's complement 64-bit integer, Java's {@code long}. */
  I64(8, Kind.INTEGER);

  /** What sort of number an element is; decides which operators apply. */
  public enum Kind {
    /** A real floating-point number. */
    FLOAT,
    /** A pair of floating-point numbers. */
    COMPLEX,
    /** A signed integer that wraps around on overflow. */
    INTEGER
  }

  private final int size;
  private final Kind kind;

  /** The most elements whose bytes can be counted; kept because dividing costs what a call may. */
  private final long most;

  DType(int size, Kind kind) {
    this.size = size;
    this.kind = kind;
    this.most = Long.MAX_VALUE / size;
  }

  /** Returns the bytes of one element. */
  public int size() {
    return size;
  }

  /** Returns the sort of number an element is. */
  public Kind kind() {
    return kind;
  }

  /** Returns the alignment in bytes that an element needs: its size, or that of a complex part. */
  public int alignment() {
    return kind == Kind.COMPLEX ? size / 2 : size;
  }

  /**
   * Returns the bytes of {@code count} elements.
   *
   * @throws IllegalArgumentException if {@code count} is negative or the bytes exceed 2^63-1
   */
  public long bytes(long count) {
    if (count < 0) {
      throw new IllegalArgumentException(
          "count " + count + " is negative; give a number of " + this + " elements from 0 up");
    }
    if (count > most) {
      throw new IllegalArgumentException(
          count + " elements of " + this + " exceed 2^63-1 bytes; the most is " + most);
    }
    return count * size;
  }
}
