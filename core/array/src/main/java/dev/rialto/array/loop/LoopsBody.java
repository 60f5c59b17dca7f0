package dev.rialto.array.loop;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.Double.doubleToRawLongBits;
import static java.lang.Double.longBitsToDouble;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.IntegerArray;
import dev.rialto.array.RealArray;
import dev.rialto.array.part.Elements;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoublePredicate;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.LongPredicate;
import java.util.function.LongToDoubleFunction;
import java.util.function.LongUnaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The loops that {@link Loops#of} makes copies of.
 *
 * <p>A copy sees one class of function and one type of element at each place, so tests of either
 * leave the loops and the calls are compiled into them. Combining keeps several chains going at
 * once, because in one each result waits for the one before.
 */
public final class LoopsBody implements Loops {
  private static long unary(Object f, long x) {
    return f instanceof DoubleUnaryOperator d
        ? doubleToRawLongBits(d.applyAsDouble(longBitsToDouble(x)))
        : ((LongUnaryOperator) f).applyAsLong(x);
  }

  static long binary(Object f, long x, long y) {
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
  public void generate(Object f, Shape shape, long first, Elements to, long out, long count) {
    int n = (int) count;
    int axes = shape.rank();
    long width = shape.extent(axes - 1);
    long height = axes == 3 ? shape.extent(1) : Long.MAX_VALUE;
    long k = first % width;
    long j = first / width % height;
    long i = first / width / height;
    for (int done = 0; done < n; ) {
      int row = (int) Math.min(n - done, width - k);
      if (axes == 2) {
        for (int c = 0; c < row; c++) {
          to.set(out, done + c, at(f, j, k + c));
        }
      } else {
        for (int c = 0; c < row; c++) {
          to.set(out, done + c, at(f, i, j, k + c));
        }
      }
      done += row;
      k = 0;
      if (++j == height) {
        j = 0;
        i++;
      }
    }
  }

  private static long at(Object f, long i, long j) {
    return f instanceof RealArray.At2 real
        ? doubleToRawLongBits(real.at(i, j))
        : ((IntegerArray.At2) f).at(i, j);
  }

  private static long at(Object f, long i, long j, long k) {
    return f instanceof RealArray.At3 real
        ? doubleToRawLongBits(real.at(i, j, k))
        : ((IntegerArray.At3) f).at(i, j, k);
  }

  @Override
  @SuppressWarnings("unchecked") // a function was asked for such elements when it was given
  public void mapMany(Object f, Elements[] from, long[] in, Elements to, long out, long count) {
    int n = (int) count;
    int many = in.length;
    if (to.isFloating()) {
      ToDoubleFunction<double[]> function = (ToDoubleFunction<double[]>) f;
      double[] values = new double[many];
      for (int i = 0; i < n; i++) {
        for (int each = 0; each < many; each++) {
          values[each] = longBitsToDouble(from[each].get(in[each], i));
        }
        to.set(out, i, doubleToRawLongBits(function.applyAsDouble(values)));
      }
      return;
    }
    ToLongFunction<long[]> function = (ToLongFunction<long[]>) f;
    long[] values = new long[many];
    for (int i = 0; i < n; i++) {
      for (int each = 0; each < many; each++) {
        values[each] = from[each].get(in[each], i);
      }
      to.set(out, i, function.applyAsLong(values));
    }
  }

  @Override
  public void visit(Object visitor, long first, Elements from, long in, long count) {
    int n = (int) count;
    for (int i = 0; i < n; i++) {
      long bits = from.get(in, i);
      if (visitor instanceof RealArray.Visitor d) {
        d.visit(first + i, longBitsToDouble(bits));
      } else {
        ((IntegerArray.Visitor) visitor).visit(first + i, bits);
      }
    }
  }

  static long term(
      @Nullable Object f, Elements from, long in, @Nullable Elements other, long b, int i) {
    long x = from.get(in, i);
    if (f == null) {
      return x;
    }
    return other == null ? unary(f, x) : binary(f, x, other.get(b, i));
  }

  @Override
  public void fold(
      Object op,
      boolean anyOrder,
      @Nullable Object f,
      Elements from,
      long in,
      @Nullable Elements other,
      long b,
      long count,
      long to) {
    int n = (int) count;
    boolean alsoVectors = f == null || from.type == DType.F64;
    MEMORY.set(
        JAVA_LONG,
        to,
        anyOrder && alsoVectors && n >= CHAINS && op instanceof DoubleBinaryOperator d
            ? doubleToRawLongBits(chains(d, f, from, in, other, b, n))
            : inOrder(op, f, from, in, other, b, n));
  }

  /** Combines quarters at once, because in one chain each result waits for the one before. */
  private static long inOrder(
      Object op,
      @Nullable Object f,
      Elements from,
      long in,
      @Nullable Elements other,
      long b,
      int n) {
    int part = n / 4;
    int second = 2 * part;
    int third = 3 * part;
    long s3 = term(f, from, in, other, b, third);
    if (part > 0) {
      long s0 = term(f, from, in, other, b, 0);
      long s1 = term(f, from, in, other, b, part);
      long s2 = term(f, from, in, other, b, second);
      for (int i = 1; i < part; i++) {
        s0 = binary(op, s0, term(f, from, in, other, b, i));
        s1 = binary(op, s1, term(f, from, in, other, b, i + part));
        s2 = binary(op, s2, term(f, from, in, other, b, i + second));
        s3 = binary(op, s3, term(f, from, in, other, b, i + third));
      }
      s3 = binary(op, binary(op, s0, s1), binary(op, s2, s3));
    }
    for (int i = Math.max(1, 4 * part); i < n; i++) {
      s3 = binary(op, s3, term(f, from, in, other, b, i));
    }
    return s3;
  }

  /** Combines every eighth element, eight times at once, as vectors do. */
  private static double chains(
      DoubleBinaryOperator op,
      @Nullable Object f,
      Elements from,
      long in,
      @Nullable Elements other,
      long b,
      int n) {
    double s0 = number(f, from, in, other, b, 0);
    double s1 = number(f, from, in, other, b, 1);
    double s2 = number(f, from, in, other, b, 2);
    double s3 = number(f, from, in, other, b, 3);
    double s4 = number(f, from, in, other, b, 4);
    double s5 = number(f, from, in, other, b, 5);
    double s6 = number(f, from, in, other, b, 6);
    double s7 = number(f, from, in, other, b, 7);
    int i = CHAINS;
    for (; i <= n - CHAINS; i += CHAINS) {
      s0 = op.applyAsDouble(s0, number(f, from, in, other, b, i));
      s1 = op.applyAsDouble(s1, number(f, from, in, other, b, i + 1));
      s2 = op.applyAsDouble(s2, number(f, from, in, other, b, i + 2));
      s3 = op.applyAsDouble(s3, number(f, from, in, other, b, i + 3));
      s4 = op.applyAsDouble(s4, number(f, from, in, other, b, i + 4));
      s5 = op.applyAsDouble(s5, number(f, from, in, other, b, i + 5));
      s6 = op.applyAsDouble(s6, number(f, from, in, other, b, i + 6));
      s7 = op.applyAsDouble(s7, number(f, from, in, other, b, i + 7));
    }
    double low = op.applyAsDouble(op.applyAsDouble(s0, s1), op.applyAsDouble(s2, s3));
    double high = op.applyAsDouble(op.applyAsDouble(s4, s5), op.applyAsDouble(s6, s7));
    double sum = op.applyAsDouble(low, high);
    for (; i < n; i++) {
      sum = op.applyAsDouble(sum, number(f, from, in, other, b, i));
    }
    return sum;
  }

  private static double number(
      @Nullable Object f, Elements from, long in, @Nullable Elements other, long b, int i) {
    return longBitsToDouble(term(f, from, in, other, b, i));
  }

  @Override
  public void scan(
      Object op,
      boolean before,
      long carry,
      Elements from,
      long in,
      Elements to,
      long out,
      long count) {
    int n = (int) count;
    long sum = MEMORY.get(JAVA_LONG, carry);
    for (int i = 0; i < n; i++) {
      long next = binary(op, sum, from.get(in, i));
      to.set(out, i, before ? sum : next);
      sum = next;
    }
    MEMORY.set(JAVA_LONG, carry, sum);
  }

  @Override
  public void scanQuarters(
      Object op,
      boolean before,
      long carries,
      Elements from,
      long in,
      Elements to,
      long out,
      long count) {
    int n = (int) count;
    int half = 2 * n;
    int last = 3 * n;
    if (op instanceof DoubleBinaryOperator d) {
      double s0 = MEMORY.get(JAVA_DOUBLE, carries);
      double s1 = MEMORY.get(JAVA_DOUBLE, carries + CARRY);
      double s2 = MEMORY.get(JAVA_DOUBLE, carries + 2 * CARRY);
      double s3 = MEMORY.get(JAVA_DOUBLE, carries + 3 * CARRY);
      for (int i = 0; i < n; i++) {
        double t0 = d.applyAsDouble(s0, longBitsToDouble(from.get(in, i)));
        double t1 = d.applyAsDouble(s1, longBitsToDouble(from.get(in, i + n)));
        double t2 = d.applyAsDouble(s2, longBitsToDouble(from.get(in, i + half)));
        double t3 = d.applyAsDouble(s3, longBitsToDouble(from.get(in, i + last)));
        to.set(out, i, doubleToRawLongBits(before ? s0 : t0));
        to.set(out, i + n, doubleToRawLongBits(before ? s1 : t1));
        to.set(out, i + half, doubleToRawLongBits(before ? s2 : t2));
        to.set(out, i + last, doubleToRawLongBits(before ? s3 : t3));
        s0 = t0;
        s1 = t1;
        s2 = t2;
        s3 = t3;
      }
      MEMORY.set(JAVA_DOUBLE, carries + 3 * CARRY, s3);
      return;
    }
    Loops.super.scanQuarters(op, before, carries, from, in, to, out, count);
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
  public void combine(Object op, long a, long b, long to) {
    MEMORY.set(JAVA_LONG, to, binary(op, MEMORY.get(JAVA_LONG, a), MEMORY.get(JAVA_LONG, b)));
  }
}
