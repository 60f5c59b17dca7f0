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

/**
 * The loops that {@link Loops#of} makes copies of.
 *
 * <p>A copy sees one class of function and one type of element at each place, so tests of either
 * leave the loops and the calls are compiled into them. Combining keeps several chains going at
 * once, because in one each result waits for the one before.
 */
final class LoopsBody implements Loops {
  /** Below this many elements one chain is as good as four. */
  private static final long FOUR = 64;

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
    int step = from.type.size();
    int stride = to.type.size();
    for (long i = 0; i < count; i++) {
      to.set(out + i * stride, unary(f, from.get(in + i * step)));
    }
  }

  @Override
  public void zip(
      Object op, Elements of, long a, Elements other, long b, Elements to, long out, long count) {
    int step = of.type.size();
    int otherStep = other.type.size();
    int stride = to.type.size();
    for (long i = 0; i < count; i++) {
      to.set(out + i * stride, binary(op, of.get(a + i * step), other.get(b + i * otherStep)));
    }
  }

  @Override
  public void generate(Object f, long first, Elements to, long out, long count) {
    int stride = to.type.size();
    for (long i = 0; i < count; i++) {
      long bits =
          f instanceof LongToDoubleFunction d
              ? doubleToRawLongBits(d.applyAsDouble(first + i))
              : ((LongUnaryOperator) f).applyAsLong(first + i);
      to.set(out + i * stride, bits);
    }
  }

  @Override
  public void visit(Object visitor, long first, Elements from, long in, long count) {
    int step = from.type.size();
    for (long i = 0; i < count; i++) {
      long bits = from.get(in + i * step);
      if (visitor instanceof Visitor.OfDouble d) {
        d.visit(first + i, longBitsToDouble(bits));
      } else {
        ((Visitor.OfLong) visitor).visit(first + i, bits);
      }
    }
  }

  @Override
  public long fold(Object op, Elements from, long in, long count) {
    int step = from.type.size();
    if (count < FOUR) {
      long sum = from.get(in);
      for (long i = 1; i < count; i++) {
        sum = binary(op, sum, from.get(in + i * step));
      }
      return sum;
    }
    long part = count / 4;
    long second = in + part * step;
    long third = second + part * step;
    long fourth = third + part * step;
    long a = from.get(in);
    long b = from.get(second);
    long c = from.get(third);
    long d = from.get(fourth);
    for (long i = 1; i < part; i++) {
      a = binary(op, a, from.get(in + i * step));
      b = binary(op, b, from.get(second + i * step));
      c = binary(op, c, from.get(third + i * step));
      d = binary(op, d, from.get(fourth + i * step));
    }
    for (long i = 4 * part; i < count; i++) {
      d = binary(op, d, from.get(in + i * step));
    }
    return binary(op, binary(op, a, b), binary(op, c, d));
  }

  @Override
  public long foldMap(Object op, Object f, Elements from, long in, long count) {
    int step = from.type.size();
    long part = count / 4;
    if (count < FOUR) {
      long sum = unary(f, from.get(in));
      for (long i = 1; i < count; i++) {
        sum = binary(op, sum, unary(f, from.get(in + i * step)));
      }
      return sum;
    }
    long second = in + part * step;
    long third = second + part * step;
    long fourth = third + part * step;
    long a = unary(f, from.get(in));
    long b = unary(f, from.get(second));
    long c = unary(f, from.get(third));
    long d = unary(f, from.get(fourth));
    for (long i = 1; i < part; i++) {
      a = binary(op, a, unary(f, from.get(in + i * step)));
      b = binary(op, b, unary(f, from.get(second + i * step)));
      c = binary(op, c, unary(f, from.get(third + i * step)));
      d = binary(op, d, unary(f, from.get(fourth + i * step)));
    }
    for (long i = 4 * part; i < count; i++) {
      d = binary(op, d, unary(f, from.get(in + i * step)));
    }
    return binary(op, binary(op, a, b), binary(op, c, d));
  }

  @Override
  public long foldZip(
      Object op, Object f, Elements of, long a, Elements other, long b, long count) {
    int step = of.type.size();
    int stride = other.type.size();
    long half = count / 2;
    long middle = a + half * step;
    long otherMiddle = b + half * stride;
    long high = binary(f, of.get(middle), other.get(otherMiddle));
    if (half == 0) {
      return high;
    }
    long low = binary(f, of.get(a), other.get(b));
    for (long i = 1; i < half; i++) {
      low = binary(op, low, binary(f, of.get(a + i * step), other.get(b + i * stride)));
      high =
          binary(
              op, high, binary(f, of.get(middle + i * step), other.get(otherMiddle + i * stride)));
    }
    for (long i = 2 * half; i < count; i++) {
      high = binary(op, high, binary(f, of.get(a + i * step), other.get(b + i * stride)));
    }
    return binary(op, low, high);
  }

  @Override
  public long scan(
      Object op, long carry, Elements from, long in, Elements to, long out, long count) {
    int step = from.type.size();
    int stride = to.type.size();
    long sum = carry;
    long i = 0;
    for (; i + 4 <= count; i += 4) {
      long place = in + i * step;
      long a = from.get(place);
      long ab = binary(op, a, from.get(place + step));
      long c = from.get(place + 2L * step);
      long cd = binary(op, c, from.get(place + 3L * step));
      long target = out + i * stride;
      to.set(target, binary(op, sum, a));
      to.set(target + stride, binary(op, sum, ab));
      to.set(target + 2L * stride, binary(op, sum, binary(op, ab, c)));
      sum = binary(op, sum, binary(op, ab, cd));
      to.set(target + 3L * stride, sum);
    }
    for (; i < count; i++) {
      sum = binary(op, sum, from.get(in + i * step));
      to.set(out + i * stride, sum);
    }
    return sum;
  }

  @Override
  public long scanBefore(
      Object op, long carry, Elements from, long in, Elements to, long out, long count) {
    int step = from.type.size();
    int stride = to.type.size();
    long sum = carry;
    for (long i = 0; i < count; i++) {
      // Read first: input and output may be the same array.
      long next = binary(op, sum, from.get(in + i * step));
      to.set(out + i * stride, sum);
      sum = next;
    }
    return sum;
  }

  @Override
  public long find(Object condition, Elements from, long in, long count) {
    int step = from.type.size();
    long i = 0;
    while (i < count && !test(condition, from.get(in + i * step))) {
      i++;
    }
    return i;
  }

  @Override
  public long count(Object condition, Elements from, long in, long count) {
    int step = from.type.size();
    long met = 0;
    for (long i = 0; i < count; i++) {
      met += test(condition, from.get(in + i * step)) ? 1 : 0;
    }
    return met;
  }

  @Override
  public long combine(Object op, long a, long b) {
    return binary(op, a, b);
  }
}
