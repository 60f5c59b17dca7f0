package dev.rialto.array;

import java.util.function.BinaryOperator;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Combines two elements into one; made for doubles, for longs or for complex numbers.
 *
 * <p>Reductions and scans need it to be associative, up to rounding. They combine elements in
 * row-major order, so it need not be commutative; but saying that it {@linkplain #commutative() is}
 * spares them to move elements of arrays that are not in that order from rank to rank.
 */
public final class Operator extends ElementFunction {
  /** Addition; integers wrap around. */
  public static final Operator SUM =
      new Operator(
          (DoubleBinaryOperator) Double::sum,
          (LongBinaryOperator) Long::sum,
          (BinaryOperator<Complex>) Complex::plus,
          true);

  /** Multiplication; integers wrap around. */
  public static final Operator PRODUCT =
      new Operator(
          (DoubleBinaryOperator) (a, b) -> a * b,
          (LongBinaryOperator) (a, b) -> a * b,
          (BinaryOperator<Complex>) Complex::times,
          true);

  /** The smaller element; NaN if there is one. Not for complex numbers. */
  public static final Operator MIN =
      new Operator((DoubleBinaryOperator) Math::min, (LongBinaryOperator) Math::min, null, true);

  /** The larger element; NaN if there is one. Not for complex numbers. */
  public static final Operator MAX =
      new Operator((DoubleBinaryOperator) Math::max, (LongBinaryOperator) Math::max, null, true);

  private final boolean commutative;
  private final @Nullable Object doubles;
  private final @Nullable Object longs;
  private final @Nullable Object complex;

  private Operator(
      @Nullable Object doubles,
      @Nullable Object longs,
      @Nullable Object complex,
      boolean commutative) {
    super("operator", doubles, longs, complex);
    this.doubles = doubles;
    this.longs = longs;
    this.complex = complex;
    this.commutative = commutative;
  }

  /** Combines elements of floating-point types. */
  public static Operator ofDoubles(DoubleBinaryOperator function) {
    return new Operator(function, null, null, false);
  }

  /** Combines elements of integer types. */
  public static Operator ofLongs(LongBinaryOperator function) {
    return new Operator(null, function, null, false);
  }

  /** Combines elements of complex types. */
  public static Operator ofComplex(BinaryOperator<Complex> function) {
    return new Operator(null, null, function, false);
  }

  /** Returns this operator, declared to give the same whichever of two elements comes first. */
  public Operator commutative() {
    return new Operator(doubles, longs, complex, true);
  }

  /** Returns whether it was declared commutative. */
  public boolean isCommutative() {
    return commutative;
  }
}
