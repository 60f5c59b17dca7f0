package dev.rialto.jit;

import dev.rialto.spi.data.DType;

/** The combination of the values that an assignment computes for one element. */
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
  public ScalarExpression.Const neutral(DType type) {
    boolean isInteger = type.kind() == DType.Kind.INTEGER;
    return switch (this) {
      case SET, SUM -> ScalarExpression.Const.of(type, 0);
      case PRODUCT -> ScalarExpression.Const.of(type, 1);
      case MAX ->
          isInteger
              ? ScalarExpression.Const.of(type, NumberFormats.least(type))
              : new ScalarExpression.Const(type, Double.NEGATIVE_INFINITY);
      case MIN ->
          isInteger
              ? ScalarExpression.Const.ofBits(type, NumberFormats.greatest(type))
              : new ScalarExpression.Const(type, Double.POSITIVE_INFINITY);
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
  public ScalarExpression combine(ScalarExpression old, ScalarExpression value) {
    return this == SET ? value : ScalarExpression.apply(op(), old, value);
  }

  /** Returns the operator that combines. */
  public Op op() {
    return switch (this) {
      case SET -> throw new IllegalArgumentException("nothing is combined by " + this);
      case SUM -> Op.ADD;
      case PRODUCT -> Op.MUL;
      case MAX -> Op.MAX;
      case MIN -> Op.MIN;
    };
  }
}
