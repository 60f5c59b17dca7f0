package dev.rialto.jit;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** An operator of assignments, element by element. */
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
  /** 1 where the operand is 0, else 0. */
  NOT(1),
  /** Every bit inverted; of integers. */
  BIT_NOT(1),
  /** The sum. */
  ADD(2),
  /** The difference. */
  SUB(2),
  /** The product. */
  MUL(2),
  /** The quotient; of integers, 0 where the divisor is. */
  DIV(2),
  /**
   * The remainder of the quotient towards zero, with the sign of the first operand, as {@code %}
   * has it; of integers, the first operand where the divisor is 0.
   */
  REM(2),
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
  /** 1 where the first is less or equal, else 0. */
  LE(2),
  /** 1 where the first is greater, else 0. */
  GT(2),
  /** 1 where the first is greater or equal, else 0. */
  GE(2),
  /** 1 where both are equal, else 0. */
  EQ(2),
  /** 1 where they are not equal, else 0; NaN is equal to nothing. */
  NE(2),
  /** 1 where neither is 0, else 0. */
  AND(2),
  /** 0 where both are 0, else 1. */
  OR(2),
  /** 1 where one of them is 0 and the other is not, else 0. */
  XOR(2),
  /** The bits that both have; of integers. */
  BIT_AND(2),
  /** The bits that either has; of integers. */
  BIT_OR(2),
  /** The bits that one of the two has; of integers. */
  BIT_XOR(2),
  /** Bits moved to the left by the second operand, modulo the bits of the register, as Java. */
  SHL(2),
  /** Bits moved to the right so, the sign filling in if the type has one. */
  SHR(2),
  /** Bits moved to the right so, zeros filling in; 8 and 16 bits are extended to 32 before. */
  USHR(2),
  /** The second operand where the first is not 0, else the third. */
  WHERE(3),
  /** The first times the second plus the third; rounded once only if the program is fast. */
  FMA(3);

  private static final Set<Op> OF_INTEGERS =
      EnumSet.of(BIT_NOT, BIT_AND, BIT_OR, BIT_XOR, SHL, SHR, USHR);

  private final int arity;

  Op(int arity) {
    this.arity = arity;
  }

  /** Returns the number of operands. */
  public int arity() {
    return arity;
  }

  /** Returns whether it is for integers alone. */
  public boolean isOfIntegers() {
    return OF_INTEGERS.contains(this);
  }

  /** Returns the name in programs' text. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
