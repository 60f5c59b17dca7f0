package dev.rialto.array;

import dev.rialto.array.algorithm.Elementwise;
import dev.rialto.array.algorithm.Rearrange;
import dev.rialto.array.algorithm.Scan;
import dev.rialto.array.algorithm.Search;
import dev.rialto.array.loop.Combination;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The algorithms of an array that are the same for reals, integers and complex numbers; functions
 * are of whatever its elements are.
 *
 * @param <A> arrays of such elements
 * @param <U> functions of an element
 * @param <B> functions of two elements
 * @param <M> functions of a list of elements
 * @param <C> conditions that an element meets or not
 * @param <V> visitors of elements
 */
public abstract sealed class ElementArray<A extends Array, U, B, M, C, V> extends Array
    permits RealArray, IntegerArray, ComplexArray {
  ElementArray(IndexSpace space, DType type) {
    super(space, type);
  }

  @SuppressWarnings("unchecked") // an array of this one's type
  private A cast(Operand made) {
    return (A) made.array();
  }

  @Override
  public abstract A like();

  final A another() {
    A made = cast(space().array(type()).operand);
    made.operand.part().halo.scheme(operand.part().halo);
    return made;
  }

  @Override
  @SuppressWarnings("unchecked")
  public A slice(int axis, long from, long to) {
    return (A) super.slice(axis, from, to);
  }

  @Override
  @SuppressWarnings("unchecked")
  public A slice(int axis, long from, long to, long step) {
    return (A) super.slice(axis, from, to, step);
  }

  @Override
  @SuppressWarnings("unchecked")
  public A transposed(int... axes) {
    return (A) super.transposed(axes);
  }

  /** Calls a visitor with each element's number and value, on the rank that owns it. */
  public final void forEach(V visitor) {
    var _ = run(Elementwise.forEach(operand, visitor));
  }

  /** Sets each element to a function of itself. */
  public final void map(U function) {
    var _ = run(Elementwise.transform(operand, operand, function));
  }

  /** Sets each element to a function of that of another array, divided in any way. */
  public final void set(A in, U function) {
    var _ = run(Elementwise.transform(in.operand, operand, function));
  }

  /** Sets each element to a function of those of two arrays; this may be one of them. */
  public final void set(A a, A b, B function) {
    var _ = run(Elementwise.transform(a.operand, b.operand, operand, function));
  }

  /**
   * Sets each element to a function of those of any number of arrays.
   *
   * @param function takes an array of the elements, in the order of the operands; not to be kept
   */
  @SafeVarargs
  public final void combine(M function, A first, A... more) {
    var _ = run(Elementwise.transformMany(function, operand, first.operand, operands(more)));
  }

  /** Sets each element to the combination of those of {@code in} up to the same number. */
  public final void scan(A in, ReduceOp op) {
    var _ = run(Scan.of(in.operand, operand, Combination.of(op, type())));
  }

  /** Sets each element to the combination of those up to it, by an associative function. */
  public final void scan(A in, B op) {
    var _ = run(Scan.of(in.operand, operand, Combination.inOrder(op)));
  }

  /**
   * Returns a new array of one axis with the elements that meet a condition, in their order. It is
   * the caller's, and each rank holds as many of its elements as came from there.
   */
  public final A copyIf(C condition) {
    return cast(run(Rearrange.copyIf(operand, operand, condition)));
  }

  /**
   * Returns a new array of one axis with the elements at whose places those of another array meet a
   * condition; see {@link #copyIf(Object)}.
   */
  public final A copyIf(A by, C condition) {
    return cast(run(Rearrange.copyIf(operand, by.operand, condition)));
  }

  /** Sets each element to that of another array less the one before it; the first stays. */
  public final void setDifferences(A in) {
    var _ = run(Rearrange.adjacent(in.operand, operand, difference()));
  }

  /** Returns the number of the first element that meets a condition, if any does. */
  public final OptionalLong find(C condition) {
    return run(Search.find(operand, condition));
  }

  /** Counts the elements that meet a condition. */
  public final long count(C condition) {
    return run(Search.count(operand, condition));
  }

  /** Tells whether all elements meet a condition; stops soon after one that does not. */
  public final boolean all(C condition) {
    return run(Search.all(operand, condition));
  }

  /** Tells whether some element meets a condition; stops soon after one that does. */
  public final boolean any(C condition) {
    return run(Search.any(operand, condition));
  }

  /** Tells whether no element meets a condition; stops soon after one that does. */
  public final boolean none(C condition) {
    return run(Search.none(operand, condition));
  }

  /** Returns the function that subtracts the second of two elements from the first. */
  abstract B difference();

  /** Makes a Java array of elements that lie one after another. */
  interface Reader<R> {
    R read(Elements elements, long address, int count);
  }

  /** Returns what a reader makes of all elements on one rank, of none elsewhere. Collective. */
  final <R> R gathered(int root, Reader<R> reader) {
    if (shape().count() > Integer.MAX_VALUE - 8) {
      throw new IllegalStateException(
          "%d elements to gather in a Java array; the most is 2^31-9, gather a slice or save them"
              .formatted(shape().count()));
    }
    int count = (int) shape().count();
    Communicator comm = team().communicator();
    Decomposition onRoot = Decomposition.of(Distribution.onOne(shape(), comm.size(), root));
    IndexSpace space = team().space(shape().extents()).onHost().divided(onRoot);
    return team()
        .exclusively(
            "gather",
            () -> {
              try (Array all = space.array(type())) {
                all.copy(this);
                return reader.read(
                    Elements.of(type()), all.operand.address(), comm.rank() == root ? count : 0);
              }
            });
  }

  /** Returns arrays as operations see them. */
  static Operand[] operands(Array... arrays) {
    return Stream.of(arrays).map(array -> array.operand).toArray(Operand[]::new);
  }
}
