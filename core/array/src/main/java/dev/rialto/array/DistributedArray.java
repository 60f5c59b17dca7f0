package dev.rialto.array;

import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An array of any number of axes whose elements are divided among the ranks of a {@link Team}.
 *
 * <p>Each rank holds its part in one piece of memory: {@link #local} is that memory, and a loop
 * over it is the fastest way to work on it. Elements of other ranks are reached one by one with
 * {@link #get} and {@link #put}, where there are windows; or all at once by the algorithms.
 * Elements are numbered in row-major order of the shape.
 *
 * <p>Making, changing and closing an array is collective. Used by one thread of a rank at a time.
 */
public final class DistributedArray implements AutoCloseable {
  private final Team team;
  private final DType type;
  private final Halo.@Nullable Stencil stencil;
  private Decomposition decomposition;
  private Distribution distribution;
  private Storage storage;
  private LocalPart part;
  private View view;
  private long @Nullable [] numbers;
  private @Nullable Exchanger exchanger;
  private @Nullable Exchange halo;
  private boolean closed;

  DistributedArray(
      Team team,
      DType type,
      Shape shape,
      Decomposition decomposition,
      Halo.@Nullable Stencil stencil) {
    this.team = team;
    this.type = type;
    this.stencil = stencil;
    this.decomposition = decomposition;
    this.distribution = decomposition.divide(shape, team.communicator().size());
    if (stencil != null) {
      if (!(distribution instanceof Grid grid)) {
        throw new IllegalArgumentException(
            "a halo around " + distribution + "; divide the array in blocks");
      }
      // Refuses what cannot have a halo, before anything is allocated.
      var _ = Halo.stencil(grid, stencil, team.communicator().rank());
    }
    this.part = LocalPart.of(distribution, stencil, team.communicator().rank());
    this.storage = Storage.of(team.communicator(), type.bytes(part.span()));
    this.view = View.of(type, storage.memory(), distribution, part, team.communicator().rank());
  }

  /** Returns the team. */
  public Team team() {
    return team;
  }

  /** Returns the elements' type. */
  public DType type() {
    return type;
  }

  /** Returns the shape of the whole array. */
  public Shape shape() {
    return distribution.shape();
  }

  /** Returns how the array is divided. */
  public Decomposition decomposition() {
    return decomposition;
  }

  /** Returns which rank holds which element. */
  public Distribution distribution() {
    return distribution;
  }

  /**
   * Returns this rank's memory: the elements it owns and, where there is a halo, the copies around
   * them. It can be used until the array is redistributed, resized or closed.
   */
  public MemorySegment local() {
    checkOpen();
    return storage.memory();
  }

  /** Returns the extents of this rank's memory, halo and all. */
  public Shape localShape() {
    return part.shape();
  }

  /** Returns where in {@link #local} the elements lie that this rank owns. */
  public Layout owned() {
    return part.region().layout(type);
  }

  /**
   * Copies the elements that this rank owns, without gaps, in the order of its memory. The target
   * may be an array or a buffer: {@link MemorySegment#ofArray(double[])} and {@link
   * MemorySegment#ofBuffer} make segments of them.
   *
   * @throws IndexOutOfBoundsException if it has no room for them
   */
  public void copyTo(MemorySegment target) {
    long[] at = {0};
    MemorySegment memory = local();
    owned()
        .forEachRun(
            (from, bytes) -> {
              MemorySegment.copy(memory, from, target, at[0], bytes);
              at[0] += bytes;
            });
  }

  /** Sets the elements that this rank owns, as {@link #copyTo} gives them. */
  public void copyFrom(MemorySegment source) {
    long[] at = {0};
    MemorySegment memory = local();
    owned()
        .forEachRun(
            (to, bytes) -> {
              MemorySegment.copy(source, at[0], memory, to, bytes);
              at[0] += bytes;
            });
  }

  /** Returns the number of the element that is the {@code index}-th this rank owns in memory. */
  public long elementAt(long index) {
    return isInOrder() ? view.first() + index : numbers()[Math.toIntExact(index)];
  }

  /** Returns an element's number. */
  public long element(long... index) {
    Shape shape = shape();
    if (index.length != shape.rank()) {
      throw new IllegalArgumentException(
          "index " + Arrays.toString(index) + " into shape " + shape + "; give one per axis");
    }
    long element = 0;
    for (int axis = 0; axis < index.length; axis++) {
      if (index[axis] < 0 || index[axis] >= shape.extent(axis)) {
        throw new IndexOutOfBoundsException(
            "index " + Arrays.toString(index) + " is outside shape " + shape);
      }
      element = element * shape.extent(axis) + index[axis];
    }
    return element;
  }

  /**
   * Reads any element, wherever it is. Not collective. Needs {@link Capability#WINDOWS} unless this
   * rank owns it. What another rank writes at the same time is a race; see {@link #synchronize}.
   */
  public Scalar get(long... index) {
    return new Scalar(type, Elements.of(type).read(access(element(index)).read(type)));
  }

  /** Reads any element of any type into memory; see {@link #get(long...)}. */
  public void get(MemorySegment into, long... index) {
    Arguments.buffer(into, type, 1, "memory for an element");
    long address = access(element(index)).read(type);
    MemorySegment.copy(Elements.MEMORY, address, into, 0, type.size());
  }

  /** Writes an element, wherever it is; see {@link #get(long...)}. */
  public void put(double value, long... index) {
    put(Elements.of(type).words(value), index);
  }

  /** Writes an element of a complex type, wherever it is; see {@link #get(long...)}. */
  public void put(Complex value, long... index) {
    put(Elements.of(type).words(value), index);
  }

  private void put(long[] words, long[] index) {
    Elements elements = Elements.of(type);
    access(element(index)).write(type, address -> elements.write(address, words));
  }

  /** Writes an element of an integer type, wherever it is; see {@link #get(long...)}. */
  public void putLong(long value, long... index) {
    if (type.kind() != DType.Kind.INTEGER) {
      throw new IllegalArgumentException("a long into an array of " + type + "; put a double");
    }
    put(new long[] {value}, index);
  }

  /** Writes an element of any type from memory, wherever it is; see {@link #get(long...)}. */
  public void put(MemorySegment from, long... index) {
    Arguments.buffer(from, type, 1, "memory of an element");
    access(element(index))
        .write(type, address -> MemorySegment.copy(from, 0, Elements.MEMORY, address, type.size()));
  }

  private Storage.Place access(long element) {
    checkOpen();
    int owner = distribution.owner(element);
    LocalPart theirs =
        owner == team.communicator().rank() ? part : LocalPart.of(distribution, stencil, owner);
    return storage.place(owner, type.bytes(theirs.place(distribution.local(element))));
  }

  /** Returns when all ranks have called it and see what was put before. Collective. */
  public void synchronize() {
    checkOpen();
    storage.flush();
    team.communicator().barrier();
  }

  /** Begins to copy elements into the halo. Collective. */
  public void startHalo() {
    checkOpen();
    Exchange exchange = halo;
    if (exchange == null) {
      if (stencil == null) {
        throw new IllegalStateException("this array has no halo; make it with a stencil");
      }
      exchanger = Exchanger.on(team.communicator());
      exchange =
          exchanger.exchange(
              Halo.stencil((Grid) distribution, stencil, team.communicator().rank()), type);
      halo = exchange;
    }
    exchange.start(storage.memory(), storage.memory());
  }

  /** Waits for the halo; the owned elements may be read, but not written, in between. */
  public void awaitHalo() {
    Exchange exchange = halo;
    if (exchange == null) {
      throw new IllegalStateException("no halo is under way; start it first");
    }
    exchange.await();
  }

  /** Copies elements into the halo. Collective. */
  public void updateHalo() {
    startHalo();
    awaitHalo();
  }

  /** Divides the array in another way; every element keeps its value. */
  public Operation<DistributedArray> redistribute(Decomposition other) {
    return change("redistribute", shape(), other);
  }

  /**
   * Gives the array another shape of as many axes, divided in the same way; elements whose index
   * both shapes have keep their value, new ones are zero.
   */
  public Operation<DistributedArray> resize(Shape shape) {
    if (shape.rank() != shape().rank()) {
      throw new IllegalArgumentException(
          "resizing %s to %s; give as many axes".formatted(shape(), shape));
    }
    return change("resize", shape, decomposition);
  }

  private Operation<DistributedArray> change(String name, Shape shape, Decomposition other) {
    checkOpen();
    return Operation.collective(
        team,
        name,
        run -> {
          Communicator comm = team.communicator();
          Distribution changed = other.divide(shape, comm.size());
          LocalPart changedPart = LocalPart.of(changed, stencil, comm.rank());
          run.communicate(
              ranks -> {
                Storage fresh = Storage.of(ranks, type.bytes(changedPart.span()));
                Movement.move(
                    ranks,
                    type,
                    distribution,
                    part,
                    storage.memory(),
                    changed,
                    changedPart,
                    fresh.memory());
                release();
                decomposition = other;
                distribution = changed;
                part = changedPart;
                storage = fresh;
                view = View.of(type, fresh.memory(), changed, changedPart, comm.rank());
              });
          long[][] _ = run.gatherLast();
          return this;
        });
  }

  LocalPart part() {
    return part;
  }

  /** Returns this rank's part as loops see it. */
  View view() {
    checkOpen();
    return view;
  }

  long address() {
    return local().address();
  }

  /** Returns whether another array holds the same elements at the same places in order. */
  boolean isAlignedWith(DistributedArray other) {
    return shape().equals(other.shape())
        && (decomposition.equals(other.decomposition)
            || team.communicator().size() == 1
            || (isInOrder() && other.isInOrder() && view.hasCountsOf(other.distribution)));
  }

  /** Returns whether the elements lie in row-major order; see {@link View#isInOrder}. */
  boolean isInOrder() {
    return view.isInOrder();
  }

  private long[] numbers() {
    long[] known = numbers;
    if (known == null) {
      long[] elements = distribution.elements(team.communicator().rank());
      known = new long[elements.length];
      for (long element : elements) {
        known[Math.toIntExact(distribution.local(element))] = element;
      }
      numbers = known;
    }
    return known;
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException("this array of shape " + shape() + " is closed");
    }
  }

  private void release() {
    numbers = null;
    halo = null;
    if (exchanger != null) {
      exchanger.close();
      exchanger = null;
    }
    storage.close();
  }

  /** Gives the memory back, after operations that were started. Collective. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    team.finish();
    closed = true;
    release();
  }

  @Override
  public String toString() {
    return type + " array of " + distribution;
  }
}
