package dev.rialto.spi.data;

/**
 * The type of one array element.
 *
 * <p>Elements are stored in the machine's byte order. A complex element is its real part followed
 * by its imaginary part. {@link #F16} is IEEE 754 binary16 and {@link #BF16} the upper half of a
 * binary32.
 *
 * <p>All types move between memories and ranks. Only kernels and array programs compute with {@link
 * #I16} and integers without a sign; {@linkplain #hasReductions reductions and arrays} refuse them.
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
  /** Two's complement 16-bit integer, Java's {@code short}. */
  I16(2, Kind.INTEGER),
  /** Two's complement 32-bit integer, Java's {@code int}. */
  I32(4, Kind.INTEGER),
  /** Two's complement 64-bit integer, Java's {@code long}. */
  I64(8, Kind.INTEGER),
  /** 8-bit integer without a sign. */
  U8(1, Kind.INTEGER),
  /** 16-bit integer without a sign, Java's {@code char}. */
  U16(2, Kind.INTEGER),
  /** 32-bit integer without a sign. */
  U32(4, Kind.INTEGER),
  /** 64-bit integer without a sign. */
  U64(8, Kind.INTEGER);

  /** The sort of number that an element is; decides which operators apply. */
  public enum Kind {
    /** A real floating-point number. */
    FLOAT,
    /** A pair of floating-point numbers. */
    COMPLEX,
    /** An integer that wraps around on overflow. */
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

  /** Returns whether it is an integer without a sign. */
  public boolean isUnsigned() {
    return compareTo(U8) >= 0;
  }

  /**
   * Returns whether reductions and arrays compute with elements; those of other types are moved as
   * they are, and computed with by kernels and array programs.
   */
  public boolean hasReductions() {
    return this != I16 && !isUnsigned();
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
