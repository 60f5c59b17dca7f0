package dev.rialto.jit.lift;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Type;

/**
 * The quotient of a block's number and how many blocks there are along an axis, as a product and a
 * shift that the launch knows. On a GPU every item asks for it, and a division of long numbers
 * takes as many instructions as a stencil.
 */
public final class BlockQuotient {
  /** The most blocks of a launch over several axes. */
  public static final long MOST_BLOCKS = Integer.MAX_VALUE;

  private static final int BITS = 31;
  private static final Expr LOW = Expr.of((1L << Integer.SIZE) - 1);

  private BlockQuotient() {}

  /**
   * Returns what a launch passes for a divisor: 2 to the power of 31 and a shift, divided by it and
   * rounded up, and above these 32 bits the shift. With as many bits as the divisor has as a shift,
   * the quotients of all numbers of 31 bits are exact.
   */
  public static long word(long divisor) {
    int shift = Long.SIZE - Long.numberOfLeadingZeros(divisor - 1);
    long scale = ((1L << (BITS + shift)) + divisor - 1) / divisor;
    return (long) shift << Integer.SIZE | scale;
  }

  /** Returns the quotient of a number: the upper half of a product of 32 bits each, shifted. */
  static Expr of(Expr number, Expr word) {
    Expr twice = new Binary(BinaryOp.AND, new Binary(BinaryOp.SHL, number, Expr.of(1)), LOW);
    Expr product = new Binary(BinaryOp.MUL, twice, new Binary(BinaryOp.AND, word, LOW));
    Expr shift = new Binary(BinaryOp.SHR, word, Expr.of(Integer.SIZE));
    Expr half = new Binary(BinaryOp.USHR, product, Expr.of(Integer.SIZE));
    return new Expr.Convert(
        Type.I64,
        new Binary(
            BinaryOp.USHR, new Expr.Convert(Type.I32, half), new Expr.Convert(Type.I32, shift)));
  }
}
