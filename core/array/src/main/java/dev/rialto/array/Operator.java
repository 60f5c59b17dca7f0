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
          true,
          Identity.SUM);

  /** Multiplication; integers wrap around. */
  public static final Operator PRODUCT =
      new Operator(
          (DoubleBinaryOperator) (a, b) -> a * b,
          (LongBinaryOperator) (a, b) -> a * b,
          (BinaryOperator<Complex>) Complex::times,
          true,
          Identity.PRODUCT);

  /** The smaller element; NaN if there is one. Not for complex numbers. */
  public static final Operator MIN =
      new Operator(
          (DoubleBinaryOperator) Math::min,
          (LongBinaryOperator) Math::min,
          null,
          true,
          Identity.MIN);

  /** The larger element; NaN if there is one. Not for complex numbers. */
  public static final Operator MAX =
      new Operator(
          (DoubleBinaryOperator) Math::max,
          (LongBinaryOperator) Math::max,
          null,
          true,
          Identity.MAX);

  /** What a combination starts with: the result for no elements. */
  private enum Identity {
    SUM,
    PRODUCT,
    MIN,
    MAX,
    UNKNOWN
  }

  private final boolean commutative;
  private final Identity identity;
  private final @Nullable Object doubles;
  private final @Nullable Object longs;
  private final @Nullable Object complex;

  private Operator(
      @Nullable Object doubles,
      @Nullable Object longs,
      @Nullable Object complex,
      boolean commutative,
      Identity identity) {
    super("operator", doubles, longs, complex);
    this.doubles = doubles;
    this.longs = longs;
    this.complex = complex;
    this.commutative = commutative;
    this.identity = identity;
  }

  /** Combines elements of floating-point types. */
  public static Operator ofDoubles(DoubleBinaryOperator function) {
    return new Operator(function, null, null, false, Identity.UNKNOWN);
  }

  /** Combines elements of integer types. */
  public static Operator ofLongs(LongBinaryOperator function) {
    return new Operator(null, function, null, false, Identity.UNKNOWN);
  }

  /** Combines elements of complex types. */
  public static Operator ofComplex(BinaryOperator<Complex> function) {
    return new Operator(null, null, function, false, Identity.UNKNOWN);
  }

  /** Returns this operator, declared to give the same whichever of two elements comes first. */
  public Operator commutative() {
    return new Operator(doubles, longs, complex, true, identity);
  }

  /** Returns whether it was declared commutative. */
  public boolean isCommutative() {
    return commutative;
  }

  /** Returns the words of what no elements are combined into; none if that is not known. */
  long[] identity(Elements elements) {
    boolean floating = elements.isFloating();
    return switch (identity) {
      case SUM -> elements.words(0);
      case PRODUCT -> elements.words(1);
      case MIN ->
          floating ? elements.words(Double.POSITIVE_INFINITY) : elements.words(elements.largest());
      case MAX ->
          floating
              ? elements.words(Double.NEGATIVE_INFINITY)
              : elements.words(-elements.largest() - 1);
      case UNKNOWN -> new long[0];
    };
  }

  /** Returns the name of one of the constants, or that it is the user's. */
  @Override
  public String toString() {
    return identity == Identity.UNKNOWN ? "an operator of the user's" : identity.name();
  }
}
