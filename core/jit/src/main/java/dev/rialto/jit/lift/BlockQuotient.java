package dev.rialto.jit.lift;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;

/**
 * The quotient of a block's number and how many blocks there are along an axis, as a product and a
 * shift that the launch knows. On a GPU every item asks for it, and a division of long numbers
 * takes as many instructions as a stencil.
 */
public final class BlockQuotient {
  /** How many blocks a launch over several axes can have. */
  public static final long MOST_BLOCKS = Integer.MAX_VALUE;

  private static final int BITS = 31;
  private static final int SHIFT_BITS = 6;

  private BlockQuotient() {}

  /**
   * Returns what a launch passes for a divisor: 2 to the power of a shift, divided by it and
   * rounded up, and the shift. With a shift of 31 bits and those of the divisor the quotients of
   * all numbers of 31 bits are exact, and the products have 63 bits.
   */
  public static long word(long divisor) {
    int shift = BITS + Long.SIZE - Long.numberOfLeadingZeros(divisor - 1);
    long scale = ((1L << shift) + divisor - 1) / divisor;
    return scale << SHIFT_BITS | shift;
  }

  /** Returns the quotient of a number. */
  static Expr of(Expr number, Expr word) {
    Expr scale = new Binary(BinaryOp.USHR, word, Expr.of(SHIFT_BITS));
    Expr shift = new Binary(BinaryOp.AND, word, Expr.of((1 << SHIFT_BITS) - 1));
    return new Binary(BinaryOp.USHR, new Binary(BinaryOp.MUL, number, scale), shift);
  }
}
