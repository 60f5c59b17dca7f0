package dev.rialto.array;

import dev.rialto.array.algorithm.Elementwise;
import dev.rialto.array.algorithm.Reduce;
import dev.rialto.array.algorithm.Scan;
import dev.rialto.array.algorithm.Stencil;
import dev.rialto.array.device.DeviceElementwise;
import dev.rialto.array.loop.Combination;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.RemoteElements;
import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.util.Arrays;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * An array of complex numbers. Functions of its elements are of complex numbers.
 *
 * <p>Each function in the source gets a copy of the loop of its own, with the function compiled
 * into it. Functions are called from several threads at once where the team has an executor.
 * Reductions give the same bits on all ranks, each time, whatever the number of threads; divided
 * among another number of ranks a sum may differ by rounding. A {@link Complex} is taken apart by
 * the compiler, so that loops allocate nothing per element. Complex numbers have no order.
 */
public final class ComplexArray
    extends ElementArray<
        ComplexArray,
        UnaryOperator<Complex>,
        BinaryOperator<Complex>,
        Function<Complex[], Complex>,
        Predicate<Complex>,
        ComplexArray.Visitor> {
  /** A value for each pair of indices. */
  @FunctionalInterface
  public interface At2 {
    /** Returns the value of an element. */
    Complex at(long i, long j);
  }

  /** A value for each three indices. */
  @FunctionalInterface
  public interface At3 {
    /** Returns the value of an element. */
    Complex at(long i, long j, long k);
  }

  /** Something done with each element. */
  @FunctionalInterface
  public interface Visitor {
    /** Takes an element's number, in row-major order of the whole array, and its value. */
    void visit(long element, Complex value);
  }

  ComplexArray(IndexSpace space, DType type) {
    super(space, type);
  }

  @Override
  public ComplexArray like() {
    return another();
  }

  /** Reads an element that this rank owns or has in its halo, by its index in the whole array. */
  public Complex get(long... index) {
    return value(Elements.of(type()).read(operand.address(index)));
  }

  /** Writes an element that this rank has, by its index in the whole array. */
  public void set(long[] index, Complex value) {
    Elements elements = Elements.of(type());
    elements.write(operand.address(index), elements.words(value));
  }

  /**
   * Reads any element, wherever it is. Not collective. Needs {@link Capability#WINDOWS} unless this
   * rank owns it. What another rank writes at the same time is a race; see {@link #synchronize}.
   */
  public final Complex fetch(long... index) {
    return value(RemoteElements.fetch(operand, index));
  }

  /** Writes an element, wherever it is; see {@link #fetch}. */
  public final void put(Complex value, long... index) {
    RemoteElements.put(operand, Elements.of(type()).words(value), index);
  }

  /**
   * Returns all elements in row-major order on one rank, and none on the others. Collective.
   *
   * @throws IllegalStateException on all ranks if there are more than 2^31-9 elements
   */
  public final Complex[] gather(int root) {
    return gathered(
        root,
        (elements, address, count) -> {
          Complex[] values = new Complex[count];
          Arrays.setAll(
              values, i -> value(elements.get(address, 2 * i), elements.get(address, 2 * i + 1)));
          return values;
        });
  }

  /** Sets every element to a value. */
  public final void fill(Complex value) {
    var _ = run(Elementwise.fill(operand, Elements.of(type()).words(value)));
  }

  /** Sets every element to a function of its number, in row-major order of the whole array. */
  public final void generate(LongFunction<Complex> function) {
    var _ = run(Elementwise.generate(operand, function));
  }

  /**
   * Sets every element of an array of one axis to a function of its index.
   *
   * @param halos arrays whose neighbouring elements the function reads: their halos are updated
   *     first, while elements are computed that need none
   */
  public final void set(LongFunction<Complex> function, Array... halos) {
    Stencil.set(team().runtime(), operand, 1, function, operands(halos));
  }

  /** Sets every element of an array of two axes to a function of its indices, as with one. */
  public final void set(At2 function, Array... halos) {
    Stencil.set(team().runtime(), operand, 2, function, operands(halos));
  }

  /** Sets every element of an array of three axes to a function of its indices, as with one. */
  public final void set(At3 function, Array... halos) {
    Stencil.set(team().runtime(), operand, 3, function, operands(halos));
  }

  /** Adds {@code factor * x} to each element. */
  public final void axpy(Complex factor, ComplexArray x) {
    if (isOnDevice()) {
      var _ = run(DeviceElementwise.axpy(operand, factor, x.operand));
    } else {
      set(this, x, (mine, other) -> mine.plus(factor.times(other)));
    }
  }

  /** Adds {@code factor * x} to each element. */
  public void axpy(double factor, ComplexArray x) {
    if (isOnDevice()) {
      axpy(new Complex(factor, 0), x);
    } else {
      set(this, x, (mine, other) -> mine.plus(other.times(factor)));
    }
  }

  /** Multiplies each element by a number. */
  public final void scale(Complex factor) {
    if (isOnDevice()) {
      var _ = run(DeviceElementwise.scale(operand, factor));
    } else {
      map(value -> value.times(factor));
    }
  }

  /** Returns the sum of all elements. */
  public final Complex sum() {
    return reduce(ReduceOp.SUM);
  }

  /** Returns the sum divided by the number of elements; NaN if there are none. */
  public final Complex mean() {
    return sum().times(1.0 / shape().count());
  }

  /** Returns the square root of the sum of squared absolute values. */
  public final double norm() {
    return Math.sqrt(reduce(value -> new Complex(value.squaredAbs(), 0), ReduceOp.SUM).re());
  }

  /** Returns the sum of {@code conjugate(this[i]) * other[i]}. */
  public final Complex dot(ComplexArray other) {
    return reduce(other, (a, b) -> a.conjugate().times(b), ReduceOp.SUM);
  }

  /**
   * Combines all elements. No elements are combined into what the operator starts with: 0 for a
   * sum, 1 for a product.
   */
  public final Complex reduce(ReduceOp op) {
    return value(run(Reduce.of(operand, null, Combination.of(op, type()))));
  }

  /**
   * Combines all elements in row-major order with an associative function.
   *
   * @throws IllegalStateException if there are no elements
   */
  public final Complex reduce(BinaryOperator<Complex> op) {
    return value(run(Reduce.of(operand, null, Combination.inOrder(op))));
  }

  /** Combines a function of each element; see {@link #reduce(ReduceOp)}. */
  public final Complex reduce(UnaryOperator<Complex> function, ReduceOp op) {
    return value(run(Reduce.of(operand, function, Combination.of(op, type()))));
  }

  /** Combines a function of each element and that of another array. */
  public final Complex reduce(ComplexArray other, BinaryOperator<Complex> pairing, ReduceOp op) {
    return value(run(Reduce.ofPairs(operand, other.operand, pairing, Combination.of(op, type()))));
  }

  /** Combines a function of each pair of elements, in row-major order of them. */
  public final Complex reduce(
      ComplexArray other, BinaryOperator<Complex> pairing, BinaryOperator<Complex> op) {
    return value(run(Reduce.ofPairs(operand, other.operand, pairing, Combination.inOrder(op))));
  }

  /** Sets each element to {@code initial} combined with those of {@code in} before it. */
  public final void scanBefore(ComplexArray in, Complex initial, ReduceOp op) {
    var _ = run(Scan.of(in.operand, operand, Combination.of(op, type()), words(initial)));
  }

  /** Sets each element to {@code initial} combined with those before it, by a function. */
  public final void scanBefore(ComplexArray in, Complex initial, BinaryOperator<Complex> op) {
    var _ = run(Scan.of(in.operand, operand, Combination.inOrder(op), words(initial)));
  }

  /**
   * Puts the elements that meet a condition before the others, both in the order they were in.
   *
   * @return how many meet it
   */
  public final long partition(Predicate<Complex> condition) {
    try (F64Array last = space().f64()) {
      forEach((element, value) -> last.set(space().index(element), condition.test(value) ? 0 : 1));
      last.sortWith(this);
      return last.count(key -> key == 0);
    }
  }

  @Override
  final String text() {
    return ArrayText.of(shape(), gather(0));
  }

  private long[] words(Complex value) {
    return Elements.of(type()).words(value);
  }

  private static Complex value(long... words) {
    return new Complex(Double.longBitsToDouble(words[0]), Double.longBitsToDouble(words[1]));
  }

  @Override
  BinaryOperator<Complex> difference() {
    return Complex::minus;
  }
}
