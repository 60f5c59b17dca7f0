package dev.rialto.array;

import java.util.function.LongFunction;
import java.util.function.LongToDoubleFunction;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A value for each element's number, in row-major order of the whole array; made for doubles, for
 * longs or for complex numbers.
 */
public final class Generator extends ElementFunction {
  private Generator(@Nullable Object doubles, @Nullable Object longs, @Nullable Object complex) {
    super("generator", doubles, longs, complex);
  }

  /** Makes elements of floating-point types. */
  public static Generator ofDoubles(LongToDoubleFunction function) {
    return new Generator(function, null, null);
  }

  /** Makes elements of integer types. */
  public static Generator ofLongs(LongUnaryOperator function) {
    return new Generator(null, function, null);
  }

  /** Makes elements of complex types. */
  public static Generator ofComplex(LongFunction<Complex> function) {
    return new Generator(null, null, function);
  }
}
