package dev.rialto.array;

import static java.lang.Double.doubleToRawLongBits;
import static java.lang.Double.longBitsToDouble;

import java.util.function.BinaryOperator;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The loops on complex elements that {@link Loops#of} makes copies of; see {@link LoopsBody}.
 *
 * <p>What is carried from one element to the next is two doubles: an object that lives on from turn
 * to turn of a loop would have to be allocated, one that does not is taken apart by the compiler.
 */
@SuppressWarnings("unchecked") // a function was asked for complex elements when it was given
final class ComplexLoops implements Loops {
  private static Complex at(Elements from, long in, int i) {
    return new Complex(
        longBitsToDouble(from.get(in, 2 * i)), longBitsToDouble(from.get(in, 2 * i + 1)));
  }

  private static void set(Elements to, long out, int i, Complex value) {
    to.set(out, 2 * i, doubleToRawLongBits(value.re()));
    to.set(out, 2 * i + 1, doubleToRawLongBits(value.im()));
  }

  private static long[] words(double re, double im) {
    return new long[] {doubleToRawLongBits(re), doubleToRawLongBits(im)};
  }

  private static Complex unary(Object f, Complex x) {
    return ((UnaryOperator<Complex>) f).apply(x);
  }

  private static Complex binary(Object f, Complex x, Complex y) {
    return ((BinaryOperator<Complex>) f).apply(x, y);
  }

  @Override
  public void map(Object f, Elements from, long in, Elements to, long out, long count) {
    int n = (int) count;
    for (int i = 0; i < n; i++) {
      set(to, out, i, unary(f, at(from, in, i)));
    }
  }

  @Override
  public void zip(
      Object op, Elements of, long a, Elements other, long b, Elements to, long out, long count) {
    int n = (int) count;
    for (int i = 0; i < n; i++) {
      set(to, out, i, binary(op, at(of, a, i), at(other, b, i)));
    }
  }

  @Override
  public void generate(Object f, long first, Elements to, long out, long count) {
    int n = (int) count;
    for (int i = 0; i < n; i++) {
      set(to, out, i, ((LongFunction<Complex>) f).apply(first + i));
    }
  }

  @Override
  public void visit(Object visitor, long first, Elements from, long in, long count) {
    int n = (int) count;
    for (int i = 0; i < n; i++) {
      ((Visitor.OfComplex) visitor).visit(first + i, at(from, in, i));
    }
  }

  private static Complex term(
      @Nullable Object f, Elements from, long in, @Nullable Elements other, long b, int i) {
    Complex x = at(from, in, i);
    if (f == null) {
      return x;
    }
    return other == null ? unary(f, x) : binary(f, x, at(other, b, i));
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
    int half = n / 2;
    Complex last = term(f, from, in, other, with, half);
    double lastRe = last.re();
    double lastIm = last.im();
    double re = 0;
    double im = 0;
    if (half > 0) {
      Complex first = term(f, from, in, other, with, 0);
      re = first.re();
      im = first.im();
      for (int i = 1; i < half; i++) {
        Complex sum = binary(op, new Complex(re, im), term(f, from, in, other, with, i));
        re = sum.re();
        im = sum.im();
        Complex next =
            binary(op, new Complex(lastRe, lastIm), term(f, from, in, other, with, half + i));
        lastRe = next.re();
        lastIm = next.im();
      }
      if (n > 2 * half) {
        Complex next =
            binary(op, new Complex(lastRe, lastIm), term(f, from, in, other, with, n - 1));
        lastRe = next.re();
        lastIm = next.im();
      }
      Complex all = binary(op, new Complex(re, im), new Complex(lastRe, lastIm));
      return words(all.re(), all.im());
    }
    return words(lastRe, lastIm);
  }

  @Override
  public long[] scan(
      Object op, long[] carry, Elements from, long in, Elements to, long out, long count) {
    int n = (int) count;
    double re = longBitsToDouble(carry[0]);
    double im = longBitsToDouble(carry[1]);
    for (int i = 0; i < n; i++) {
      Complex sum = binary(op, new Complex(re, im), at(from, in, i));
      set(to, out, i, sum);
      re = sum.re();
      im = sum.im();
    }
    return words(re, im);
  }

  @Override
  public long[] scanBefore(
      Object op, long[] carry, Elements from, long in, Elements to, long out, long count) {
    int n = (int) count;
    double re = longBitsToDouble(carry[0]);
    double im = longBitsToDouble(carry[1]);
    for (int i = 0; i < n; i++) {
      // Read first: input and output may be the same array.
      Complex before = new Complex(re, im);
      Complex next = binary(op, before, at(from, in, i));
      set(to, out, i, before);
      re = next.re();
      im = next.im();
    }
    return words(re, im);
  }

  @Override
  public long find(Object condition, boolean meets, Elements from, long in, long count) {
    int n = (int) count;
    int i = 0;
    while (i < n && ((Predicate<Complex>) condition).test(at(from, in, i)) != meets) {
      i++;
    }
    return i;
  }

  @Override
  public long count(Object condition, Elements from, long in, long count) {
    int n = (int) count;
    int met = 0;
    for (int i = 0; i < n; i++) {
      met += ((Predicate<Complex>) condition).test(at(from, in, i)) ? 1 : 0;
    }
    return met;
  }

  @Override
  public long[] combine(Object op, long[] a, long[] b) {
    Complex both =
        binary(
            op,
            new Complex(longBitsToDouble(a[0]), longBitsToDouble(a[1])),
            new Complex(longBitsToDouble(b[0]), longBitsToDouble(b[1])));
    return words(both.re(), both.im());
  }
}
