package dev.rialto.spi.code;

/**
 * The type of a value in a register.
 *
 * @param kind what each lane holds
 * @param lanes how many values are side by side; 1 is a scalar
 */
public record Type(Kind kind, int lanes) {
  /** The number that one lane holds. */
  public enum Kind {
    /** A condition. */
    BOOL(8),
    /** A 32-bit integer that wraps around. */
    I32(32),
    /** A 64-bit integer that wraps around. */
    I64(64),
    /** An IEEE 754 binary32. */
    F32(32),
    /** An IEEE 754 binary64. */
    F64(64);

    private final int bits;

    Kind(int bits) {
      this.bits = bits;
    }

    /** Returns the bits of a lane. */
    public int bits() {
      return bits;
    }

    /** Returns whether it is a floating-point number. */
    public boolean isFloat() {
      return this == F32 || this == F64;
    }
  }

  /** A condition. */
  public static final Type BOOL = new Type(Kind.BOOL, 1);

  /** A 32-bit integer. */
  public static final Type I32 = new Type(Kind.I32, 1);

  /** A 64-bit integer, the type of indices. */
  public static final Type I64 = new Type(Kind.I64, 1);

  /** A binary32. */
  public static final Type F32 = new Type(Kind.F32, 1);

  /** A binary64. */
  public static final Type F64 = new Type(Kind.F64, 1);

  /** Returns the type of {@code lanes} values of this kind. */
  public Type withLanes(int lanes) {
    return lanes == this.lanes ? this : new Type(kind, lanes);
  }

  /** Returns the type of as many lanes of another kind. */
  public Type withKind(Kind kind) {
    return kind == this.kind ? this : new Type(kind, lanes);
  }

  /** Returns whether lanes are floating-point numbers. */
  public boolean isFloat() {
    return kind.isFloat();
  }

  @Override
  public String toString() {
    String name = kind.name().toLowerCase(java.util.Locale.ROOT);
    return lanes == 1 ? name : name + "x" + lanes;
  }
}
