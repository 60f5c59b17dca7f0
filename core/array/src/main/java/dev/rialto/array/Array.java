package dev.rialto.array;

import dev.rialto.array.algorithm.Elementwise;
import dev.rialto.array.algorithm.HistogramCounts;
import dev.rialto.array.algorithm.Rearrange;
import dev.rialto.array.algorithm.Redistribution;
import dev.rialto.array.algorithm.Sort;
import dev.rialto.array.part.ArrayLoan;
import dev.rialto.array.part.ElementCopy;
import dev.rialto.array.part.KernelLoan;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.RemoteElements;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.jit.Node;
import dev.rialto.jit.kernel.KernelMemory;
import dev.rialto.jit.run.NodeMemory;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;

/**
 * An array of any number of axes whose elements are divided among the ranks of a {@link Team}.
 *
 * <p>There is a class for each sort of element: {@link RealArray}, {@link IntegerArray}, {@link
 * ComplexArray}; functions of elements are of doubles, longs and {@link Complex} numbers, and those
 * for each type, such as {@link F64Array}, read and write the elements this rank has by their
 * indices in the whole array.
 *
 * <p>Algorithms are collective: all ranks call the same ones on the same arrays in the same order.
 * Ranks that do not get a {@link dev.rialto.spi.error.MismatchException} that names both sides, and
 * the team can only be closed. If a function of the user's throws on one rank, that rank gets its
 * exception, the others {@link dev.rialto.spi.error.PeerFailedException}, and the arrays that were
 * to be written hold anything; the team can be used on. Those that take each element by itself are
 * loops of each rank's own as long as their arrays are divided alike.
 *
 * <p>Elements are numbered in row-major order of the shape. An array is <i>in order</i> if its
 * first axis alone is divided, in blocks. Making, changing and closing an array is collective. Used
 * by one thread of a rank at a time.
 */
public abstract sealed class Array implements NodeMemory, KernelMemory, AutoCloseable
    permits ElementArray {
  private final Team team;

  /** This array as operations see it. */
  final Operand operand;

  /** Describes an array, which {@link IndexSpace#array} gives its memory. */
  Array(IndexSpace space, DType type) {
    this.team = space.team();
    this.operand = new Operand(team.runtime(), this, space, space.stencil(), type);
  }

  final <R> R run(ArrayOperation<R> operation) {
    return team.runtime().run(operation);
  }

  /** Returns the team. */
  public final Team team() {
    return team;
  }

  /** Returns the elements' type. */
  public final DType type() {
    return operand.type();
  }

  /** Returns the indices, how they are divided, and the halo. */
  public final IndexSpace space() {
    return operand.space();
  }

  /** Returns the shape of the whole array. */
  public final Shape shape() {
    return operand.shape();
  }

  /** Returns which rank holds which element. */
  public final Distribution distribution() {
    return operand.distribution();
  }

  /**
   * Returns this rank's memory: the elements it owns and, where there is a halo, the copies around
   * them. It can be used until the array is redistributed, resized or closed.
   */
  public final MemorySegment local() {
    return operand.local();
  }

  /** Returns whether this array is in the memory of a device that the host cannot access. */
  public final boolean isOnDevice() {
    return operand.isOnDevice();
  }

  /**
   * Returns this rank's elements on its device, one after another in row-major order, or, where
   * there is a halo, among the copies around them as {@link #owned} tells; for kernels of one's
   * own. It can be used until the array is redistributed, resized or closed.
   *
   * @throws UnsupportedOperationException if it is on the host, where {@link #local} is its memory
   */
  public final Buffer buffer() {
    return operand.buffer();
  }

  /** Returns the extents of this rank's memory, halo and all. */
  public final Shape localShape() {
    return operand.layout().shape();
  }

  /** Returns where in {@link #local} the elements lie that this rank owns. */
  public final Layout owned() {
    return operand.owned();
  }

  /**
   * Copies the elements that this rank owns, without gaps, in the order of its memory. The target
   * may be an array or a buffer: {@link MemorySegment#ofArray(double[])} and {@link
   * MemorySegment#ofBuffer} make segments of them.
   *
   * @throws IndexOutOfBoundsException if it has no room for them
   */
  public final void copyTo(MemorySegment target) {
    ElementCopy.read(operand, target);
  }

  /** Sets the elements that this rank owns, as {@link #copyTo} gives them. */
  public final void copyFrom(MemorySegment source) {
    ElementCopy.write(operand, source);
  }

  /**
   * Returns the number of the element that is the {@code index}-th this rank owns in memory.
   *
   * @throws IndexOutOfBoundsException if it owns fewer
   */
  public final long elementAt(long index) {
    long count = operand.layout().count();
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException(
          "element %d in the memory of a rank that owns %d of %s".formatted(index, count, this));
    }
    return operand.elementAt(index);
  }

  /** Returns an element's number; see {@link IndexSpace#element}. */
  public final long element(long... index) {
    return operand.element(index);
  }

  // --- Elements -------------------------------------------------------------------------------

  /** Returns this rank's memory, for the places that follow. */
  final MemorySegment memory() {
    return operand.memory();
  }

  /** Returns where an element lies that this rank has, in bytes. */
  final long offset(long i) {
    long place = operand.box().place(i);
    return (place >= 0 ? place : operand.placeOutside(i)) * type().size();
  }

  /** Returns where an element lies that this rank has, in bytes. */
  final long offset(long i, long j) {
    long place = operand.box().place(i, j);
    return (place >= 0 ? place : operand.placeOutside(i, j)) * type().size();
  }

  /** Returns where an element lies that this rank has, in bytes. */
  final long offset(long i, long j, long k) {
    long place = operand.box().place(i, j, k);
    return (place >= 0 ? place : operand.placeOutside(i, j, k)) * type().size();
  }

  /** Returns when all ranks have called it and see what was put before. Collective. */
  public final void synchronize() {
    RemoteElements.flush(operand);
    team.communicator().barrier();
  }

  /**
   * Prints the array on rank 0 as NumPy does: rows in brackets, large ones with dots in their
   * middle. Collective.
   */
  public final void print() {
    String text = team.exclusively("print", this::text);
    if (team.communicator().rank() == 0) {
      System.out.println(text);
    }
  }

  /** Returns what {@link #print} prints, on rank 0, and nothing elsewhere. Collective. */
  abstract String text();

  // --- Halo -----------------------------------------------------------------------------------

  /** Begins to copy elements into the halo. Collective. */
  public final void startHalo() {
    operand.halo("starting the halo of").start(operand);
  }

  /**
   * Chooses how the halo travels, such as {@code shared} or {@code datatype/fused}, until the array
   * is divided in another way. Arrays made {@linkplain #like like} this one have the same scheme.
   * Collective.
   *
   * @throws IllegalArgumentException if there is no such scheme, with those there are
   * @throws UnsupportedOperationException if it cannot be used here
   * @throws dev.rialto.spi.error.MismatchException if ranks choose different ones
   */
  public final void haloScheme(String text) {
    operand.halo("choosing a scheme for the halo of").scheme(operand, Scheme.parse(text));
  }

  /** Returns the scheme that was chosen for the halo; empty for the engine's own choice. */
  public final Optional<Scheme> haloScheme() {
    return operand.part().halo.scheme();
  }

  /**
   * Times the schemes that can fill this array's halo here, with the team's {@linkplain Team#tuner
   * tuner}, and keeps the fastest. The halo is updated on the way. Collective.
   *
   * @return what was timed
   */
  public final Tuned tuneHalo(Effort effort) {
    return operand.halo("tuning the halo of").tune(operand, effort);
  }

  /** Waits for the halo; the owned elements may be read, but not written, in between. */
  public final void awaitHalo() {
    operand.part().halo.await(operand);
  }

  /** Copies elements into the halo. Collective. */
  public final void updateHalo() {
    startHalo();
    awaitHalo();
  }

  // --- Algorithms of all types ----------------------------------------------------------------

  /** Makes another array of the same type in the same space. Collective. */
  public abstract Array like();

  /** Sets all elements to those of an array of the same shape and type, divided in any way. */
  public final void copy(Array from) {
    var _ = run(Elementwise.copy(from.operand, operand));
  }

  /**
   * Exchanges all elements, halos included, with an array of the same space and type, without a
   * copy: both exchange their memory. Views of either are made anew. All ranks do it.
   *
   * @throws IllegalArgumentException if the other array's space or type is another
   * @throws IllegalStateException if a halo is under way, or one is a node of a program's context
   */
  public final void swap(Array other) {
    operand.swap(other.operand);
  }

  /**
   * Sorts, the smallest first in row-major order of the whole array; each rank holds as many
   * elements as before. -0.0 comes before 0.0 and NaN last. Up to 2^31-9 elements on each rank.
   *
   * @throws IllegalArgumentException if elements are complex
   */
  public final void sort() {
    var _ = run(Sort.of(operand, false));
  }

  /** Sorts, the largest first; see {@link #sort}. */
  public final void sortDescending() {
    var _ = run(Sort.of(operand, true));
  }

  /**
   * Sorts and puts the elements of other arrays in the same order; those with equal keys stay in
   * the order they were in; see {@link #sort}. A zip is not sorted itself: it tells the order of
   * the others.
   *
   * @param values arrays of the same shape, of any type and divided in any way
   */
  public final void sortWith(Array... values) {
    var _ = run(Sort.byKey(operand, ElementArray.operands(values)));
  }

  /**
   * Moves elements along the row-major order of the whole array: each gets what was {@code shift}
   * after it, those at the end what was at the beginning.
   */
  public final void rotate(long shift) {
    var _ = run(Rearrange.rotate(operand, shift));
  }

  /**
   * Counts elements in intervals. Interval {@code i} begins at {@code low + i * (high - low) /
   * intervals}, which belongs to it; {@code high} belongs to the last one.
   *
   * @throws IllegalArgumentException if there are no intervals, they have no width, or elements are
   *     complex
   */
  public final Histogram histogram(double low, double high, int intervals) {
    long[] counts = run(HistogramCounts.of(operand, low, high, intervals));
    return new Histogram(low, high, Arrays.copyOf(counts, intervals), counts[intervals]);
  }

  /** Divides the array in another way; every element keeps its value. */
  public final void redistribute(Decomposition other) {
    var _ = run(Redistribution.of(operand, "redistribute", space().divided(other)));
  }

  /**
   * Gives the array another shape of as many axes, divided in the same way; elements whose index
   * both shapes have keep their value, new ones are zero.
   */
  public final void resize(long... shape) {
    var _ = run(Redistribution.of(operand, "resize", space().resized(Shape.of(shape))));
  }

  // --- Views ----------------------------------------------------------------------------------

  /**
   * Returns a part of this array along an axis, as an array on the same memory: what is written to
   * one is seen in the other. Each rank has what it owns of the part. It can be used until this
   * array is redistributed, resized or closed. Collective, as making an array is.
   *
   * @param from the first index
   * @param to the one after the last
   * @throws UnsupportedOperationException if this array is not divided in blocks
   */
  public Array slice(int axis, long from, long to) {
    return slice(axis, from, to, 1);
  }

  /**
   * Returns every {@code step}-th index of a part of this array, on the same memory; see {@link
   * #slice(int, long, long)}. Loops of the host take such elements one by one.
   *
   * @param step the distance from one index to the next, from 1
   */
  public Array slice(int axis, long from, long to, long step) {
    return Operands.slice(operand, axis, from, to, step).array();
  }

  /**
   * Returns this array with its axes in another order, on the same memory; see {@link #slice}.
   *
   * @param axes each axis of this array once: the first becomes the first of the view
   * @throws UnsupportedOperationException if several of this array's axes are divided
   */
  public Array transposed(int... axes) {
    return Operands.transposed(operand, axes).array();
  }

  final Array zip(Array other, Object function) {
    return Operands.zip(operand, other.operand, function).array();
  }

  /**
   * Lends this rank's part, as {@link #localShape} has it, to be a node of a program's context,
   * which reads and writes it in place. The array is neither closed nor divided anew before the
   * context is closed.
   *
   * @throws IllegalArgumentException if the node's type or shape is another, this is on another
   *     device, a view, or not in row-major order
   */
  @Override
  public final Loan lend(Node node, ComputeDevice device) {
    return ArrayLoan.of(operand, node, device);
  }

  /**
   * Lends what this rank owns to a {@linkplain Team#kernels kernel}, which counts indices from the
   * first that the rank owns. Where there is a halo or a step, it uses one index for each axis.
   */
  @Override
  public final Lent lend(ComputeDevice device) {
    return KernelLoan.of(operand, false, device);
  }

  /**
   * Returns this rank's part with its halo, as {@link #localShape} has it, for a {@linkplain
   * Team#kernels kernel}, which counts indices from the first of the halo.
   */
  public final KernelMemory withHalo() {
    return device -> KernelLoan.of(operand, true, device);
  }

  /** Returns whether this shows elements of another array, or is computed of others. */
  public final boolean isView() {
    return operand.isView() || operand.zip() != null;
  }

  /** Returns whether some memory is in both arrays, of which one may be a view of the other. */
  public final boolean overlaps(Array other) {
    return Operands.overlap(operand, other.operand);
  }

  /**
   * Gives the memory back, after work that was started. All ranks do it, and none waits for the
   * others: what these may read is given back with the next thing that all do together, such as
   * making an array.
   *
   * @throws IllegalStateException if a halo is under way, which reads and writes the memory, or it
   *     is a node of a program's context
   */
  @Override
  public final void close() {
    operand.close();
  }

  /** Returns what this array is, in words that are the same on all ranks. */
  @Override
  public final String toString() {
    return operand.toString();
  }
}
