package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.runtime.Resource;
import dev.rialto.sparse.local.ExactSum;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.VectorKernels;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One vector, or several side by side, distributed by an {@link IndexMap}: the form of arrays that
 * operators, preconditioners and devices work on, with room for a halo.
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
  /** What is under way. */
  private enum Flight {
    HALO("halo"),
    ADDED_HALO("added halo"),
    OVERLAP("overlap");

    private final String name;

    Flight(String name) {
      this.name = name;
    }

    /** Returns whether it changes elements that this rank owns. */
    boolean changesOwned() {
      return this != HALO;
    }
  }

  private final IndexMap map;
  private final DType type;
  private final int width;
  private final @Nullable SparseDevice home;
  private final Runnable release;
  private final MemorySegment memory;

  /** Where the halo is: behind what is owned, at the places of local indices. */
  private final MemorySegment halo;

  private final VectorKernels kernels;
  private @Nullable Exchange flying;
  private Flight flight = Flight.HALO;
  private boolean lost;

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
    if (width < 1 || (long) map.locals() * width > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "%d vectors of %d local elements; give from 1 to %d"
              .formatted(width, map.locals(), (Integer.MAX_VALUE - 8) / Math.max(1, map.locals())));
    }
    this.map = map;
    this.type = type;
    this.width = width;
    this.home = home;
    long bytes = Math.max(64, type.bytes((long) map.locals() * width));
    if (home == null) {
      Arena arena = Arena.ofShared();
      this.kernels = VectorKernels.of(type);
      this.memory = arena.allocate(bytes, 64);
      this.release = arena::close;
    } else {
      if (map.isOverlapping()) {
        throw new UnsupportedOperationException(
            "elements that several ranks own on "
                + home.device().name()
                + "; use vectors of the host for overlaps");
      }
      this.kernels = home.vectors(type);
      Allocation allocation = home.device().memory().allocate(bytes);
      this.memory = allocation.segment();
      this.release =
          () -> {
            try {
              home.stream().await();
            } finally {
              allocation.close();
            }
          };
    }
    this.halo = memory;
  }

  /** Takes the memory of an array that has no halo of its own; that of the map is elsewhere. */
  private MultiVector(IndexMap map, Array array, int width) {
    this.map = map;
    this.type = array.type();
    this.width = width;
    this.home = null;
    this.kernels = VectorKernels.of(type);
    this.memory = array.local();
    this.halo = map.arrays().halo(type, width);
    this.release = () -> {};
  }

  /** Takes the memory of an array on a device until it is closed, as the one above does. */
  private MultiVector(IndexMap map, Array array, SparseDevice home, boolean writes) {
    this.map = map;
    this.type = array.type();
    this.width = 1;
    this.home = home;
    this.kernels = home.vectors(type);
    Resource lent = array.space().client().resource(array.buffer(), writes);
    this.memory = MemorySegment.ofAddress(lent.segment().address());
    this.halo = home.halo(map, type);
    this.release =
        () -> {
          try {
            home.stream().await();
          } finally {
            lent.close();
          }
        };
  }

  /** Returns an array without a halo on a device as a vector, for a product; closing ends it. */
  static MultiVector over(SparseDevice home, IndexMap map, Array array, boolean writes) {
    return new MultiVector(map, array, home, writes);
  }

  /** Returns an array without a halo as a vector, for a product: its memory, not a copy. */
  static MultiVector over(IndexMap map, Array array, DType type) {
    return new MultiVector(map, array, map.arrays().width(array, type));
  }

  /** Makes a vector for an operator with the elements of an array. */
  static MultiVector of(LinearOperator a, Array array) {
    int width = a.map().arrays().width(array, a.type());
    MultiVector made = a.vector();
    if (array.isOnDevice() && !isWhere(array, made.home)) {
      made.close();
      throw new UnsupportedOperationException(
          "%s, with a matrix on %s; bring the matrix there with copyTo(x.space())"
              .formatted(array, made.home == null ? "the host" : made.home.device().name()));
    }
    if (width > 1) {
      made.close();
      made = new MultiVector(a.map(), a.type(), width, made.home);
    }
    try {
      return made.load(array);
    } catch (RuntimeException | Error e) {
      made.close();
      throw e;
    }
  }

  /** Returns whether an array is on a device. */
  private static boolean isWhere(Array array, @Nullable SparseDevice device) {
    return device != null
        && array.isOnDevice()
        && array.space().client().device().name().equals(device.device().name());
  }

  /**
   * Copies the elements that this rank owns of an array.
   *
   * @throws IllegalArgumentException if it is not a vector of this map, type and width
   */
  public MultiVector load(Array array) {
    requireFits(array);
    writable();
    SparseDevice there = home;
    if (there == null) {
      array.copyTo(memory);
    } else if (isWhere(array, there) && ArrayFit.isDense(array)) {
      try (Resource lent = array.space().client().resource(array.buffer(), false)) {
        there.copy(lent.segment(), memory, type.bytes(count()));
      }
    } else {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment staged = arena.allocate(Math.max(64, type.bytes(count())), 64);
        array.copyTo(staged);
        there.copy(staged, memory, type.bytes(count()));
      }
    }
    return this;
  }

  /** Copies the elements that this rank owns to an array; see {@link #load}. */
  public void store(Array array) {
    requireFits(array);
    address();
    SparseDevice there = home;
    if (there == null) {
      array.copyFrom(memory);
    } else if (isWhere(array, there) && ArrayFit.isDense(array)) {
      try (Resource lent = array.space().client().resource(array.buffer(), true)) {
        there.copy(memory, lent.segment(), type.bytes(count()));
      }
    } else {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment staged = arena.allocate(Math.max(64, type.bytes(count())), 64);
        there.copy(memory, staged, type.bytes(count()));
        array.copyFrom(staged);
      }
    }
  }

  private void requireFits(Array array) {
    int vectors = map.arrays().width(array, type);
    if (vectors != width) {
      throw new IllegalArgumentException(
          "%s is %d vectors, where %d are needed".formatted(array, vectors, width));
    }
  }

  /** Makes a vector of zeros on the same map, of the same type and width. */
  public MultiVector like() {
    return new MultiVector(map, type, width, home);
  }

  /** Returns the memory that the halo lies in, behind room for what is owned. */
  MemorySegment haloMemory() {
    return halo;
  }

  /** Returns the device it is on; null if that is the host. */
  @Nullable SparseDevice home() {
    return home;
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

  /** Returns the local elements, halo included. */
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
    if (flying != null && flight.changesOwned()) {
      throw underWay("reading");
    }
    return alive();
  }

  private long alive() {
    if (!memory.scope().isAlive()) {
      throw new IllegalStateException("this vector is closed");
    }
    return memory.address();
  }

  /** Returns the address at which local index 0 would be of the memory that has the halo. */
  long haloAddress() {
    alive();
    return halo.address();
  }

  /** Returns the address for writing. */
  long writable() {
    if (flying != null) {
      throw underWay("writing to");
    }
    return alive();
  }

  private IllegalStateException underWay(String call) {
    return new IllegalStateException(
        "this vector's %s is under way; await it before %s the vector"
            .formatted(flight.name, call));
  }

  private int count() {
    return map.owned() * width;
  }

  /** Returns an element of the first vector. */
  public Scalar get(int local) {
    return get(local, 0);
  }

  /** Returns an element. */
  public Scalar get(int local, int vector) {
    if (flying != null && (flight.changesOwned() || local >= map.owned())) {
      throw underWay("reading");
    }
    return Element.get(onHost(), type, at(local, vector));
  }

  /** Sets an element of the first vector. */
  public void set(int local, double value) {
    set(local, 0, Scalar.of(value));
  }

  /** Sets an element. */
  public void set(int local, int vector, Scalar value) {
    writable();
    Element.checkKind(type, value);
    Element.set(onHost(), type, at(local, vector), value);
  }

  private MemorySegment onHost() {
    if (home != null) {
      throw new UnsupportedOperationException(
          "an element of a vector on " + home.device().name() + "; copy it to the host first");
    }
    return memory;
  }

  private long at(int local, int vector) {
    if (local < 0 || local >= map.locals() || vector < 0 || vector >= width) {
      throw new IndexOutOfBoundsException(
          "element %d of vector %d; there are %d of %d"
              .formatted(local, vector, map.locals(), width));
    }
    return (long) local * width + vector;
  }

  /** What an element is set to. */
  @FunctionalInterface
  public interface ByIndex {
    /** Returns the value at a global index. */
    double at(long global);
  }

  /** Sets the owned elements of the first vector by their global indices. */
  public MultiVector setAll(ByIndex values) {
    for (int i = 0; i < map.owned(); i++) {
      set(i, values.at(map.global(i)));
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
    start(
        Flight.HALO,
        home == null ? map.haloExchange(type, width) : map.haloExchange(home, type, width));
  }

  /** Ends what {@link #startHalo} began. */
  public void awaitHalo() {
    await(Flight.HALO);
  }

  /** Fills the halo from its owners. Collective. */
  public void updateHalo() {
    startHalo();
    awaitHalo();
  }

  /** Begins to add what halos hold to their owners' elements. Collective. */
  public void startAddHalo() {
    onHost();
    start(Flight.ADDED_HALO, map.addingExchange(type, width));
  }

  /** Ends what {@link #startAddHalo} began. */
  public void awaitAddHalo() {
    await(Flight.ADDED_HALO);
  }

  /** Adds what halos hold to their owners' elements: the transpose of an update. Collective. */
  public void addHalo() {
    startAddHalo();
    awaitAddHalo();
  }

  /** Begins to make elements agree that several ranks own. Collective. */
  public void startOverlap(Overlap.Rule rule) {
    onHost();
    start(Flight.OVERLAP, map.overlapExchange(rule, type, width));
  }

  /** Ends what {@link #startOverlap} began. */
  public void awaitOverlap() {
    await(Flight.OVERLAP);
  }

  /** Makes elements agree that several ranks own. Collective. */
  public void updateOverlap(Overlap.Rule rule) {
    startOverlap(rule);
    awaitOverlap();
  }

  private void start(Flight what, Exchange exchange) {
    if (flying != null) {
      throw new IllegalStateException(
          "this vector's %s is under way already; await it first".formatted(flight.name));
    }
    alive();
    try {
      switch (what) {
        case HALO -> exchange.start(memory, halo);
        case ADDED_HALO -> exchange.start(halo, memory);
        case OVERLAP -> exchange.start(memory, memory);
      }
    } catch (RuntimeException | Error e) {
      lost = true;
      throw e;
    }
    flying = exchange;
    flight = what;
  }

  private void await(Flight what) {
    Exchange exchange = flying;
    if (exchange == null || flight != what) {
      throw new IllegalStateException(
          "this vector's %s is not under way; start it first".formatted(what.name));
    }
    flying = null;
    try {
      if (home == null) {
        exchange.await();
      } else {
        exchange.awaitInStream();
      }
    } catch (RuntimeException | Error e) {
      lost = true;
      throw e;
    }
  }

  /** Copies the owned elements of another vector, here or elsewhere. */
  public MultiVector copy(MultiVector other) {
    requireAlike(other);
    writable();
    other.address();
    SparseDevice there = home != null ? home : other.home;
    if (there == null) {
      MemorySegment.copy(other.memory, 0, memory, 0, type.bytes(count()));
    } else if (home == other.home) {
      kernels.axpby(count(), Scalar.ONE, other.address(), Scalar.ZERO, address());
    } else {
      there.copy(other.memory, memory, type.bytes(count()));
    }
    return this;
  }

  /** Copies the owned elements of one vector of another to one of this; both on the host. */
  public MultiVector copyOne(int vector, MultiVector other, int source) {
    if (other.type != type || !map.sameOwners(other.map)) {
      throw new IllegalArgumentException(
          "a vector of %s (%s) from one of %s (%s); make them alike"
              .formatted(type, map, other.type, other.map));
    }
    for (int i = 0; i < map.owned(); i++) {
      set(i, vector, other.get(i, source));
    }
    return this;
  }

  /** Sets this to {@code a x + b this}; with b 0 it is not read. */
  public MultiVector axpby(Scalar a, MultiVector x, Scalar b) {
    Element.checkKind(type, a);
    Element.checkKind(type, b);
    kernels.axpby(count(), a, checked(x).address(), b, writable());
    return this;
  }

  /** Sets this to {@code a x + b y + c this}, reading each once. */
  public MultiVector axpbypcz(Scalar a, MultiVector x, Scalar b, MultiVector y, Scalar c) {
    Element.checkKind(type, a);
    Element.checkKind(type, b);
    Element.checkKind(type, c);
    kernels.axpbypcz(count(), a, checked(x).address(), b, checked(y).address(), c, writable());
    return this;
  }

  /** Multiplies by a number. */
  public MultiVector scale(Scalar a) {
    return axpby(Scalar.ZERO, this, a);
  }

  /** Sets this to {@code d x}, element by element. */
  public MultiVector multiply(MultiVector d, MultiVector x) {
    return multiplyDot(d, x, new double[2], 0);
  }

  /** Sets this to {@code d x} and adds this rank's part of {@code conj(x)·this} to out. */
  public MultiVector multiplyDot(MultiVector d, MultiVector x, double[] out, int at) {
    boolean overlaps = map.copies().length > 0;
    kernels.scale(
        count(),
        checked(d).address(),
        checked(x).address(),
        writable(),
        overlaps ? new double[2] : out,
        overlaps ? 0 : at);
    if (overlaps) {
      x.addDot(this, out, at);
    }
    return this;
  }

  /**
   * Sets {@code x += a p} and {@code r -= a q} in one pass; adds this rank's part of |r|² to out.
   */
  public static void conjugateStep(
      Scalar a, MultiVector p, MultiVector q, MultiVector x, MultiVector r, double[] out, int at) {
    x.checked(p);
    x.checked(q);
    x.checked(r);
    if (x.map.copies().length == 0) {
      x.kernels.conjugateStep(
          x.count(), a, p.address(), q.address(), x.writable(), r.writable(), out, at);
    } else {
      x.kernels.conjugateStep(
          x.count(), a, p.address(), q.address(), x.writable(), r.writable(), new double[2], 0);
      r.addDot(r, out, at);
    }
  }

  /** Sets this to {@code this - a q} and adds this rank's part of |this|² to out. */
  public void subtractDot(Scalar a, MultiVector q, double[] out, int at) {
    boolean overlaps = map.copies().length > 0;
    kernels.subtractDot(
        count(),
        a,
        checked(q).address(),
        writable(),
        overlaps ? new double[2] : out,
        overlaps ? 0 : at);
    if (overlaps) {
      addDot(this, out, at);
    }
  }

  /** Sets {@code x += a p} and then {@code p = z + b p}, in one pass. */
  public static void nextDirection(
      Scalar a, MultiVector x, MultiVector z, Scalar b, MultiVector p) {
    x.checked(z);
    x.checked(p);
    x.kernels.nextDirection(x.count(), a, x.writable(), z.address(), b, p.writable());
  }

  /** Updates p, s, x and r as {@link VectorKernels#pipelinedStep} says. */
  public static void pipelinedStep(
      Scalar a,
      Scalar b,
      MultiVector z,
      MultiVector w,
      MultiVector p,
      MultiVector s,
      MultiVector x,
      MultiVector r) {
    for (MultiVector each : new MultiVector[] {z, w, p, s, r}) {
      x.checked(each);
    }
    x.kernels.pipelinedStep(
        x.count(),
        a,
        b,
        z.address(),
        w.address(),
        p.writable(),
        s.writable(),
        x.writable(),
        r.writable());
  }

  /** Adds this rank's part of {@code conj(this)·y} to out: real part, then imaginary part. */
  public void addDot(MultiVector y, double[] out, int at) {
    addDot(y, 0, 1, out, at);
  }

  /** Takes of all vectors every {@code stride}-th, from one on: all for 1, one for the width. */
  private void addDot(MultiVector y, int first, int stride, double[] out, int at) {
    long skip = type.bytes(first);
    kernels.dot(count() / stride, address() + skip, checked(y).address() + skip, stride, out, at);
    for (int copy : map.copies()) {
      for (int vector = first; vector < width; vector += stride) {
        Scalar product = get(copy, vector).conjugate().times(y.get(copy, vector));
        out[at] -= product.re();
        out[at + 1] -= product.im();
      }
    }
  }

  /** Returns {@code conj(this)·y}. Collective. */
  public Scalar dot(MultiVector y) {
    return dots(this, y)[0];
  }

  /**
   * Returns several products with one reduction: of the first and second vector, of the third and
   * fourth, and so on, the first of a pair conjugated. Collective.
   */
  public static Scalar[] dots(MultiVector... pairs) {
    if (pairs.length == 0 || pairs.length % 2 != 0) {
      throw new IllegalArgumentException(pairs.length + " vectors; give pairs");
    }
    Sums sums = pairs[0].map.sums();
    Scalar[] results = new Scalar[pairs.length / 2];
    if (sums.exact()) {
      for (int i = 0; i < results.length; i++) {
        results[i] = pairs[2 * i].exactDot(pairs[2 * i + 1], 0, 1);
      }
      return results;
    }
    double[] parts = new double[pairs.length];
    for (int i = 0; i < results.length; i++) {
      pairs[2 * i].addDot(pairs[2 * i + 1], parts, 2 * i);
    }
    sums.add(parts, parts.length);
    for (int i = 0; i < results.length; i++) {
      results[i] = new Scalar(parts[2 * i], parts[2 * i + 1]);
    }
    return results;
  }

  private Scalar exactDot(MultiVector y, int first, int stride) {
    ExactSum real = new ExactSum();
    ExactSum imaginary = new ExactSum();
    long skip = type.bytes(first);
    kernels.exactDot(
        count() / stride, address() + skip, checked(y).address() + skip, stride, real, imaginary);
    for (int copy : map.copies()) {
      for (int vector = first; vector < width; vector += stride) {
        Scalar a = get(copy, vector);
        Scalar b = y.get(copy, vector);
        real.addProduct(-a.re(), b.re());
        real.addProduct(-a.im(), b.im());
        imaginary.addProduct(-a.re(), b.im());
        imaginary.addProduct(a.im(), b.re());
      }
    }
    double re = map.sums().add(real);
    return new Scalar(re, type.kind() == DType.Kind.COMPLEX ? map.sums().add(imaginary) : 0);
  }

  /** Adds numbers of all ranks, in place. Collective. */
  public void sumOverRanks(double[] values) {
    map.sums().add(values, values.length);
  }

  /** Returns the products with {@code y} of each vector by itself. Collective. */
  public Scalar[] dotEach(MultiVector y) {
    Scalar[] results = new Scalar[width];
    if (map.sums().exact()) {
      Arrays.setAll(results, i -> exactDot(y, i, width));
      return results;
    }
    double[] parts = new double[2 * width];
    for (int i = 0; i < width; i++) {
      addDot(y, i, width, parts, 2 * i);
    }
    map.sums().add(parts, parts.length);
    Arrays.setAll(results, i -> new Scalar(parts[2 * i], parts[2 * i + 1]));
    return results;
  }

  /**
   * Returns the Euclidean norm, of all vectors together, whatever the size of the elements.
   * Collective.
   */
  public double norm2() {
    double square = dot(this).re();
    if (Double.isNaN(square) || (square > 0x1p-900 && square < Double.POSITIVE_INFINITY)) {
      return Math.sqrt(square);
    }
    double largest = normInf();
    if (largest == 0 || largest == Double.POSITIVE_INFINITY) {
      return largest;
    }
    // The squares are too small or too large for doubles: those of a scaled copy are not.
    int power = Math.max(-1000, Math.getExponent(largest));
    try (MultiVector scaled = like()) {
      scaled.axpby(Scalar.of(Math.scalb(1.0, -power)), this, Scalar.ZERO);
      return Math.scalb(Math.sqrt(scaled.dot(scaled).re()), power);
    }
  }

  /** Returns the largest absolute value; infinity if an element is not a number. Collective. */
  public double normInf() {
    return map.sums().max(kernels.maxAbs(count(), address()));
  }

  /** Returns the sum of absolute values. Collective. */
  public double norm1() {
    if (map.sums().exact()) {
      return exactNorm1();
    }
    double[] sum = {kernels.sumAbs(count(), address())};
    for (int copy : map.copies()) {
      for (int vector = 0; vector < width; vector++) {
        sum[0] -= get(copy, vector).abs();
      }
    }
    map.sums().add(sum, 1);
    return sum[0];
  }

  private double exactNorm1() {
    ExactSum sum = new ExactSum();
    for (int vector = 0; vector < width; vector++) {
      for (int i = 0; i < map.owned(); i++) {
        sum.addProduct(get(i, vector).abs(), 1);
      }
      for (int copy : map.copies()) {
        sum.addProduct(get(copy, vector).abs(), -1);
      }
    }
    return map.sums().add(sum);
  }

  /** Checks that another vector can be combined with this one. */
  private MultiVector checked(MultiVector other) {
    requireAlike(other);
    if (other.home != home) {
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
    if (flying != null) {
      throw underWay("closing");
    }
    if (!lost && memory.scope().isAlive()) {
      release.run();
    }
  }
}
