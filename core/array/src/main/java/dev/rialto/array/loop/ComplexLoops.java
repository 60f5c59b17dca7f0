package dev.rialto.array.loop;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.Double.doubleToRawLongBits;
import static java.lang.Double.longBitsToDouble;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.rialto.array.Complex;
import dev.rialto.array.ComplexArray;
import dev.rialto.array.part.Elements;
import dev.rialto.spi.data.Shape;
import java.util.function.BinaryOperator;
import java.util.function.Function;
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
public final class ComplexLoops implements Loops {
  private static Complex at(Elements from, long in, int i) {
    return new Complex(
        longBitsToDouble(from.get(in, 2 * i)), longBitsToDouble(from.get(in, 2 * i + 1)));
  }

  private static void set(Elements to, long out, int i, Complex value) {
    to.set(out, 2 * i, doubleToRawLongBits(value.re()));
    to.set(out, 2 * i + 1, doubleToRawLongBits(value.im()));
  }

  private static void write(long address, double re, double im) {
    MEMORY.set(JAVA_DOUBLE, address, re);
    MEMORY.set(JAVA_DOUBLE, address + 8, im);
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
  public void generate(Object f, Shape shape, long first, Elements to, long out, long count) {
    int n = (int) count;
    boolean flat = shape.rank() == 2;
    long width = shape.extent(shape.rank() - 1);
    long height = flat ? Long.MAX_VALUE : shape.extent(1);
    for (int c = 0; c < n; c++) {
      long k = (first + c) % width;
      long row = (first + c) / width;
      Complex value =
          flat
              ? ((ComplexArray.At2) f).at(row, k)
              : ((ComplexArray.At3) f).at(row / height, row % height, k);
      set(to, out, c, value);
    }
  }

  @Override
  public void mapMany(Object f, Elements[] from, long[] in, Elements to, long out, long count) {
    int n = (int) count;
    Complex[] values = new Complex[in.length];
    for (int i = 0; i < n; i++) {
      for (int each = 0; each < in.length; each++) {
        values[each] = at(from[each], in[each], i);
      }
      set(to, out, i, ((Function<Complex[], Complex>) f).apply(values));
    }
  }

  @Override
  public void visit(Object visitor, long first, Elements from, long in, long count) {
    int n = (int) count;
    for (int i = 0; i < n; i++) {
      ((ComplexArray.Visitor) visitor).visit(first + i, at(from, in, i));
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
    int half = n / 2;
    Complex first = term(f, from, in, other, b, 0);
    double re = first.re();
    double im = first.im();
    if (half > 0) {
      Complex middle = term(f, from, in, other, b, half);
      double lastRe = middle.re();
      double lastIm = middle.im();
      for (int i = 1; i < half; i++) {
        Complex sum = binary(op, new Complex(re, im), term(f, from, in, other, b, i));
        re = sum.re();
        im = sum.im();
        Complex next =
            binary(op, new Complex(lastRe, lastIm), term(f, from, in, other, b, half + i));
        lastRe = next.re();
        lastIm = next.im();
      }
      Complex last = new Complex(lastRe, lastIm);
      if (n > 2 * half) {
        last = binary(op, last, term(f, from, in, other, b, n - 1));
      }
      Complex all = binary(op, new Complex(re, im), last);
      re = all.re();
      im = all.im();
    }
    write(to, re, im);
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
    double re = MEMORY.get(JAVA_DOUBLE, carry);
    double im = MEMORY.get(JAVA_DOUBLE, carry + 8);
    for (int i = 0; i < n; i++) {
      // Read first: input and output may be the same array.
      Complex next = binary(op, new Complex(re, im), at(from, in, i));
      set(to, out, i, new Complex(before ? re : next.re(), before ? im : next.im()));
      re = next.re();
      im = next.im();
    }
    write(carry, re, im);
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
  public void combine(Object op, long a, long b, long to) {
    Complex both = binary(op, word(a), word(b));
    write(to, both.re(), both.im());
  }

  private static Complex word(long address) {
    return new Complex(MEMORY.get(JAVA_DOUBLE, address), MEMORY.get(JAVA_DOUBLE, address + 8));
  }
}
