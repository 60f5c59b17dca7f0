package dev.rialto.array;

import static java.lang.Double.doubleToRawLongBits;
import static java.lang.Double.longBitsToDouble;

import java.util.function.DoubleBinaryOperator;
import java.util.function.DoublePredicate;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.LongPredicate;
import java.util.function.LongToDoubleFunction;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The loops that {@link Loops#of} makes copies of.
 *
 * <p>A copy sees one class of function and one type of element at each place, so tests of either
 * leave the loops and the calls are compiled into them. Combining keeps several chains going at
 * once, because in one each result waits for the one before.
 */
final class LoopsBody implements Loops {
  /** Below this many elements one chain is as good as several. */
  private static final int SEVERAL = 64;

  private static long unary(Object f, long x) {
    return f instanceof DoubleUnaryOperator d
        ? doubleToRawLongBits(d.applyAsDouble(longBitsToDouble(x)))
        : ((LongUnaryOperator) f).applyAsLong(x);
  }

  private static long binary(Object f, long x, long y) {
    return f instanceof DoubleBinaryOperator d
        ? doubleToRawLongBits(d.applyAsDouble(longBitsToDouble(x), longBitsToDouble(y)))
        : ((LongBinaryOperator) f).applyAsLong(x, y);
  }

  private static boolean test(Object f, long x) {
    return f instanceof DoublePredicate d
        ? d.test(longBitsToDouble(x))
        : ((LongPredicate) f).test(x);
  }

  @Override
  public void map(Object f, Elements from, long in, Elements to, long out, long count) {
    int n = (int) count;
    for (int i = 0; i < n; i++) {
      to.set(out, i, unary(f, from.get(in, i)));
    }
  }

  @Override
  public void zip(
      Object op, Elements of, long a, Elements other, long b, Elements to, long out, long count) {
    int n = (int) count;
    for (int i = 0; i < n; i++) {
      to.set(out, i, binary(op, of.get(a, i), other.get(b, i)));
    }
  }

  @Override
  public void generate(Object f, long first, Elements to, long out, long count) {
    int n = (int) count;
    for (int i = 0; i < n; i++) {
      long bits =
          f instanceof LongToDoubleFunction d
              ? doubleToRawLongBits(d.applyAsDouble(first + i))
              : ((LongUnaryOperator) f).applyAsLong(first + i);
      to.set(out, i, bits);
    }
  }

  @Override
  public void visit(Object visitor, long first, Elements from, long in, long count) {
    int n = (int) count;
    for (int i = 0; i < n; i++) {
      long bits = from.get(in, i);
      if (visitor instanceof Visitor.OfDouble d) {
        d.visit(first + i, longBitsToDouble(bits));
      } else {
        ((Visitor.OfLong) visitor).visit(first + i, bits);
      }
    }
  }

  private static long term(
      @Nullable Object f, Elements from, long in, @Nullable Elements other, long b, int i) {
    long x = from.get(in, i);
    if (f == null) {
      return x;
    }
    return other == null ? unary(f, x) : binary(f, x, other.get(b, i));
  }

  @Override
  public long[] fold(
      Object op,
      @Nullable Object f,
      Elements from,
      long in,
      @Nullable Elements other,
      long with,
      long count) {
    int n = (int) count;
    if (n < SEVERAL) {
      long sum = term(f, from, in, other, with, 0);
      for (int i = 1; i < n; i++) {
        sum = binary(op, sum, term(f, from, in, other, with, i));
      }
      return new long[] {sum};
    }
    int part = n / 4;
    int second = 2 * part;
    int third = 3 * part;
    long a = term(f, from, in, other, with, 0);
    long b = term(f, from, in, other, with, part);
    long c = term(f, from, in, other, with, second);
    long d = term(f, from, in, other, with, third);
    for (int i = 1; i < part; i++) {
      a = binary(op, a, term(f, from, in, other, with, i));
      b = binary(op, b, term(f, from, in, other, with, i + part));
      c = binary(op, c, term(f, from, in, other, with, i + second));
      d = binary(op, d, term(f, from, in, other, with, i + third));
    }
    for (int i = 4 * part; i < n; i++) {
      d = binary(op, d, term(f, from, in, other, with, i));
    }
    return new long[] {binary(op, binary(op, a, b), binary(op, c, d))};
  }

  @Override
  public long[] scan(
      Object op, long[] carry, Elements from, long in, Elements to, long out, long count) {
    int n = (int) count;
    long sum = carry[0];
    int i = 0;
    for (; i < n - 3; i += 4) {
      long a = from.get(in, i);
      long ab = binary(op, a, from.get(in, i + 1));
      long c = from.get(in, i + 2);
      long cd = binary(op, c, from.get(in, i + 3));
      to.set(out, i, binary(op, sum, a));
      to.set(out, i + 1, binary(op, sum, ab));
      to.set(out, i + 2, binary(op, sum, binary(op, ab, c)));
      sum = binary(op, sum, binary(op, ab, cd));
      to.set(out, i + 3, sum);
    }
    for (; i < n; i++) {
      sum = binary(op, sum, from.get(in, i));
      to.set(out, i, sum);
    }
    return new long[] {sum};
  }

  @Override
  public long[] scanBefore(
      Object op, long[] carry, Elements from, long in, Elements to, long out, long count) {
    int n = (int) count;
    long sum = carry[0];
    for (int i = 0; i < n; i++) {
      // Read first: input and output may be the same array.
      long next = binary(op, sum, from.get(in, i));
      to.set(out, i, sum);
      sum = next;
    }
    return new long[] {sum};
  }

  @Override
  public long find(Object condition, boolean meets, Elements from, long in, long count) {
    int n = (int) count;
    int i = 0;
    while (i < n && test(condition, from.get(in, i)) != meets) {
      i++;
    }
    return i;
  }

  @Override
  public long count(Object condition, Elements from, long in, long count) {
    int n = (int) count;
    int met = 0;
    for (int i = 0; i < n; i++) {
      met += test(condition, from.get(in, i)) ? 1 : 0;
    }
    return met;
  }

  @Override
  public long[] combine(Object op, long[] a, long[] b) {
    return new long[] {binary(op, a[0], b[0])};
  }
}
