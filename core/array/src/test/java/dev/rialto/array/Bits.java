package dev.rialto.array;

import dev.rialto.spi.data.ReduceOp;
import java.util.List;
import java.util.OptionalLong;

/**
 * A real or integer array, for tests of both: values are bits of doubles or longs, and functions
 * are given for either.
 */
record Bits(Array array) {
  private static long bits(double value) {
    return Double.doubleToRawLongBits(value);
  }

  void fill(long value) {
    switch (array) {
      case RealArray real -> real.fill((double) value);
      case IntegerArray integers -> integers.fill(value);
      case ComplexArray complex -> complex.fill(new Complex(value, 0));
    }
  }

  long fetch(long... index) {
    return array instanceof RealArray real
        ? bits(real.fetch(index))
        : ((IntegerArray) array).fetch(index);
  }

  void put(long bits, long... index) {
    if (array instanceof RealArray real) {
      real.put(Double.longBitsToDouble(bits), index);
    } else {
      ((IntegerArray) array).put(bits, index);
    }
  }

  void set(Array in, RealArray.Unary doubles, IntegerArray.Unary longs) {
    if (array instanceof RealArray real) {
      real.set((RealArray) in, doubles);
    } else {
      ((IntegerArray) array).set((IntegerArray) in, longs);
    }
  }

  void set(Array a, Array b, RealArray.Binary doubles, IntegerArray.Binary longs) {
    if (array instanceof RealArray real) {
      real.set((RealArray) a, (RealArray) b, doubles);
    } else {
      ((IntegerArray) array).set((IntegerArray) a, (IntegerArray) b, longs);
    }
  }

  /** Sets each element to the sum of those of three arrays. */
  void setSum(Array a, Array b, Array c) {
    if (array instanceof RealArray real) {
      real.combine(v -> v[0] + v[1] + v[2], (RealArray) a, (RealArray) b, (RealArray) c);
    } else {
      ((IntegerArray) array)
          .combine(v -> v[0] + v[1] + v[2], (IntegerArray) a, (IntegerArray) b, (IntegerArray) c);
    }
  }

  void axpy(int factor, Array x) {
    if (array instanceof RealArray real) {
      real.axpy(factor, (RealArray) x);
    } else {
      ((IntegerArray) array).axpy(factor, (IntegerArray) x);
    }
  }

  long reduce(ReduceOp op) {
    return array instanceof RealArray real
        ? bits(real.reduce(op))
        : ((IntegerArray) array).reduce(op);
  }

  long reduce(RealArray.Binary doubles, IntegerArray.Binary longs) {
    return array instanceof RealArray real
        ? bits(real.reduce(doubles))
        : ((IntegerArray) array).reduce(longs);
  }

  long reduce(RealArray.Unary doubles, IntegerArray.Unary longs, ReduceOp op) {
    return array instanceof RealArray real
        ? bits(real.reduce(doubles, op))
        : ((IntegerArray) array).reduce(longs, op);
  }

  long dot(Array other) {
    return array instanceof RealArray real
        ? bits(real.dot((RealArray) other))
        : ((IntegerArray) array).dot((IntegerArray) other);
  }

  /** Returns the second of the last pair, which is associative and not commutative. */
  long lastOfPairs(Array other) {
    return array instanceof RealArray real
        ? bits(real.reduce((RealArray) other, (_, b) -> b, (_, b) -> b))
        : ((IntegerArray) array).reduce((IntegerArray) other, (_, b) -> b, (_, b) -> b);
  }

  /** Returns the least's bits, its element, the greatest's and its element. */
  long[] minMax() {
    if (array instanceof RealArray real) {
      RealArray.MinMax found = real.minMax();
      return new long[] {
        bits(found.min()), found.minElement(), bits(found.max()), found.maxElement()
      };
    }
    IntegerArray.MinMax found = ((IntegerArray) array).minMax();
    return new long[] {found.min(), found.minElement(), found.max(), found.maxElement()};
  }

  OptionalLong find(RealArray.Condition doubles, IntegerArray.Condition longs) {
    return array instanceof RealArray real
        ? real.find(doubles)
        : ((IntegerArray) array).find(longs);
  }

  long count(RealArray.Condition doubles, IntegerArray.Condition longs) {
    return array instanceof RealArray real
        ? real.count(doubles)
        : ((IntegerArray) array).count(longs);
  }

  /** Returns whether all, any and none of the elements meet a condition. */
  List<Boolean> allAnyNone(RealArray.Condition doubles, IntegerArray.Condition longs) {
    return array instanceof RealArray real
        ? List.of(real.all(doubles), real.any(doubles), real.none(doubles))
        : List.of(
            ((IntegerArray) array).all(longs),
            ((IntegerArray) array).any(longs),
            ((IntegerArray) array).none(longs));
  }

  void scan(Array in, IntegerArray.Binary op) {
    if (array instanceof RealArray real) {
      real.scan((RealArray) in, (x, y) -> op.applyAsLong((long) x, (long) y));
    } else {
      ((IntegerArray) array).scan((IntegerArray) in, op);
    }
  }

  void scanBefore(Array in, long initial, IntegerArray.Binary op) {
    if (array instanceof RealArray real) {
      real.scanBefore(
          (RealArray) in, (double) initial, (x, y) -> op.applyAsLong((long) x, (long) y));
    } else {
      ((IntegerArray) array).scanBefore((IntegerArray) in, initial, op);
    }
  }

  long nth(long n) {
    return array instanceof RealArray real ? bits(real.nth(n)) : ((IntegerArray) array).nth(n);
  }

  /** Returns the largest or the smallest elements: the number and the bits of each. */
  List<List<Long>> top(int k, boolean largest) {
    if (array instanceof RealArray real) {
      return (largest ? real.largest(k) : real.smallest(k))
          .stream().map(found -> List.of(found.element(), bits(found.value()))).toList();
    }
    IntegerArray integers = (IntegerArray) array;
    return (largest ? integers.largest(k) : integers.smallest(k))
        .stream().map(found -> List.of(found.element(), found.value())).toList();
  }

  Array copyIf(RealArray.Condition doubles, IntegerArray.Condition longs) {
    return array instanceof RealArray real
        ? real.copyIf(doubles)
        : ((IntegerArray) array).copyIf(longs);
  }

  long partition(RealArray.Condition doubles, IntegerArray.Condition longs) {
    return array instanceof RealArray real
        ? real.partition(doubles)
        : ((IntegerArray) array).partition(longs);
  }

  /** Sorts by the distance from a number. */
  void sortByDistance(double from) {
    if (array instanceof RealArray real) {
      real.sortBy(x -> Math.abs(x - from));
    } else {
      ((IntegerArray) array).sortBy(x -> Math.abs(x - (long) from));
    }
  }

  /** Sorts by absolute values, the largest first. */
  void sortBySize() {
    if (array instanceof RealArray real) {
      real.sort((a, b) -> Double.compare(Math.abs(b), Math.abs(a)));
    } else {
      ((IntegerArray) array).sort((a, b) -> Long.compare(Math.abs(b), Math.abs(a)));
    }
  }

  void setDifferences(Array in) {
    if (array instanceof RealArray real) {
      real.setDifferences((RealArray) in);
    } else {
      ((IntegerArray) array).setDifferences((IntegerArray) in);
    }
  }

  Array unique() {
    return array instanceof RealArray real ? real.unique() : ((IntegerArray) array).unique();
  }
}
