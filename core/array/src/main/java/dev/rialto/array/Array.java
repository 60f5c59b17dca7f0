package dev.rialto.array;

import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.jit.Node;
import dev.rialto.jit.run.NodeMemory;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

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
public abstract sealed class Array implements NodeMemory, AutoCloseable
    permits RealArray, IntegerArray, ComplexArray {
  private final Team team;
  private final DType type;
  private final int number;
  private Held held;
  private long signature;
  private boolean closed;

  /** What this shows of another array, if it is a view. */
  private @Nullable Viewed viewed;

  /** What this computes, if it is a zip. */
  private @Nullable Zip zip;

  /** The arrays in this one's memory that work uses which was started: itself, or its views. */
  private final List<Array> inUse = new CopyOnWriteArrayList<>();

  /** Describes an array, which {@link #reserve} gives its memory. */
  Array(IndexSpace space, DType type) {
    this.team = space.team();
    this.type = type;
    this.held = new Held(space, type);
    this.number = team.nextArray();
    this.signature = sign();
  }

  /**
   * Takes memory on this rank, which {@link #share} opens to others or {@link #discard} gives back.
   */
  Array reserve() {
    var _ = held.reserve(toString());
    return this;
  }

  /** Opens this array's memory to the other ranks. Collective. */
  Array share() {
    held.share();
    return this;
  }

  /** Becomes a view. */
  void show(Viewed of) {
    viewed = of;
    held = new Held(held.space, type, of);
    signature = sign();
  }

  /** Becomes a zip. */
  void show(Zip of) {
    zip = of;
    held = new Held(held.space, type, isOnDevice() ? Elements.of(type) : of.elements());
    signature = sign();
  }

  /** Gives back memory that no other rank has seen. */
  void discard() {
    closed = true;
    held.close(false);
  }

  /** Returns a number that is the same on all ranks for the same array, divided in one way. */
  long signature() {
    return signature;
  }

  private long sign() {
    long hash = OperationRunner.hash(toString());
    Distribution distribution = held.distribution;
    for (int rank = 0; rank < distribution.ranks(); rank++) {
      hash = OperationRunner.mix(hash, distribution.localCount(rank));
    }
    return hash;
  }

  /** Remembers that work was started which uses this array, or has ended. */
  void claim(boolean begins) {
    if (zip != null) {
      zip.first().claim(begins);
      zip.second().claim(begins);
    } else if (begins) {
      whole().inUse.add(this);
    } else {
      whole().inUse.remove(this);
    }
  }

  /** Returns the team. */
  public final Team team() {
    return team;
  }

  /** Returns the elements' type. */
  public final DType type() {
    return type;
  }

  /** Returns the indices, how they are divided, and the halo. */
  public final IndexSpace space() {
    return held.space;
  }

  /** Returns the shape of the whole array. */
  public final Shape shape() {
    return held.distribution.shape();
  }

  /** Returns which rank holds which element. */
  public final Distribution distribution() {
    return held.distribution;
  }

  /**
   * Returns this rank's memory: the elements it owns and, where there is a halo, the copies around
   * them. It can be used until the array is redistributed, resized or closed.
   */
  public final MemorySegment local() {
    Held own = usable("using the memory of");
    requireHost("the host's memory");
    return own.memory();
  }

  /** Returns whether this array is in the memory of a device that the host cannot access. */
  public final boolean isOnDevice() {
    return !client().device().isHostAccessible();
  }

  /** Returns the client of the device that this array is on. */
  final ComputeClient client() {
    return held.space.client();
  }

  /**
   * Returns this rank's elements on its device, one after another in row-major order, or, where
   * there is a halo, among the copies around them as {@link #owned} tells; for kernels of one's
   * own. It can be used until the array is redistributed, resized or closed.
   *
   * @throws UnsupportedOperationException if it is on the host, where {@link #local} is its memory
   */
  public final Buffer buffer() {
    return usable("using the buffer of").buffer(this);
  }

  /** Refuses what needs the host's memory. */
  private void requireHost(String what) {
    if (isOnDevice()) {
      throw new UnsupportedOperationException(
          "%s of %s, whose elements are in the memory of %s; copy the array to one of space().onHost()"
              .formatted(what, this, client().device().name()));
    }
  }

  /** Refuses complex elements in a kernel of a function. */
  final void requireReal() {
    if (type.kind() == DType.Kind.COMPLEX && isOnDevice()) {
      throw new UnsupportedOperationException(
          "a function of elements of %s, on %s, which takes real numbers; copy the array to one of space().onHost()"
              .formatted(this, client().device().name()));
    }
  }

  /** Returns the extents of this rank's memory, halo and all. */
  public final Shape localShape() {
    return held.part.shape();
  }

  /** Returns where in {@link #local} the elements lie that this rank owns. */
  public final Layout owned() {
    return held.part.region().layout(type);
  }

  /**
   * Copies the elements that this rank owns, without gaps, in the order of its memory. The target
   * may be an array or a buffer: {@link MemorySegment#ofArray(double[])} and {@link
   * MemorySegment#ofBuffer} make segments of them.
   *
   * @throws IndexOutOfBoundsException if it has no room for them
   */
  public final void copyTo(MemorySegment target) {
    long bytes = owned().bytes();
    HostMemory.requireWritable(target, bytes, "the target");
    if (isOnDevice()) {
      usable("reading").read(target.asSlice(0, bytes));
    } else {
      copyOwned(local(), target);
    }
  }

  /** Copies the elements that this rank owns to memory that has room for them. */
  final void copyOwned(MemorySegment from, MemorySegment target) {
    long[] at = {0};
    owned()
        .forEachRun(
            (place, bytes) -> {
              MemorySegment.copy(from, place, target, at[0], bytes);
              at[0] += bytes;
            });
  }

  /** Sets the elements that this rank owns, as {@link #copyTo} gives them. */
  public final void copyFrom(MemorySegment source) {
    long bytes = owned().bytes();
    HostMemory.requireReadable(source, bytes, "the source");
    if (isOnDevice()) {
      usable("writing").write(source.asSlice(0, bytes));
    } else {
      MemorySegment _ = local();
      copyOwnedFrom(source);
    }
  }

  /** Sets the elements that this rank owns from memory that has them. */
  final void copyOwnedFrom(MemorySegment source) {
    long[] at = {0};
    MemorySegment to = view().memory();
    owned()
        .forEachRun(
            (place, bytes) -> {
              MemorySegment.copy(source, at[0], to, place, bytes);
              at[0] += bytes;
            });
  }

  /** Returns the number of the element that is the {@code index}-th this rank owns in memory. */
  public final long elementAt(long index) {
    checkOpen();
    return held.elementAt(index);
  }

  /** Returns an element's number; see {@link IndexSpace#element}. */
  public final long element(long... index) {
    return held.space.element(index);
  }

  /** Returns an element's index; see {@link IndexSpace#index}. */
  final long[] index(long element) {
    return held.space.index(element);
  }

  // --- Elements -------------------------------------------------------------------------------

  /** Returns this rank's memory, for the places that follow. */
  final MemorySegment memory() {
    return held.memory();
  }

  /** Returns where an element lies that this rank has, in bytes. */
  final long offset(long i) {
    long place = held.box().place(i);
    return (place >= 0 ? place : placeOf(i)) * type.size();
  }

  /** Returns where an element lies that this rank has, in bytes. */
  final long offset(long i, long j) {
    long place = held.box().place(i, j);
    return (place >= 0 ? place : placeOf(i, j)) * type.size();
  }

  /** Returns where an element lies that this rank has, in bytes. */
  final long offset(long i, long j, long k) {
    long place = held.box().place(i, j, k);
    return (place >= 0 ? place : placeOf(i, j, k)) * type.size();
  }

  /** Returns where an element lies that this rank has, in bytes. */
  final long offset(long[] index) {
    return switch (index.length) {
      case 1 -> offset(index[0]);
      case 2 -> offset(index[0], index[1]);
      case 3 -> offset(index[0], index[1], index[2]);
      default -> placeOf(index) * type.size();
    };
  }

  /**
   * Returns the address of an element that this rank has. The memory's own check is not made of an
   * address, and a view keeps where its elements lie when the array it shows is closed.
   */
  final long address(long[] index) {
    checkOpen();
    return memory().address() + offset(index);
  }

  private long placeOf(long... index) {
    checkOpen();
    requireStored("reading or writing an element of");
    requireHost("an element");
    return held.place(this, index);
  }

  /**
   * Returns the words of any element, wherever it is. Not collective. Needs {@link
   * Capability#WINDOWS} unless this rank owns it.
   */
  final long[] fetchWords(long... index) {
    return Elements.of(type).read(access(element(index)).read(type));
  }

  /** Writes the words of any element; see {@link #fetchWords}. */
  final void putWords(long[] words, long... index) {
    Elements elements = Elements.of(type);
    access(element(index)).write(type, address -> elements.write(address, words));
  }

  private Storage.Place access(long element) {
    Held own = usable("reading or writing");
    requireHost("an element");
    Viewed shown = viewed;
    return shown == null ? own.access(element) : shown.held().access(shown.element(index(element)));
  }

  /** Returns when all ranks have called it and see what was put before. Collective. */
  public final void synchronize() {
    Held own = usable("synchronizing");
    (viewed == null ? own : viewed.held()).flush();
    team.communicator().barrier();
  }

  /** Makes a Java array of elements that lie one after another. */
  interface Reader<R> {
    R read(Elements elements, long address, int count);
  }

  /** Returns what a reader makes of all elements on one rank, of none elsewhere. Collective. */
  final <R> R gathered(int root, Reader<R> reader) {
    int count = Math.toIntExact(shape().count());
    Communicator comm = team.communicator();
    Decomposition onRoot = Decomposition.of(Distribution.onOne(shape(), comm.size(), root));
    try (Array all = IndexSpace.of(team, shape(), team.host()).divided(onRoot).array(type)) {
      all.copy(this);
      return reader.read(Elements.of(type), all.address(), comm.rank() == root ? count : 0);
    }
  }

  /**
   * Prints the array on rank 0 as NumPy does: rows in brackets, large ones with dots in their
   * middle. Collective.
   */
  public final void print() {
    String text = text();
    if (team.communicator().rank() == 0) {
      System.out.println(text);
    }
  }

  /** Returns what {@link #print} prints, on rank 0, and nothing elsewhere. Collective. */
  abstract String text();

  // --- Halo -----------------------------------------------------------------------------------

  /** Begins to copy elements into the halo. Collective. */
  public final void startHalo() {
    Held own = usableHalo("starting the halo of");
    own.halo.start(this, own);
  }

  private Held usableHalo(String purpose) {
    Held own = usable(purpose);
    if (team.isInStartedWork()) {
      throw new IllegalStateException(
          "the halo of " + this + " in work that was started; update it before or after");
    }
    return own;
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
    Held own = usableHalo("choosing a scheme for the halo of");
    Scheme chosen = Scheme.parse(text);
    team.agree("the halo of " + this + " by " + chosen);
    own.halo.scheme(this, own, chosen);
  }

  /** Returns the scheme that was chosen for the halo; empty for the engine's own choice. */
  public final Optional<Scheme> haloScheme() {
    return held.halo.scheme();
  }

  /**
   * Times the schemes that can fill this array's halo here, with the team's {@linkplain Team#tuner
   * tuner}, and keeps the fastest. The halo is updated on the way. Collective.
   *
   * @return what was timed
   */
  public final Tuned tuneHalo(Effort effort) {
    Held own = usableHalo("tuning the halo of");
    team.agree("tuning the halo of " + this + ", " + effort);
    return own.halo.tune(this, own, effort);
  }

  /** Waits for the halo; the owned elements may be read, but not written, in between. */
  public final void awaitHalo() {
    held.halo.await(this);
  }

  /** Copies elements into the halo. Collective. */
  public final void updateHalo() {
    startHalo();
    awaitHalo();
  }

  // --- Algorithms of all types ----------------------------------------------------------------

  /** Makes another array of the same type in the same space. Collective. */
  public abstract Array like();

  final Array another() {
    Array made = space().array(type);
    made.held.halo.scheme(held.halo);
    return made;
  }

  /** Sets all elements to those of an array of the same shape and type, divided in any way. */
  public final void copy(Array from) {
    var _ = team.run(Elementwise.copy(from, this));
  }

  /**
   * Exchanges all elements, halos included, with an array of the same space and type, without a
   * copy: both exchange their memory. Views of either are made anew. All ranks do it.
   *
   * @throws IllegalArgumentException if the other array's space or type is another
   * @throws IllegalStateException if a halo is under way, or one is a node of a program's context
   */
  public final void swap(Array other) {
    Held own = exchangeable();
    Held theirs = other.exchangeable();
    if (type != other.type || !space().equals(other.space())) {
      throw new IllegalArgumentException(
          "a swap of %s and %s; give arrays of one type and space, as like() makes them"
              .formatted(this, other));
    }
    held = theirs;
    other.held = own;
  }

  /** Returns the memory, if it can become another array's. */
  private Held exchangeable() {
    Held own = usable("swapping");
    if (viewed != null) {
      throw new UnsupportedOperationException(
          "a swap of %s, a view; swap the arrays that are viewed".formatted(this));
    }
    own.halo.requireNone(this, "swapping");
    own.requireUnbound(this, "a swap");
    return own;
  }

  /**
   * Sorts, the smallest first in row-major order of the whole array; each rank holds as many
   * elements as before. -0.0 comes before 0.0 and NaN last. Up to 2^31-9 elements on each rank.
   *
   * @throws IllegalArgumentException if elements are complex
   */
  public final void sort() {
    var _ = team.run(Sort.of(this, false));
  }

  /** Sorts, the largest first; see {@link #sort}. */
  public final void sortDescending() {
    var _ = team.run(Sort.of(this, true));
  }

  /**
   * Sorts and puts the elements of other arrays in the same order; those with equal keys stay in
   * the order they were in; see {@link #sort}. A zip is not sorted itself: it tells the order of
   * the others.
   *
   * @param values arrays of the same shape, of any type and divided in any way
   */
  public final void sortWith(Array... values) {
    var _ = team.run(Sort.byKey(this, values));
  }

  /**
   * Moves elements along the row-major order of the whole array: each gets what was {@code shift}
   * after it, those at the end what was at the beginning.
   */
  public final void rotate(long shift) {
    var _ = team.run(Rearrange.rotate(this, shift));
  }

  /**
   * Counts elements in intervals. Interval {@code i} begins at {@code low + i * (high - low) /
   * intervals}, which belongs to it; {@code high} belongs to the last one.
   *
   * @throws IllegalArgumentException if there are no intervals, they have no width, or elements are
   *     complex
   */
  public final Histogram histogram(double low, double high, int intervals) {
    return team.run(Histogram.of(this, low, high, intervals));
  }

  /** Divides the array in another way; every element keeps its value. */
  public final void redistribute(Decomposition other) {
    change("redistribute", held.space.divided(other));
  }

  /**
   * Gives the array another shape of as many axes, divided in the same way; elements whose index
   * both shapes have keep their value, new ones are zero.
   */
  public final void resize(long... shape) {
    change("resize", held.space.resized(Shape.of(shape)));
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
    checkOpen();
    if (axis < 0 || axis >= shape().rank()) {
      throw new IllegalArgumentException(
          "a slice of axis %d of %s; give an axis from 0 to %d"
              .formatted(axis, this, shape().rank() - 1));
    }
    if (from < 0 || to < from || to > shape().extent(axis)) {
      throw new IndexOutOfBoundsException(
          "a slice from %d to %d of axis %d of %s; give a part of 0 to %d"
              .formatted(from, to, axis, this, shape().extent(axis)));
    }
    if (step < 1) {
      throw new IllegalArgumentException(
          "a slice of %s in steps of %d; give 1 or more".formatted(this, step));
    }
    return view(shown().slice(axis, from, to, step));
  }

  /**
   * Returns this array with its axes in another order, on the same memory; see {@link #slice}.
   *
   * @param axes each axis of this array once: the first becomes the first of the view
   * @throws UnsupportedOperationException if several of this array's axes are divided
   */
  public Array transposed(int... axes) {
    checkOpen();
    int[] sorted = axes.clone();
    Arrays.sort(sorted);
    if (!Arrays.equals(sorted, IntStream.range(0, shape().rank()).toArray())) {
      throw new IllegalArgumentException(
          "axes %s of %s; give each of its %d axes once"
              .formatted(Arrays.toString(axes), this, shape().rank()));
    }
    return view(shown().transposed(axes));
  }

  /** Returns an array of a function of each element of this one and of another. */
  final Array zip(Array other, Object function) {
    checkOpen();
    other.checkOpen();
    DType of = type.kind() == DType.Kind.FLOAT ? DType.F64 : DType.I64;
    return held.space.viewed(held.distribution).zip(of, Zip.of(this, other, function));
  }

  /** Returns what this computes; null if it is stored. */
  final @Nullable Zip zip() {
    return zip;
  }

  /** Returns the array whose memory this is in: itself unless it is a view. */
  final Array whole() {
    Viewed shown = viewed;
    return shown == null ? this : shown.whole();
  }

  /** Refuses what needs the memory of a zip. */
  final void requireStored(String what) {
    if (zip != null) {
      throw new UnsupportedOperationException(
          "%s %s, a zip, whose elements are computed and not stored; set an array to them first"
              .formatted(what, this));
    }
  }

  private Viewed shown() {
    Viewed shown = viewed;
    return shown == null ? Viewed.all(this) : shown;
  }

  private Array view(Viewed shown) {
    return held.space.viewed(shown.distribution()).view(type, shown);
  }

  /** Refuses to write an array while another is read that has its elements at other places. */
  static void requireApart(Array in, Array out) {
    Zip zip = in.zip;
    if (zip != null) {
      requireApart(zip.first(), out);
      requireApart(zip.second(), out);
    } else if ((in.viewed != null || out.viewed != null) && in.shown().mixesWith(out.shown())) {
      throw new IllegalArgumentException(
          "%s and %s overlap in one array; copy one of them first".formatted(in, out));
    }
  }

  private void change(String name, IndexSpace other) {
    checkOpen();
    requireStored(name + " of");
    if (viewed != null) {
      throw new UnsupportedOperationException(
          "%s of %s, a view; copy it to an array of its own".formatted(name, this));
    }
    var _ =
        team.run(
            ArrayOperation.<Array>collective(
                    team,
                    name,
                    run -> {
                      held.halo.requireNone(this, name);
                      held.requireUnbound(this, name);
                      View old = view();
                      Held changed = new Held(other, type).reserve(toString());
                      try {
                        run.exchange(
                            client(),
                            exchanger -> {
                              changed.share();
                              if (isOnDevice()) {
                                Movement.move(exchanger, held, changed);
                              } else {
                                Movement.move(run, exchanger, old, changed.view());
                              }
                              held.close(true);
                              held = changed;
                              signature = sign();
                            });
                      } finally {
                        if (held != changed) {
                          changed.close(false);
                        }
                      }
                      long[][] _ = run.gatherLast();
                      return this;
                    })
                .about(this, other));
  }

  LocalPart part() {
    return held.part;
  }

  /** Returns what this rank holds. */
  Held held() {
    checkOpen();
    return held;
  }

  /** Returns this rank's part in memory as loops see it. */
  View view() {
    requireStored("using the memory of");
    return values();
  }

  /** Returns this rank's part as loops read it. */
  View values() {
    checkOpen();
    return held.view();
  }

  /** Returns what reads the elements. */
  Elements elements() {
    return values().elements();
  }

  long address() {
    return view().memory().address();
  }

  /** Returns whether another array holds the same elements at the same places in order. */
  boolean isAlignedWith(Array other) {
    return shape().equals(other.shape())
        && (space().decomposition().equals(other.space().decomposition())
            || (team.communicator().size() == 1 && Arrays.equals(order(), other.order()))
            || (isInOrder() && other.isInOrder() && values().hasCountsOf(other.distribution())));
  }

  /** Returns the axes in the order of memory. */
  private int[] order() {
    return held.distribution instanceof Grid grid
        ? grid.order()
        : IntStream.range(0, shape().rank()).toArray();
  }

  /** Returns whether the elements lie in row-major order; see {@link View#isInOrder}. */
  boolean isInOrder() {
    return values().isInOrder();
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException(this + " is closed; keep it open as long as it is used");
    }
    Viewed shown = viewed;
    if (shown != null && !shown.isCurrent()) {
      throw new IllegalStateException(
          "%s is a view of %s, which was changed since; make the view anew"
              .formatted(this, shown.whole()));
    }
    Zip computed = zip;
    if (computed != null && !computed.isCurrent()) {
      throw new IllegalStateException(
          "%s is a zip of %s and %s, one of which was changed since; make the zip anew"
              .formatted(this, computed.first(), computed.second()));
    }
  }

  /** Returns whether this is a view of another array. */
  boolean isView() {
    return viewed != null;
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
    return ArrayLoan.of(this, node, device);
  }

  /** Returns whether some memory is in both arrays, of which one may be a view of the other. */
  public final boolean overlaps(Array other) {
    Zip of = zip;
    if (of != null) {
      return of.first().overlaps(other) || of.second().overlaps(other);
    }
    return other.zip != null
        ? other.overlaps(this)
        : other == this || shown().overlaps(other.shown());
  }

  /** Returns the memory, if no work uses it that was started. */
  Held usable(String purpose) {
    checkOpen();
    requireStored(purpose);
    if (!team.isInStartedWork() && whole().inUse.stream().anyMatch(this::overlaps)) {
      throw new IllegalStateException(
          "%s %s while work is under way that was started with it; await that first"
              .formatted(purpose, this));
    }
    return held;
  }

  /**
   * Gives the memory back, after work that was started. Collective, unless ranks have failed: then
   * each closes for itself.
   *
   * @throws IllegalStateException if a halo is under way, which reads and writes the memory, or it
   *     is a node of a program's context
   */
  @Override
  public final void close() {
    if (closed) {
      return;
    }
    if (viewed != null || zip != null) {
      closed = true;
      return;
    }
    held.halo.requireNone(this, "closing");
    held.requireUnbound(this, "closing");
    try {
      boolean _ = team.leave("closing " + this);
    } finally {
      closed = true;
      held.close(team.closesTogether());
    }
  }

  /** Returns what this array is, in words that are the same on all ranks. */
  @Override
  public final String toString() {
    return "%s array %d of %s".formatted(type, number, held.space);
  }
}
