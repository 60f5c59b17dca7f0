package dev.rialto.array;

import dev.rialto.array.algorithm.Elementwise;
import dev.rialto.array.algorithm.Reduce;
import dev.rialto.array.algorithm.Scan;
import dev.rialto.array.algorithm.Select;
import dev.rialto.array.algorithm.Sort;
import dev.rialto.array.algorithm.Stencil;
import dev.rialto.array.algorithm.Unique;
import dev.rialto.array.device.DeviceElementwise;
import dev.rialto.array.loop.Combination;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.RemoteElements;
import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongBinaryOperator;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import java.util.function.ToLongFunction;

/**
 * An array of integers, which wrap around. Functions of its elements are of longs, cut to the type
 * when they are stored.
 *
 * <p>Each function in the source gets a copy of the loop of its own, with the function compiled
 * into it. Functions are called from several threads at once where the team has an executor.
 * Reductions give the same bits on all ranks, each time, whatever the number of threads; divided
 * among another number of ranks a sum of floating-point numbers may differ by rounding.
 */
public abstract sealed class IntegerArray
    extends ElementArray<
        IntegerArray,
        IntegerArray.Unary,
        IntegerArray.Binary,
        IntegerArray.Many,
        IntegerArray.Condition,
        IntegerArray.Visitor>
    permits I64Array, I32Array, I8Array {
  /** A function of an element. It is serializable so that its code can be found for a device. */
  @FunctionalInterface
  public interface Unary extends LongUnaryOperator, Serializable {}

  /** A function of two elements; see {@link Unary}. */
  @FunctionalInterface
  public interface Binary extends LongBinaryOperator, Serializable {}

  /** A function of a list of elements, one of each operand; see {@link Unary}. */
  @FunctionalInterface
  public interface Many extends ToLongFunction<long[]>, Serializable {}

  /** An order of elements; see {@link Unary}. */
  @FunctionalInterface
  public interface Comparison extends Serializable {
    /** Returns a negative number if an element comes before another, a positive one if after. */
    int compare(long a, long b);
  }

  /** A condition that an element meets or not; see {@link Unary}. */
  @FunctionalInterface
  public interface Condition extends LongPredicate, Serializable {}

  /** A value for each index, or number of an element; see {@link Unary}. */
  @FunctionalInterface
  public interface At1 extends LongUnaryOperator, Serializable {}

  /** A value for each pair of indices. */
  @FunctionalInterface
  public interface At2 extends Serializable {
    /** Returns the value of an element. */
    long at(long i, long j);
  }

  /** A value for each three indices. */
  @FunctionalInterface
  public interface At3 extends Serializable {
    /** Returns the value of an element. */
    long at(long i, long j, long k);
  }

  /** Something done with each element. */
  @FunctionalInterface
  public interface Visitor {
    /** Takes an element's number, in row-major order of the whole array, and its value. */
    void visit(long element, long value);
  }

  IntegerArray(IndexSpace space, DType type) {
    super(space, type);
  }

  /**
   * Reads any element, wherever it is. Not collective. Needs {@link Capability#WINDOWS} unless this
   * rank owns it. What another rank writes at the same time is a race; see {@link #synchronize}.
   */
  public final long fetch(long... index) {
    return value(RemoteElements.fetch(operand, index));
  }

  /** Writes an element, wherever it is; see {@link #fetch}. */
  public final void put(long value, long... index) {
    RemoteElements.put(operand, Elements.of(type()).words(value), index);
  }

  /**
   * Returns all elements in row-major order on one rank, and none on the others. Collective.
   *
   * @throws IllegalStateException on all ranks if there are more than 2^31-9 elements
   */
  public final long[] gather(int root) {
    return gathered(
        root,
        (elements, address, count) -> {
          long[] values = new long[count];
          Arrays.setAll(values, i -> elements.get(address, i));
          return values;
        });
  }

  /** Sets every element to a value. */
  public final void fill(long value) {
    var _ = run(Elementwise.fill(operand, Elements.of(type()).words(value)));
  }

  /** Sets every element to a function of its number, in row-major order of the whole array. */
  public final void generate(At1 function) {
    var _ = run(Elementwise.generate(operand, function));
  }

  /**
   * Sets every element of an array of one axis to a function of its index, which may read other
   * arrays with {@code get}: what this rank owns of them and has in their halos. It may read the
   * element that it sets; another is refused, as it may be set before that or later.
   *
   * <p>On a device the function is compiled, and reads arrays there. An index that this rank does
   * not have fails the launch, with the function's line.
   *
   * @param halos arrays whose neighbouring elements the function reads: their halos are updated
   *     first, on the host while elements are computed that need none. Without them the caller
   *     updates halos
   * @throws dev.rialto.spi.error.CompilationException if a device cannot run the function, with its
   *     file and line
   * @throws IllegalArgumentException if the function uses another element of this array
   * @throws IndexOutOfBoundsException if the function reads an element that this rank does not have
   */
  public final void set(At1 function, Array... halos) {
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

  /**
   * Returns an array whose elements are a function of those of this array and another, computed
   * whenever they are read: sums, scans, searches and all else that only reads take it, without a
   * copy. It can be read as long as both arrays are neither redistributed, resized nor closed, and
   * zipped with a third. Collective, as making an array is.
   *
   * @throws IllegalArgumentException if the arrays are not divided alike
   */
  public final IntegerArray zip(IntegerArray other, Binary function) {
    return (IntegerArray) super.zip(other, function);
  }

  /** Adds {@code factor * x} to each element. */
  public final void axpy(long factor, IntegerArray x) {
    if (Operands.anyOnDevice(operand, x.operand) && x != this) {
      var _ = run(DeviceElementwise.axpy(operand, factor, x.operand));
      return;
    }
    set(this, x, (mine, other) -> mine + factor * other);
  }

  /** Multiplies each element by a number. */
  public final void scale(long factor) {
    if (isOnDevice()) {
      var _ = run(DeviceElementwise.scale(operand, factor));
      return;
    }
    map(value -> value * factor);
  }

  /** Returns the sum of all elements. */
  public final long sum() {
    return reduce(ReduceOp.SUM);
  }

  /** Returns the smallest element. */
  public final long min() {
    return reduce(ReduceOp.MIN);
  }

  /** Returns the largest element. */
  public final long max() {
    return reduce(ReduceOp.MAX);
  }

  /** Returns the sum of {@code this[i] * other[i]}. */
  public final long dot(IntegerArray other) {
    return reduce(other, product(), ReduceOp.SUM);
  }

  /** Returns the function that loops know how to do with vectors. */
  private Binary product() {
    return (Binary) Combination.of(ReduceOp.PRODUCT, type()).function();
  }

  /**
   * Combines all elements. No elements are combined into what the operator starts with: 0 for a
   * sum, 1 for a product, the largest number for the smallest element and the other way round.
   */
  public final long reduce(ReduceOp op) {
    return value(run(Reduce.of(operand, null, Combination.of(op, type()))));
  }

  /**
   * Combines all elements in row-major order with an associative function.
   *
   * @throws IllegalStateException if there are no elements
   */
  public final long reduce(Binary op) {
    return value(run(Reduce.of(operand, null, Combination.inOrder(op))));
  }

  /** Combines a function of each element; see {@link #reduce(ReduceOp)}. */
  public final long reduce(Unary function, ReduceOp op) {
    return value(run(Reduce.of(operand, function, Combination.of(op, type()))));
  }

  /** Combines a function of each element and that of another array. */
  public final long reduce(IntegerArray other, Binary pairing, ReduceOp op) {
    return value(run(Reduce.ofPairs(operand, other.operand, pairing, Combination.of(op, type()))));
  }

  /** Combines a function of each pair of elements, in row-major order of them. */
  public final long reduce(IntegerArray other, Binary pairing, Binary op) {
    return value(run(Reduce.ofPairs(operand, other.operand, pairing, Combination.inOrder(op))));
  }

  /**
   * The smallest and the largest element, and where they are; of equal ones, the first.
   *
   * @param min the smallest value
   * @param minElement its element's number
   * @param max the largest value
   * @param maxElement its element's number
   */
  public record MinMax(long min, long minElement, long max, long maxElement) {}

  /**
   * Finds the smallest and the largest element.
   *
   * @throws IllegalStateException if there are no elements
   */
  public final MinMax minMax() {
    long[] found = run(Reduce.minMax(operand));
    return new MinMax(value(found[0]), found[1], value(found[2]), found[3]);
  }

  /** Sets each element to {@code initial} combined with those of {@code in} before it. */
  public final void scanBefore(IntegerArray in, long initial, ReduceOp op) {
    var _ = run(Scan.of(in.operand, operand, Combination.of(op, type()), words(initial)));
  }

  /** Sets each element to {@code initial} combined with those before it, by a function. */
  public final void scanBefore(IntegerArray in, long initial, Binary op) {
    var _ = run(Scan.of(in.operand, operand, Combination.inOrder(op), words(initial)));
  }

  /**
   * Puts the elements that meet a condition before the others, both in the order they were in.
   *
   * @return how many meet it
   */
  public final long partition(Condition condition) {
    try (I64Array last = space().i64()) {
      last.set(this, value -> condition.test(value) ? 0 : 1);
      last.sortWith(this);
      return last.count(key -> key == 0);
    }
  }

  /**
   * Sorts in an order of the caller's; elements that it finds equal stay in the order they were in.
   *
   * @param order of all elements: of two it finds one before the other or both equal, and if one is
   *     before a second and that before a third, then the first is before the third
   */
  public final void sort(Comparison order) {
    var _ = run(Sort.by(operand, order));
  }

  /**
   * Sorts by a function of each element, the smallest first; those with equal ones stay in order.
   */
  public final void sortBy(Unary key) {
    try (I64Array keys = space().i64()) {
      keys.set(this, key);
      keys.sortWith(this);
    }
  }

  /**
   * Returns the element that would be at place {@code n} if all were sorted, from 0.
   *
   * @throws IndexOutOfBoundsException if there are not so many elements
   */
  public final long nth(long n) {
    return value(run(Select.nth(operand, n)));
  }

  /**
   * An element that was found.
   *
   * @param element its number
   * @param value its value
   */
  public record Found(long element, long value) {}

  /**
   * Returns the {@code k} largest elements, the largest first and of equal ones the first. Every
   * rank gets them, so {@code k} should be small; all if there are fewer.
   */
  public final List<Found> largest(int k) {
    return found(k, true);
  }

  /** Returns the {@code k} smallest elements, the smallest first; see {@link #largest}. */
  public final List<Found> smallest(int k) {
    return found(k, false);
  }

  private List<Found> found(int k, boolean largest) {
    return run(Select.top(operand, k, largest)).stream()
        .map(each -> new Found(each[1], value(each[0])))
        .toList();
  }

  /**
   * Returns a new array of one axis with each value once, ascending. It is the caller's, and each
   * rank holds as many of its elements as came out there.
   */
  public final IntegerArray unique() {
    return (IntegerArray) run(Unique.of(operand)).array();
  }

  @Override
  final String text() {
    return ArrayText.of(shape(), gather(0));
  }

  private long[] words(long value) {
    return Elements.of(type()).words(value);
  }

  private static long value(long... words) {
    return words[0];
  }

  @Override
  final Binary difference() {
    return (x, before) -> x - before;
  }
}
