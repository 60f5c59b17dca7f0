package dev.rialto.array.part;

import static java.lang.Double.doubleToRawLongBits;
import static java.lang.Double.longBitsToDouble;

import dev.rialto.spi.data.DType;
import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Elements that are a function of those of two views, as doubles or longs. Addresses are those of
 * an array without gaps that begins at 0.
 *
 * <p>For each class of function and kinds of elements there is a copy of this class, made by {@link
 * Zip#elements}, so that the function is compiled into whatever loop reads them.
 */
public final class ZippedElements extends Elements implements Zip.Maker {
  private final @Nullable View first;
  private final @Nullable View second;
  private final @Nullable Object function;

  ZippedElements() {
    super(DType.I64);
    first = null;
    second = null;
    function = null;
  }

  private ZippedElements(View first, View second, Object function) {
    super(function instanceof DoubleBinaryOperator ? DType.F64 : DType.I64);
    this.first = first;
    this.second = second;
    this.function = function;
  }

  @Override
  public Elements make(View a, View b, Object f) {
    return new ZippedElements(a, b, f);
  }

  @Override
  public Object kind() {
    return getClass();
  }

  @Override
  public boolean isComputed() {
    return true;
  }

  @Override
  public long get(long base, int i) {
    long n = (base >> 3) + i;
    long x = element(first, n);
    long y = element(second, n);
    return function instanceof DoubleBinaryOperator f
        ? doubleToRawLongBits(f.applyAsDouble(longBitsToDouble(x), longBitsToDouble(y)))
        : ((LongBinaryOperator) Objects.requireNonNull(function)).applyAsLong(x, y);
  }

  private static long element(@Nullable View of, long n) {
    View view = Objects.requireNonNull(of);
    return view.elements().get(view.address(n));
  }

  @Override
  public void set(long base, int i, long bits) {
    throw new UnsupportedOperationException("an element of a zip is computed; set it in an array");
  }
}
