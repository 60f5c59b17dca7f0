package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.sparse.VectorExchange.Flight;
import dev.rialto.sparse.local.Factor;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.VectorKernels;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.function.LongToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * One vector, or several side by side, distributed by an {@link IndexMap}: what operators,
 * preconditioners and solvers work on. It is an {@linkplain #of array} as they see it, with the
 * halo of a map, or has memory of its own, for what a method computes in between and for maps that
 * no array is divided by.
 *
 * <p>The elements of one index lie together, so that a halo of several vectors is one message.
 * Arithmetic works on owned elements and leaves the halo as it is; a halo holds what its owners had
 * at the last update. Between {@link #startHalo} and {@link #awaitHalo} owned elements may be read
 * but not written, between the starts and ends of the other exchanges neither; the methods here
 * refuse, and a vector under way refuses to be closed. Several vectors of a map may be under way at
 * once; all ranks start and await them in one order.
 *
 * <p>Sums over all ranks are collective. Used by one thread at a time.
 */
public final class MultiVector implements AutoCloseable {
  private final IndexMap map;
  private final DType type;
  private final int width;
  private final VectorMemory where;
  private final MemorySegment memory;
  private final VectorKernels kernels;
  private final VectorExchange exchange;

  /** Makes zeros: one vector. */
  public MultiVector(IndexMap map, DType type) {
    this(map, type, 1);
  }

  /**
   * Makes zeros.
   *
   * @param width how many vectors
   */
  public MultiVector(IndexMap map, DType type, int width) {
    this(map, type, width, null);
  }

  /** Makes zeros on a device, or on the host. */
  MultiVector(IndexMap map, DType type, int width, @Nullable SparseDevice home) {
    this(VectorMemory.allocate(new HaloMemory.Kind(map, type, width), home));
  }

  MultiVector(VectorMemory where) {
    this.map = where.kind().map();
    this.type = where.kind().type();
    this.width = where.kind().width();
    this.where = where;
    this.memory = where.elements();
    this.kernels = where.kernels();
    this.exchange = new VectorExchange(where);
  }

  /**
   * Returns an array as vectors of a map: the array's own memory, unless it has a halo around it or
   * is on a device. Then its elements are copied, and brought back when the vector is closed. The
   * array stays open until then.
   *
   * @throws IllegalArgumentException if its elements, in row-major order, are not the map's indices
   *     or divided in another way
   */
  public static MultiVector of(IndexMap map, Array array) {
    return ArrayVectors.onHost(map, array, true);
  }

  /** Makes a vector of zeros on the same map, of the same type and width. */
  public MultiVector like() {
    return new MultiVector(map, type, width, home());
  }

  /** Returns these elements as vectors of a map of the same owners with another halo. */
  MultiVector with(IndexMap other) {
    exchange.requireReadable();
    return new MultiVector(where.with(other));
  }

  /** Returns the same vector; something is done before it is closed. */
  MultiVector before(Runnable last) {
    return new MultiVector(where.before(last));
  }

  /** Returns whether the halo lies behind what is owned. */
  boolean isWhole() {
    return where.isWhole();
  }

  /** Returns the device it is on; null if that is the host. */
  @Nullable SparseDevice home() {
    return where.home();
  }

  /** Returns the loops over its elements. */
  VectorKernels kernels() {
    return kernels;
  }

  /** Returns the map. */
  public IndexMap map() {
    return map;
  }

  /** Returns the element type. */
  public DType type() {
    return type;
  }

  /** Returns how many vectors there are. */
  public int width() {
    return width;
  }

  /** Returns the elements: the owned ones and, unless the vector is an array, the halo. */
  public MemorySegment memory() {
    return memory;
  }

  /** Returns the local elements for writing what is computed from a vector like this one. */
  public MemorySegment memoryFor(MultiVector source) {
    checked(source);
    writable();
    return memory;
  }

  /** Returns the address of the elements, having checked that they are there to be read. */
  long address() {
    exchange.requireReadable();
    return memory.address();
  }

  /** Returns the address at which local index 0 would be of the memory that has the halo. */
  long haloAddress() {
    exchange.requireAlive();
    return where.halo().address();
  }

  /** Returns the address for writing. */
  long writable() {
    exchange.requireWritable();
    return memory.address();
  }

  /** Returns how many elements this rank owns, of all vectors. */
  int count() {
    return map.owned() * width;
  }

  /** Returns an element of the first vector. */
  public Scalar get(int local) {
    return get(local, 0);
  }

  /** Returns an element. */
  public Scalar get(int local, int vector) {
    exchange.requireReadable(local >= map.owned());
    return Element.get(onHost(local), type, at(local, vector));
  }

  /** Sets an element of the first vector. */
  public void set(int local, double value) {
    set(local, 0, Scalar.of(value));
  }

  /** Sets an element. */
  public void set(int local, int vector, Scalar value) {
    writable();
    Element.checkKind(type, value);
    Element.set(onHost(local), type, at(local, vector), value);
  }

  /** Returns the memory that a local index is in. */
  private MemorySegment onHost(int local) {
    requireHost();
    return local < map.owned() ? memory : where.halo();
  }

  private void requireHost() {
    SparseDevice home = home();
    if (home != null) {
      throw new UnsupportedOperationException(
          "an element of a vector on " + home.device().name() + "; copy it to the host first");
    }
  }

  private long at(int local, int vector) {
    return Element.index(local, map.locals(), vector, width);
  }

  /** Sets the owned elements of the first vector by their global indices. */
  public MultiVector setAll(LongToDoubleFunction values) {
    for (int i = 0; i < map.owned(); i++) {
      set(i, values.applyAsDouble(map.global(i)));
    }
    return this;
  }

  /** Sets all owned elements to one value. */
  public MultiVector fill(Scalar value) {
    Element.checkKind(type, value);
    kernels.fill(writable(), count(), value);
    return this;
  }

  /** Sets the halo to zeros. */
  void clearHalo() {
    writable();
    kernels.fill(
        haloAddress() + type.bytes(count()), (map.locals() - map.owned()) * width, Scalar.ZERO);
  }

  /** Sets owned elements to zeros that a lower rank owns too. */
  void clearCopies() {
    writable();
    for (int copy : map.copies()) {
      for (int vector = 0; vector < width; vector++) {
        set(copy, vector, Scalar.ZERO);
      }
    }
  }

  /** Begins to fill the halo from its owners. Collective. */
  public void startHalo() {
    SparseDevice home = home();
    exchange.start(
        Flight.HALO,
        home == null ? map.haloExchange(type, width) : map.haloExchange(home, type, width));
  }

  /** Ends what {@link #startHalo} began. */
  public void awaitHalo() {
    exchange.await(Flight.HALO);
  }

  /** Fills the halo from its owners. Collective. */
  public void updateHalo() {
    startHalo();
    awaitHalo();
  }

  /** Begins to add what halos hold to their owners' elements. Collective. */
  public void startAddHalo() {
    requireHost();
    exchange.start(Flight.ADDED_HALO, map.addingExchange(type, width));
  }

  /** Ends what {@link #startAddHalo} began. */
  public void awaitAddHalo() {
    exchange.await(Flight.ADDED_HALO);
  }

  /** Adds what halos hold to their owners' elements: the transpose of an update. Collective. */
  public void addHalo() {
    startAddHalo();
    awaitAddHalo();
  }

  /** Begins to make elements agree that several ranks own. Collective. */
  public void startOverlap(Overlap.Rule rule) {
    requireHost();
    exchange.start(Flight.OVERLAP, map.overlapExchange(rule, type, width));
  }

  /** Ends what {@link #startOverlap} began. */
  public void awaitOverlap() {
    exchange.await(Flight.OVERLAP);
  }

  /** Makes elements agree that several ranks own. Collective. */
  public void updateOverlap(Overlap.Rule rule) {
    startOverlap(rule);
    awaitOverlap();
  }

  /** Copies the owned elements of another vector, here or elsewhere. */
  public MultiVector copy(MultiVector other) {
    requireAlike(other);
    writable();
    other.address();
    SparseDevice home = home();
    SparseDevice there = home != null ? home : other.home();
    if (there == null) {
      MemorySegment.copy(other.memory, 0, memory, 0, type.bytes(count()));
    } else if (home == other.home()) {
      kernels.axpby(count(), Scalar.ONE, other.address(), Scalar.ZERO, address());
    } else {
      there.copy(other.memory, memory, type.bytes(count()));
    }
    return this;
  }

  /** Sets this to {@code a x + b this}; with b 0 it is not read. */
  public MultiVector axpby(Factor a, MultiVector x, Factor b) {
    Element.checkKind(type, a);
    Element.checkKind(type, b);
    kernels.axpby(count(), a, checked(x).address(), b, writable());
    return this;
  }

  /** Sets this to {@code a x + b y + c this}, reading each once. */
  public MultiVector axpbypcz(Factor a, MultiVector x, Factor b, MultiVector y, Factor c) {
    Element.checkKind(type, a);
    Element.checkKind(type, b);
    Element.checkKind(type, c);
    kernels.axpbypcz(count(), a, checked(x).address(), b, checked(y).address(), c, writable());
    return this;
  }

  /** Multiplies by a number. */
  public MultiVector scale(Factor a) {
    return axpby(Scalar.ZERO, this, a);
  }

  /** Sets this to {@code d x}, element by element. */
  public MultiVector multiply(MultiVector d, MultiVector x) {
    Updates.multiplyDot(d, x, this, PartialSums.NONE, 0);
    return this;
  }

  /** Adds this rank's part of {@code conj(this)·y} to a sum of out. */
  public void addDot(MultiVector y, PartialSums out, int at) {
    VectorSums.add(this, y, 0, 1, out, at);
  }

  /** Returns {@code conj(this)·y}. Collective. */
  public Scalar dot(MultiVector y) {
    return VectorSums.dots(this, y)[0];
  }

  /** Returns the products with {@code y} of each vector by itself. Collective. */
  public Scalar[] dotEach(MultiVector y) {
    return VectorSums.dotEach(this, y);
  }

  /**
   * Returns the Euclidean norm, of all vectors together, whatever the size of the elements.
   * Collective.
   */
  public double norm2() {
    return VectorSums.norm2(this);
  }

  /** Returns the largest absolute value; infinity if an element is not a number. Collective. */
  public double normInf() {
    return map.sums().max(kernels.maxAbs(count(), address()));
  }

  /** Returns the sum of absolute values. Collective. */
  public double norm1() {
    return VectorSums.norm1(this);
  }

  /** Adds numbers of all ranks, in place. Collective. */
  public void sumOverRanks(double[] values) {
    map.sums().add(values, values.length);
  }

  /** Checks that another vector can be combined with this one. */
  MultiVector checked(MultiVector other) {
    requireAlike(other);
    if (other.home() != home()) {
      throw new IllegalArgumentException(
          "vectors of different devices; copy one to where the other is");
    }
    return other;
  }

  private void requireAlike(MultiVector other) {
    if (other != this
        && (other.type != type || other.width != width || !map.sameOwners(other.map))) {
      throw new IllegalArgumentException(
          "a vector of %s, width %d (%s) with one of %s, width %d (%s); make them alike"
              .formatted(type, width, map, other.type, other.width, other.map));
    }
  }

  /**
   * Gives the memory back. After an exchange of this vector has failed nothing is: messages under
   * way may still use it, so it goes with the world.
   *
   * @throws IllegalStateException if an exchange of this vector is under way
   */
  @Override
  public void close() {
    if (exchange.allowsClose()) {
      where.release();
    }
  }
}
