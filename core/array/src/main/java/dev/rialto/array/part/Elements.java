package dev.rialto.array.part;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.rialto.array.Complex;
import dev.rialto.jit.kernel.HalfPrecision;
import dev.rialto.spi.data.DType;

/**
 * Reads and writes elements of one type as 64 bits: those of a {@code double} for floating-point
 * types, a sign-extended {@code long} for integers. Of complex types these are parts of elements,
 * the real one of each before the imaginary one.
 *
 * <p>One form for all types lets every loop be written once. It costs nothing where the loop is
 * compiled for one type: moves between {@code double} and its bits cancel out.
 */
public abstract class Elements {
  private static final Elements F64 = new Words(DType.F64);
  private static final Elements I64 = new Words(DType.I64);
  private static final Elements F32 = new Floats(DType.F32);
  private static final Elements I32 = new Ints();
  private static final Elements I8 = new Bytes();
  private static final Elements F16 = new Halves();
  private static final Elements BF16 = new BrainHalves();
  private static final Elements C128 = new Words(DType.C128);
  private static final Elements C64 = new Floats(DType.C64);

  public final DType type;

  Elements(DType type) {
    this.type = type;
  }

  public static Elements of(DType type) {
    return switch (type) {
      case F64 -> F64;
      case I64 -> I64;
      case F32 -> F32;
      case I32 -> I32;
      case I8 -> I8;
      case F16 -> F16;
      case BF16 -> BF16;
      case C128 -> C128;
      case C64 -> C64;
      case I16, U8, U16, U32, U64 ->
          throw new IllegalArgumentException("arrays have no elements of type " + type);
    };
  }

  /**
   * Returns what reads elements of a type for something that only real numbers have.
   *
   * @throws IllegalArgumentException if the type is complex
   */
  public static Elements real(DType type, String what) {
    if (type.kind() == DType.Kind.COMPLEX) {
      throw new IllegalArgumentException(
          "%s is for real numbers and these are %s; use real numbers made of them"
              .formatted(what, type));
    }
    return of(type);
  }

  /**
   * Reads element {@code i} of those from an address on. The step is a constant where the type is
   * known, which lets loops over {@code i} be unrolled.
   */
  public abstract long get(long base, int i);

  /** Writes element {@code i} of those from an address on, rounded or wrapped to the type. */
  public abstract void set(long base, int i, long bits);

  public final long get(long address) {
    return get(address, 0);
  }

  public final void set(long address, long bits) {
    set(address, 0, bits);
  }

  /** Returns what is equal for elements that loops read with the same code. */
  public Object kind() {
    return this;
  }

  /** Returns whether elements are computed when they are read, and lie in no memory. */
  public boolean isComputed() {
    return false;
  }

  /** Returns whether elements are single doubles. */
  public boolean isFloating() {
    return type.kind() == DType.Kind.FLOAT;
  }

  /** Returns whether elements have two parts. */
  public boolean isComplex() {
    return type.kind() == DType.Kind.COMPLEX;
  }

  /**
   * Returns a number as the bits of an element: two words if it is complex, else one.
   *
   * @throws IllegalArgumentException if elements are integers and the number is none of them
   */
  public long[] words(double value) {
    if (isComplex()) {
      return words(new Complex(value, 0));
    }
    if (isFloating()) {
      return new long[] {Double.doubleToRawLongBits(value)};
    }
    if (value != Math.rint(value) || value < -0x1p63 || value >= 0x1p63) {
      throw new IllegalArgumentException(value + outOfRange());
    }
    return words((long) value);
  }

  /** Returns a whole number as the bits of an element; integers keep all of them. */
  public long[] words(long value) {
    if (type.kind() != DType.Kind.INTEGER) {
      return words((double) value);
    }
    if (value > largest() || value < -largest() - 1) {
      throw new IllegalArgumentException(value + outOfRange());
    }
    return new long[] {value};
  }

  private String outOfRange() {
    return " is no element of %s; give a whole number from %d to %d"
        .formatted(type, -largest() - 1, largest());
  }

  /** Returns the largest number of an integer type. */
  public long largest() {
    return -1L >>> (Long.SIZE + 1 - 8 * type.size());
  }

  /**
   * Returns a complex number as the bits of an element.
   *
   * @throws IllegalArgumentException if elements are real
   */
  public long[] words(Complex value) {
    if (!isComplex()) {
      throw new IllegalArgumentException(
          "a complex number for elements of " + type + "; give a real one");
    }
    return new long[] {
      Double.doubleToRawLongBits(value.re()), Double.doubleToRawLongBits(value.im())
    };
  }

  public final long[] read(long address) {
    return isComplex()
        ? new long[] {get(address, 0), get(address, 1)}
        : new long[] {get(address, 0)};
  }

  public final void write(long address, long[] words) {
    for (int i = 0; i < words.length; i++) {
      set(address, i, words[i]);
    }
  }

  /**
   * Turns an element's bits into a number that is ordered as the elements are: -0.0 below 0.0, NaN
   * above everything.
   */
  public static long key(long bits, boolean floating) {
    if (!floating) {
      return bits;
    }
    long one = Double.doubleToLongBits(Double.longBitsToDouble(bits));
    return one ^ (one >> 63 & Long.MAX_VALUE);
  }

  /** Turns a key back into the bits it was made of. */
  public static long fromKey(long key, boolean floating) {
    return floating ? key ^ (key >> 63 & Long.MAX_VALUE) : key;
  }

  private static final class Words extends Elements {
    Words(DType type) {
      super(type);
    }

    @Override
    public long get(long base, int i) {
      return MEMORY.get(JAVA_LONG_UNALIGNED, base + 8L * i);
    }

    @Override
    public void set(long base, int i, long bits) {
      MEMORY.set(JAVA_LONG_UNALIGNED, base + 8L * i, bits);
    }
  }

  private static final class Floats extends Elements {
    Floats(DType type) {
      super(type);
    }

    @Override
    public long get(long base, int i) {
      return Double.doubleToRawLongBits(MEMORY.get(JAVA_FLOAT_UNALIGNED, base + 4L * i));
    }

    @Override
    public void set(long base, int i, long bits) {
      MEMORY.set(JAVA_FLOAT_UNALIGNED, base + 4L * i, (float) Double.longBitsToDouble(bits));
    }
  }

  private static final class Ints extends Elements {
    Ints() {
      super(DType.I32);
    }

    @Override
    public long get(long base, int i) {
      return MEMORY.get(JAVA_INT_UNALIGNED, base + 4L * i);
    }

    @Override
    public void set(long base, int i, long bits) {
      MEMORY.set(JAVA_INT_UNALIGNED, base + 4L * i, (int) bits);
    }
  }

  private static final class Bytes extends Elements {
    Bytes() {
      super(DType.I8);
    }

    @Override
    public long get(long base, int i) {
      return MEMORY.get(JAVA_BYTE, base + i);
    }

    @Override
    public void set(long base, int i, long bits) {
      MEMORY.set(JAVA_BYTE, base + i, (byte) bits);
    }
  }

  private static final class Halves extends Elements {
    Halves() {
      super(DType.F16);
    }

    @Override
    public long get(long base, int i) {
      return Double.doubleToRawLongBits(
          Float.float16ToFloat(MEMORY.get(JAVA_SHORT_UNALIGNED, base + 2L * i)));
    }

    @Override
    public void set(long base, int i, long bits) {
      MEMORY.set(
          JAVA_SHORT_UNALIGNED, base + 2L * i, HalfPrecision.f16(Double.longBitsToDouble(bits)));
    }
  }

  private static final class BrainHalves extends Elements {
    BrainHalves() {
      super(DType.BF16);
    }

    @Override
    public long get(long base, int i) {
      int upper = MEMORY.get(JAVA_SHORT_UNALIGNED, base + 2L * i) << 16;
      return Double.doubleToRawLongBits(Float.intBitsToFloat(upper));
    }

    @Override
    public void set(long base, int i, long bits) {
      MEMORY.set(
          JAVA_SHORT_UNALIGNED, base + 2L * i, HalfPrecision.bf16(Double.longBitsToDouble(bits)));
    }
  }
}
