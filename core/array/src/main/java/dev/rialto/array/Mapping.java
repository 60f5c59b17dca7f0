package dev.rialto.array;

import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** A new value for each element; made for doubles or for longs. */
public final class Mapping extends ElementFunction {
  private Mapping(@Nullable Object doubles, @Nullable Object longs) {
    super("mapping", doubles, longs);
  }

  /** Maps elements of floating-point types. */
  public static Mapping ofDoubles(DoubleUnaryOperator function) {
    return new Mapping(function, null);
  }

  /** Maps elements of integer types. */
  public static Mapping ofLongs(LongUnaryOperator function) {
    return new Mapping(null, function);
  }
}
