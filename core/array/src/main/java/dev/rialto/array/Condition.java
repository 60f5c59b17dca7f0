package dev.rialto.array;

import java.util.function.DoublePredicate;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A question about each element; made for doubles, for longs or for complex numbers. */
public final class Condition extends ElementFunction {
  private Condition(@Nullable Object doubles, @Nullable Object longs, @Nullable Object complex) {
    super("condition", doubles, longs, complex);
  }

  /** Asks about elements of floating-point types. */
  public static Condition ofDoubles(DoublePredicate function) {
    return new Condition(function, null, null);
  }

  /** Asks about elements of integer types. */
  public static Condition ofLongs(LongPredicate function) {
    return new Condition(null, function, null);
  }

  /** Asks about elements of complex types. */
  public static Condition ofComplex(Predicate<Complex> function) {
    return new Condition(null, null, function);
  }
}
