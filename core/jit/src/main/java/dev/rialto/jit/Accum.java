package dev.rialto.jit;

import dev.rialto.spi.data.DType;

/** How an assignment combines the values it computes for the same element. */
public enum Accum {
  /** The last one stays. */
  SET("="),
  /** Their sum. */
  SUM("+="),
  /** Their product. */
  PRODUCT("*="),
  /** The largest. */
  MAX("max="),
  /** The smallest. */
  MIN("min=");

  private final String symbol;

  Accum(String symbol) {
    this.symbol = symbol;
  }

  /** Returns how it is written. */
  public String symbol() {
    return symbol;
  }

  /** Returns the value that changes nothing, for a fresh element. */
  public double neutral(DType type) {
    boolean isFloat = type.kind() == DType.Kind.FLOAT;
    return switch (this) {
      case SET, SUM -> 0;
      case PRODUCT -> 1;
      case MAX -> isFloat ? Double.NEGATIVE_INFINITY : -limit(type) - 1;
      case MIN -> isFloat ? Double.POSITIVE_INFINITY : limit(type);
    };
  }

  private static double limit(DType type) {
    return switch (type) {
      case I8 -> Byte.MAX_VALUE;
      case I32 -> Integer.MAX_VALUE;
      default -> Long.MAX_VALUE;
    };
  }

  /** Combines what was there with a new value. */
  public Scalar combine(Scalar old, Scalar value) {
    return switch (this) {
      case SET -> value;
      case SUM -> Scalar.apply(Op.ADD, old, value);
      case PRODUCT -> Scalar.apply(Op.MUL, old, value);
      case MAX -> Scalar.apply(Op.MAX, old, value);
      case MIN -> Scalar.apply(Op.MIN, old, value);
    };
  }
}
