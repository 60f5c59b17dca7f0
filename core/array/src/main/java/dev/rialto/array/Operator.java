package dev.rialto.array;

import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Combines two elements into one; made for doubles or for longs.
 *
 * <p>Reductions and scans need it to be associative, up to rounding. They combine elements in
 * row-major order, so it need not be commutative; but saying that it {@linkplain #commutative() is}
 * spares them to move elements of arrays that are not in that order from rank to rank.
 */
public final class Operator extends ElementFunction {
  /** Addition; integers wrap around. */
  public static final Operator SUM =
      new Operator((DoubleBinaryOperator) Double::sum, (LongBinaryOperator) Long::sum, true);

  /** Multiplication; integers wrap around. */
  public static final Operator PRODUCT =
      new Operator(
          (DoubleBinaryOperator) (a, b) -> a * b, (LongBinaryOperator) (a, b) -> a * b, true);

  /** The smaller element; NaN if there is one. */
  public static final Operator MIN =
      new Operator((DoubleBinaryOperator) Math::min, (LongBinaryOperator) Math::min, true);

  /** The larger element; NaN if there is one. */
  public static final Operator MAX =
      new Operator((DoubleBinaryOperator) Math::max, (LongBinaryOperator) Math::max, true);

  private final boolean commutative;
  private final @Nullable Object doubles;
  private final @Nullable Object longs;

  private Operator(@Nullable Object doubles, @Nullable Object longs, boolean commutative) {
    super("operator", doubles, longs);
    this.doubles = doubles;
    this.longs = longs;
    this.commutative = commutative;
  }

  /** Combines elements of floating-point types. */
  public static Operator ofDoubles(DoubleBinaryOperator function) {
    return new Operator(function, null, false);
  }

  /** Combines elements of integer types. */
  public static Operator ofLongs(LongBinaryOperator function) {
    return new Operator(null, function, false);
  }

  /** Returns this operator, declared to give the same whichever of two elements comes first. */
  public Operator commutative() {
    return new Operator(doubles, longs, true);
  }

  /** Returns whether it was declared commutative. */
  public boolean isCommutative() {
    return commutative;
  }
}
