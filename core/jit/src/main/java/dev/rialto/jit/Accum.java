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

  /** Returns the value that a fresh element starts from. */
  public Scalar.Const neutral(DType type) {
    boolean isInteger = type.kind() == DType.Kind.INTEGER;
    return switch (this) {
      case SET, SUM -> Scalar.Const.of(type, 0);
      case PRODUCT -> Scalar.Const.of(type, 1);
      case MAX ->
          isInteger
              ? Scalar.Const.of(type, -NumberFormats.greatest(type) - 1)
              : new Scalar.Const(type, Double.NEGATIVE_INFINITY);
      case MIN ->
          isInteger
              ? Scalar.Const.of(type, NumberFormats.greatest(type))
              : new Scalar.Const(type, Double.POSITIVE_INFINITY);
    };
  }

  /** Returns whether values of a type can be combined in any order, to the same bits. */
  public boolean isOrderFree(DType type) {
    return switch (this) {
      case SET -> false;
      case SUM, PRODUCT -> type.kind() == DType.Kind.INTEGER;
      case MAX, MIN -> type.kind() != DType.Kind.COMPLEX;
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
