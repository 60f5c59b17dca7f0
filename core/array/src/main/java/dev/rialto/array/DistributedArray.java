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
import dev.rialto.spi.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
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
  private final int number;
  private final Halo.@Nullable Stencil stencil;
  private Decomposition decomposition;
  private Distribution distribution;
  private @Nullable Storage storage;
  private LocalPart part;
  private @Nullable View view;
  private long @Nullable [] numbers;
  private @Nullable Exchanger exchanger;
  private @Nullable Exchange halo;
  private boolean halosFly;
  private boolean closed;
  private long signature;

  /** The operation that was started and still uses this array, or null. */
  private volatile @Nullable String pending;

  /** Describes an array, which {@link #allocate} gives its memory. */
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
    this.number = team.nextArray();
    this.signature = sign();
  }

  /** Gives this array its memory. Collective. */
  DistributedArray allocate() {
    Storage made = Storage.of(team.communicator(), type.bytes(part.span()));
    storage = made;
    view = View.of(type, made.memory(), distribution, part, team.communicator().rank());
    return this;
  }

  /** Returns a number that is the same on all ranks for the same array, divided in one way. */
  long signature() {
    return signature;
  }

  private long sign() {
    long hash = Run.hash(describe());
    for (int rank = 0; rank < distribution.ranks(); rank++) {
      hash = Run.mix(hash, distribution.localCount(rank));
    }
    return hash;
  }

  /** Returns what this array is, in words that are the same on all ranks. */
  String describe() {
    return "%s array %d of %s, %s%s"
        .formatted(
            type,
            number,
            distribution.shape(),
            Decomposition.describe(decomposition),
            stencil == null ? "" : ", with a halo");
  }

  /** Sets the operation that was started and uses this array. */
  void pending(@Nullable String operation) {
    pending = operation;
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
    return usable("using the memory of").memory();
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
    HostMemory.requireWritable(target, owned().bytes(), "the target");
    copyOwned(local(), target);
  }

  /** Copies the elements that this rank owns to memory that has room for them. */
  void copyOwned(MemorySegment memory, MemorySegment target) {
    long[] at = {0};
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
    HostMemory.requireReadable(source, owned().bytes(), "the source");
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
    return isInOrder() ? view().first() + index : numbers()[Math.toIntExact(index)];
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

  /**
   * Writes an element, wherever it is; see {@link #get(long...)}.
   *
   * @throws IllegalArgumentException if elements are integers and the value is none of them
   */
  public void put(double value, long... index) {
    put(Elements.of(type).words(value), index);
  }

  /** Writes a whole number, of which integers of 64 bits keep all; see {@link #get(long...)}. */
  public void put(long value, long... index) {
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

  /** Writes an element of any type from memory, wherever it is; see {@link #get(long...)}. */
  public void put(MemorySegment from, long... index) {
    Arguments.buffer(from, type, 1, "memory of an element");
    access(element(index))
        .write(type, address -> MemorySegment.copy(from, 0, Elements.MEMORY, address, type.size()));
  }

  private Storage.Place access(long element) {
    Storage storage = usable("reading or writing");
    int owner = distribution.owner(element);
    LocalPart theirs =
        owner == team.communicator().rank() ? part : LocalPart.of(distribution, stencil, owner);
    return storage.place(owner, type.bytes(theirs.place(distribution.local(element))));
  }

  /** Returns when all ranks have called it and see what was put before. Collective. */
  public void synchronize() {
    usable("synchronizing").flush();
    team.communicator().barrier();
  }

  /** Begins to copy elements into the halo. Collective. */
  public void startHalo() {
    MemorySegment memory = usable("starting the halo of").memory();
    if (halosFly) {
      throw new IllegalStateException(
          "the halo of " + describe() + " is under way already; await it first");
    }
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
    exchange.start(memory, memory);
    halosFly = true;
  }

  /** Waits for the halo; the owned elements may be read, but not written, in between. */
  public void awaitHalo() {
    Exchange exchange = halo;
    if (exchange == null || !halosFly) {
      throw new IllegalStateException("no halo of " + describe() + " is under way; start it first");
    }
    halosFly = false;
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
    return Operation.<DistributedArray>collective(
            team,
            name,
            run -> {
              checkNoHalo(name);
              View old = view();
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
                        old.memory(),
                        changed,
                        changedPart,
                        fresh.memory());
                    release(true);
                    decomposition = other;
                    distribution = changed;
                    part = changedPart;
                    storage = fresh;
                    view = View.of(type, fresh.memory(), changed, changedPart, comm.rank());
                    signature = sign();
                  });
              long[][] _ = run.gatherLast();
              return this;
            })
        .about(this, shape, Decomposition.describe(other));
  }

  LocalPart part() {
    return part;
  }

  /** Returns this rank's part as loops see it. */
  View view() {
    checkOpen();
    return Objects.requireNonNull(view);
  }

  long address() {
    return view().memory().address();
  }

  /** Returns whether another array holds the same elements at the same places in order. */
  boolean isAlignedWith(DistributedArray other) {
    return shape().equals(other.shape())
        && (decomposition.equals(other.decomposition)
            || team.communicator().size() == 1
            || (isInOrder() && other.isInOrder() && view().hasCountsOf(other.distribution)));
  }

  /** Returns whether the elements lie in row-major order; see {@link View#isInOrder}. */
  boolean isInOrder() {
    return view().isInOrder();
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
      throw new IllegalStateException(
          describe() + " is closed; keep it open as long as it is used");
    }
  }

  /** Returns the memory, if no operation uses it that was started. */
  private Storage usable(String purpose) {
    checkOpen();
    String operation = pending;
    if (operation != null) {
      throw new IllegalStateException(
          "%s %s while '%s' is under way; await that first"
              .formatted(purpose, describe(), operation));
    }
    return Objects.requireNonNull(storage);
  }

  private void checkNoHalo(String purpose) {
    if (halosFly) {
      throw new IllegalStateException(
          purpose + " of " + describe() + " while its halo is under way; await it first");
    }
  }

  private void release(boolean together) {
    numbers = null;
    halo = null;
    try {
      if (exchanger != null && together) {
        exchanger.close();
      }
    } finally {
      exchanger = null;
      Objects.requireNonNull(storage).close(together);
    }
  }

  /**
   * Gives the memory back, after operations that were started. Collective, unless ranks have
   * failed: then each closes for itself.
   *
   * @throws IllegalStateException if a halo is under way, which reads and writes the memory
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    checkNoHalo("closing");
    try {
      boolean _ = team.leave("closing " + describe());
    } finally {
      closed = true;
      release(team.closesTogether());
    }
  }

  @Override
  public String toString() {
    return describe();
  }
}
