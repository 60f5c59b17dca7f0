package dev.rialto.array;

import java.util.function.DoublePredicate;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** A question about each element; made for doubles or for longs. */
public final class Condition extends ElementFunction {
  private Condition(@Nullable Object doubles, @Nullable Object longs) {
    super("condition", doubles, longs);
  }

  /** Asks about elements of floating-point types. */
  public static Condition ofDoubles(DoublePredicate function) {
    return new Condition(function, null);
  }

  /** Asks about elements of integer types. */
  public static Condition ofLongs(LongPredicate function) {
    return new Condition(null, function);
  }
}
