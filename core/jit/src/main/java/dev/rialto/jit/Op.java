package dev.rialto.jit;

import java.util.Locale;

/** What an assignment computes from its operands, element by element. */
public enum Op {
  /** The negative. */
  NEG(1),
  /** The magnitude. */
  ABS(1),
  /** The square root. */
  SQRT(1),
  /** e to the power of the operand. */
  EXP(1),
  /** The natural logarithm. */
  LOG(1),
  /** The sine. */
  SIN(1),
  /** The cosine. */
  COS(1),
  /** The hyperbolic tangent. */
  TANH(1),
  /** The largest whole number that is not larger. */
  FLOOR(1),
  /** The operand where it is positive, else 0. */
  RELU(1),
  /** 1 divided by the operand. */
  RECIP(1),
  /** The complex conjugate. */
  CONJ(1),
  /** The sum. */
  ADD(2),
  /** The difference. */
  SUB(2),
  /** The product. */
  MUL(2),
  /** The quotient; of integers, 0 where the divisor is. */
  DIV(2),
  /**
   * The first operand to the power of the second, with the special cases of {@link Math#pow}; of
   * integers with a constant from 0 to 64 only. A constant whole exponent up to 16 means products.
   */
  POW(2),
  /** The larger, as {@link Math#max} has it. */
  MAX(2),
  /** The smaller, as {@link Math#min} has it. */
  MIN(2),
  /** The second operand where the first is positive, else 0. */
  RELU_GATE(2),
  /** 1 where the first is less, else 0. */
  LT(2),
  /** 1 where both are equal, else 0. */
  EQ(2),
  /** The second operand where the first is not 0, else the third. */
  WHERE(3),
  /** The first times the second plus the third; rounded once only if the program is fast. */
  FMA(3);

  private final int arity;

  Op(int arity) {
    this.arity = arity;
  }

  /** Returns the number of operands. */
  public int arity() {
    return arity;
  }

  /** Returns the name in programs' text. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
