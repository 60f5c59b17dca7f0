package dev.rialto.array;

import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A new value for each element; made for doubles, for longs or for complex numbers. */
public final class Mapping extends ElementFunction {
  private Mapping(@Nullable Object doubles, @Nullable Object longs, @Nullable Object complex) {
    super("mapping", doubles, longs, complex);
  }

  /** Maps elements of floating-point types. */
  public static Mapping ofDoubles(DoubleUnaryOperator function) {
    return new Mapping(function, null, null);
  }

  /** Maps elements of integer types. */
  public static Mapping ofLongs(LongUnaryOperator function) {
    return new Mapping(null, function, null);
  }

  /** Maps elements of complex types. */
  public static Mapping ofComplex(UnaryOperator<Complex> function) {
    return new Mapping(null, null, function);
  }
}
