package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.sparse.device.ArrayLoans;
import dev.rialto.sparse.device.DeviceScalars;
import dev.rialto.sparse.local.Factor;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.VectorKernels;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Arithmetic of arrays that are vectors of a map, as solvers need it: updates that read each vector
 * once, sums whose order does not change, copies of elements that other ranks own.
 *
 * {@snippet :
 * try (Vectors v = Vectors.of(a.map(), x)) {
 *   v.axpby(alpha, p, Scalar.ONE, x);
 *   double norm = v.norm2(x);
 * }
 * }
 *
 * <p>Arrays are of one type, width and place, and without a halo of their own. An array that
 * several ranks hold copies of, one of a map with an overlap, counts each element once. On a device
 * all work is added to one stream, without waiting: the arrays that it was used with are this
 * object's until it is closed, which waits. Sums are collective. Other threads cannot use the team
 * until then.
 */
public final class Vectors implements AutoCloseable {
  private final IndexMap map;
  private final DType type;
  private final int width;
  private final int count;
  private final Array like;
  private final VectorKernels kernels;
  private final @Nullable SparseDevice home;
  private final @Nullable ArrayLoans loans;
  private final Team.Step step;
  private boolean closed;

  private Vectors(IndexMap map, Array like) {
    this.map = map;
    this.type = like.type();
    this.width = map.arrays().width(like, type);
    this.like = like;
    this.count = map.owned() * width;
    this.home = like.isOnDevice() ? SparseDevice.of(like.space()) : null;
    if (home != null && map.isOverlapping()) {
      throw new UnsupportedOperationException(
          "elements that several ranks own, in %s; use arrays of the host for overlaps"
              .formatted(like));
    }
    this.kernels = home == null ? VectorKernels.of(type) : home.vectors(type);
    this.loans = home == null ? null : home.loans().open();
    this.step = like.team().step("arithmetic of vectors");
  }

  /**
   * Returns the arithmetic of arrays like one, which is one vector of a map, or several. On a
   * device collective the first time.
   *
   * @throws IllegalArgumentException if it is divided in another way than the map
   */
  public static Vectors of(IndexMap map, Array like) {
    return new Vectors(map, like);
  }

  /** Returns the map. */
  public IndexMap map() {
    return map;
  }

  /** Returns how many vectors an array is. */
  public int width() {
    return width;
  }

  /** Makes an array of zeros, owned by the caller. Collective. */
  public Array vector() {
    return like.space().halo(0).array(type);
  }

  /** Makes numbers where the arrays are; owned by the caller. */
  public Scalars scalars() {
    return home == null
        ? new HostScalars(map.sums())
        : new DeviceScalars(home.kernels(), map.comm(), home::collectives);
  }

  /**
   * Sets {@code y = a op(A) x + b y}. An operator of the user's gets arrays of a device whose
   * elements are computed; those of this library add to the stream.
   */
  public void apply(LinearOperator of, Op op, Scalar a, Array x, Scalar b, Array y) {
    aside(of instanceof SparseMatrix || of instanceof DeviceMatrix, () -> of.apply(op, a, x, b, y));
  }

  /**
   * Does something with the arrays.
   *
   * @param inStream whether it adds to the stream of sparse work; arrays of a device are given back
   *     for what does not
   */
  public void aside(boolean inStream, Runnable work) {
    if (loans == null || inStream) {
      work.run();
    } else {
      loans.suspended(work);
    }
  }

  /** Waits for what was added so far. */
  public void await() {
    if (home != null) {
      home.stream().await();
    }
  }

  // --- Memory ---------------------------------------------------------------------------------

  private void require(Array x) {
    if (closed) {
      throw new IllegalStateException("this arithmetic is closed; make another");
    }
    if (map.arrays().width(x, type) != width) {
      throw new IllegalArgumentException(
          "%s with %s; give arrays of as many vectors".formatted(x, like));
    }
    if (x.isOnDevice() != (home != null)) {
      throw new IllegalArgumentException(
          "%s with %s; copy one to where the other is".formatted(x, like));
    }
    if (!ArrayFit.isDense(x)) {
      throw new IllegalArgumentException(
          "%s has a halo of its own; copy it to an array of space().halo(0)".formatted(x));
    }
  }

  private long in(Array x) {
    require(x);
    return loans == null ? x.local().address() : loans.address(x, true);
  }

  private long out(Array x) {
    require(x);
    return loans == null ? x.local().address() : loans.address(x, false);
  }

  private long inOut(Factor b, Array x) {
    return b instanceof Scalar s && s.isZero() ? out(x) : in(x);
  }

  private MemorySegment host(Array x, String what) {
    require(x);
    if (home != null) {
      throw new UnsupportedOperationException(
          "%s of %s; copy it to an array of space().onHost()".formatted(what, x));
    }
    return x.local();
  }

  private void kind(Factor... factors) {
    for (Factor factor : factors) {
      Element.checkKind(type, factor);
    }
  }

  // --- Elements -------------------------------------------------------------------------------

  /** Sets {@code x} to one value. */
  public Array fill(Array x, Scalar value) {
    kind(value);
    kernels.fill(out(x), count, value);
    return x;
  }

  /** Sets {@code y = x}. */
  public Array copy(Array x, Array y) {
    if (home == null) {
      MemorySegment.copy(host(x, "a copy"), 0, host(y, "a copy"), 0, type.bytes(count));
    } else {
      kernels.axpby(count, Scalar.ONE, in(x), Scalar.ZERO, out(y));
    }
    return y;
  }

  /** Sets {@code y = a x + b y}; with b 0, y is not read. */
  public Array axpby(Factor a, Array x, Factor b, Array y) {
    kind(a, b);
    kernels.axpby(count, a, in(x), b, inOut(b, y));
    return y;
  }

  /** Sets {@code z = a x + b y + c z}, reading each once. */
  public Array axpbypcz(Factor a, Array x, Factor b, Array y, Factor c, Array z) {
    kind(a, b, c);
    kernels.axpbypcz(count, a, in(x), b, in(y), c, inOut(c, z));
    return z;
  }

  /** Sets {@code x = a x}. */
  public Array scale(Factor a, Array x) {
    return axpby(Scalar.ZERO, x, a, x);
  }

  /** Sets {@code z = d x}, element by element, and sums up {@code conj(x)·z}. */
  public void multiplyDot(Array d, Array x, Array z, PartialSums out, int at) {
    kernels.scale(count, in(d), in(x), out(z), whole(out), at);
    addShared(x, z, out, at);
  }

  /** Sets {@code x += a p} and {@code r -= a q}. */
  public void conjugateStep(Factor a, Array p, Array q, Array x, Array r) {
    kind(a);
    kernels.conjugateStep(count, a, in(p), in(q), in(x), in(r), PartialSums.NONE, 0);
  }

  /** Sets {@code r -= a q} and sums up |r|². */
  public void subtractDot(Factor a, Array q, Array r, PartialSums out, int at) {
    kind(a);
    kernels.subtractDot(count, a, in(q), in(r), whole(out), at);
    addShared(r, r, out, at);
  }

  /** Sets {@code x += a p} and then {@code p = z + b p}. */
  public void nextDirection(Factor a, Array x, Array z, Factor b, Array p) {
    kind(a, b);
    kernels.nextDirection(count, a, in(x), in(z), b, in(p));
  }

  /** Updates p, s, x and r as {@link VectorKernels#pipelinedStep} says, and sums up |r|². */
  public void pipelinedStep(
      Factor a,
      Factor b,
      Array z,
      Array w,
      Array p,
      Array s,
      Array x,
      Array r,
      PartialSums out,
      int at) {
    kind(a, b);
    kernels.pipelinedStep(count, a, b, in(z), in(w), in(p), in(s), in(x), in(r), whole(out), at);
    addShared(r, r, out, at);
  }

  /** Returns where a loop may add its sum: not where elements count that others own too. */
  private PartialSums whole(PartialSums out) {
    return map.copies().length == 0 ? out : PartialSums.NONE;
  }

  /** Adds what {@link #whole} kept a loop from adding. */
  private void addShared(Array x, Array y, PartialSums out, int at) {
    if (map.copies().length > 0 && !out.equals(PartialSums.NONE)) {
      addDot(x, y, out, at);
    }
  }

  // --- Sums -----------------------------------------------------------------------------------

  private VectorSums sums() {
    return new VectorSums(map, kernels, type, width);
  }

  /** Adds this rank's part of {@code conj(x)·y} to a sum of out. */
  public void addDot(Array x, Array y, PartialSums out, int at) {
    sums().add(in(x), in(y), 0, 1, out, at);
  }

  /** Returns {@code conj(x)·y}, of all vectors together. Collective. */
  public Scalar dot(Array x, Array y) {
    return sums().dot(in(x), in(y));
  }

  /** Returns {@code conj(x)·y} of each vector by itself. Collective. */
  public Scalar[] dotEach(Array x, Array y) {
    return sums().dotEach(in(x), in(y));
  }

  /** Returns the Euclidean norm, whatever the size of the elements. Collective. */
  public double norm2(Array x) {
    double square = dot(x, x).re();
    if (Double.isNaN(square) || (square > 0x1p-900 && square < Double.POSITIVE_INFINITY)) {
      return Math.sqrt(square);
    }
    double largest = normInf(x);
    if (largest == 0 || largest == Double.POSITIVE_INFINITY) {
      return largest;
    }
    // The squares are too small or too large for doubles: those of a scaled copy are not.
    int power = Math.max(-1000, Math.getExponent(largest));
    Array scaled = vector();
    axpby(Scalar.of(Math.scalb(1.0, -power)), x, Scalar.ZERO, scaled);
    double norm = Math.scalb(Math.sqrt(dot(scaled, scaled).re()), power);
    close(scaled);
    return norm;
  }

  /** Returns the largest absolute value; infinity if an element is not a number. Collective. */
  public double normInf(Array x) {
    return map.sums().max(kernels.maxAbs(count, in(x)));
  }

  /** Returns the sum of absolute values. Collective. */
  public double norm1(Array x) {
    return sums().norm1(in(x));
  }

  /** Adds numbers of all ranks, in place. Collective. */
  public void sumOverRanks(double[] values) {
    map.sums().add(values, values.length);
  }

  // --- Copies of elements of other ranks ------------------------------------------------------

  private ElementUpdates updates() {
    return new ElementUpdates(map, type, width, kernels);
  }

  /**
   * Brings the elements that this rank needs of others: those of the map's local indices from
   * {@code map.owned()} on, in that order. Collective.
   *
   * @param halo an array of {@link IndexMap#haloSpace}, of as many vectors
   */
  public void updateHalo(Array x, Array halo) {
    updates().updateHalo(host(x, "the halo"), halo);
  }

  /** Starts what {@link #updateHalo} does; halo is written at the await. Collective. */
  public StartedUpdate startHalo(Array x, Array halo) {
    return updates().startHalo(host(x, "the halo"), halo);
  }

  /** Adds copies to the elements of their owners: the transpose of {@link #updateHalo}. */
  public void addHalo(Array halo, Array x) {
    updates().addHalo(halo, host(x, "the halo"));
  }

  /**
   * Starts what {@link #addHalo} does. At the await the sum of the copies is added to what x has
   * then, so that the rank may add to x itself in between. Collective.
   */
  public StartedUpdate startAddHalo(Array halo, Array x) {
    MemorySegment _ = host(x, "the halo");
    return updates().startAddHalo(halo, x);
  }

  /** Makes elements agree that several ranks own. Collective. */
  public void updateOverlap(Array x, Overlap.Rule rule) {
    MemorySegment elements = host(x, "an overlap");
    map.overlapExchange(rule, type, width).run(elements, elements);
  }

  /** Starts what {@link #updateOverlap} does; only shared elements are written. Collective. */
  public StartedUpdate startOverlap(Array x, Overlap.Rule rule) {
    return updates().startOverlap(host(x, "an overlap"), x, rule);
  }

  /** Sets elements to zeros that a lower rank owns too. */
  void clearCopies(Array x) {
    updates().clearCopies(host(x, "an overlap"));
  }

  /** Closes an array of {@link #vector}. Collective. */
  public void close(Array made) {
    if (loans != null) {
      loans.giveBack(made);
    }
    made.close();
  }

  /** Waits for a device and gives its arrays back. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      try (step) {
        if (loans != null) {
          loans.close();
        }
      }
    }
  }
}
