package dev.rialto.array;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The indices of arrays, how they are divided among the ranks of a team, and the layers of copies
 * around each rank's block. Arrays of one space hold the same elements at the same places.
 *
 * {@snippet :
 * IndexSpace grid = team.space(512, 512, 512).halo(1).periodic();
 * try (F64Array now = grid.f64();
 *     F64Array next = grid.f64()) {
 *   now.set((i, j, k) -> Math.sin(i));
 * }
 * }
 *
 * <p>Immutable: each method returns another space. Making an array is collective, and its elements
 * are zero.
 */
public final class IndexSpace {
  private final Team team;
  private final Shape shape;
  private final Decomposition decomposition;
  private final int[] low;
  private final int[] high;
  private final boolean[] periodic;
  private final boolean star;
  private final ComputeClient client;

  /** The owners of elements, once asked for; arrays of one space share it. */
  private @Nullable Distribution distribution;

  private IndexSpace(
      Team team,
      Shape shape,
      Decomposition decomposition,
      int[] low,
      int[] high,
      boolean[] periodic,
      boolean star,
      ComputeClient client) {
    this.team = team;
    this.shape = shape;
    this.decomposition = decomposition;
    this.low = low;
    this.high = high;
    this.periodic = periodic;
    this.star = star;
    this.client = client;
  }

  /** Returns a space divided along its first axis, without a halo. */
  static IndexSpace of(Team team, Shape shape, ComputeClient client) {
    int axes = shape.rank();
    int[] none = new int[axes];
    return new IndexSpace(
        team, shape, Decomposition.block(), none, none, new boolean[axes], false, client);
  }

  /** Divides it in another way. */
  public IndexSpace divided(Decomposition other) {
    return new IndexSpace(team, shape, other, low, high, periodic, star, client);
  }

  /** Divides it in blocks over a grid of ranks; see {@link Decomposition#block(int...)}. */
  public IndexSpace over(int... ranks) {
    return divided(Decomposition.block(ranks));
  }

  /** Gives each rank's block layers of copies on all sides. */
  public IndexSpace halo(int width) {
    int[] widths = new int[shape.rank()];
    Arrays.fill(widths, width);
    return halo(widths, widths);
  }

  /**
   * Gives each rank's block layers of copies.
   *
   * @param below how many before the first index, per axis
   * @param above how many after the last
   */
  public IndexSpace halo(int[] below, int[] above) {
    requireAxes(below.length, "layers below");
    requireAxes(above.length, "layers above");
    return new IndexSpace(
        team, shape, decomposition, below.clone(), above.clone(), periodic, star, client);
  }

  /** Wraps all axes around: the halo before the first index has the last ones. */
  public IndexSpace periodic() {
    boolean[] all = new boolean[shape.rank()];
    Arrays.fill(all, true);
    return periodic(all);
  }

  /** Wraps axes around; see {@link #periodic()}. */
  public IndexSpace periodic(boolean... axes) {
    requireAxes(axes.length, "axes that wrap around or not");
    return new IndexSpace(team, shape, decomposition, low, high, axes.clone(), star, client);
  }

  /**
   * Leaves out of the halo what lies outside the block along more than one axis, which stencils in
   * the shape of a star do not read: fewer messages.
   */
  public IndexSpace star() {
    return new IndexSpace(team, shape, decomposition, low, high, periodic, true, client);
  }

  /**
   * Puts arrays on a device: a client of {@link dev.rialto.runtime.Devices#open}, which may limit
   * their memory. Ranks may use devices of their own.
   */
  public IndexSpace on(ComputeClient device) {
    return new IndexSpace(team, shape, decomposition, low, high, periodic, star, device);
  }

  /** Puts arrays on the host. */
  public IndexSpace onHost() {
    return on(team.runtime().host());
  }

  private void requireAxes(int count, String what) {
    if (count != shape.rank()) {
      throw new IllegalArgumentException(
          "%d %s for shape %s; give one per axis".formatted(count, what, shape));
    }
  }

  /** Returns this space with another shape of as many axes. */
  IndexSpace resized(Shape other) {
    if (other.rank() != shape.rank()) {
      throw new IllegalArgumentException(
          "resizing %s to %s; give as many axes".formatted(shape, other));
    }
    return new IndexSpace(team, other, decomposition, low, high, periodic, star, client);
  }

  /** Returns the team. */
  public Team team() {
    return team;
  }

  /** Returns the extents. */
  public Shape shape() {
    return shape;
  }

  /** Returns the client of the device that arrays are on. */
  public ComputeClient client() {
    return client;
  }

  /** Returns how it is divided. */
  public Decomposition decomposition() {
    return decomposition;
  }

  /** Returns whether there are layers of copies around each rank's block. */
  public boolean hasHalo() {
    for (int axis = 0; axis < low.length; axis++) {
      if (low[axis] != 0 || high[axis] != 0) {
        return true;
      }
    }
    return false;
  }

  /** Returns the layers around each rank's block, or null if there are none. */
  Halo.@Nullable Stencil stencil() {
    return hasHalo() ? Halo.Stencil.of(low, high, periodic, !star) : null;
  }

  /** Returns which rank holds which element of an array in this space. */
  public Distribution distribution() {
    Distribution known = distribution;
    if (known == null) {
      known = decomposition.divide(shape, team.communicator().size());
      distribution = known;
    }
    return known;
  }

  /**
   * Returns an element's number, in row-major order of the whole array: the row of a matrix that
   * belongs to a point of a grid.
   *
   * @throws IndexOutOfBoundsException if there is no such element
   */
  public long element(long... index) {
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
   * Returns the indices of an element by its number; the reverse of {@link #element}.
   *
   * @throws IndexOutOfBoundsException if there is no such element
   */
  public long[] index(long element) {
    if (element < 0 || element >= shape.count()) {
      throw new IndexOutOfBoundsException(
          "element %d of an array of shape %s, which has %d"
              .formatted(element, shape, shape.count()));
    }
    long[] index = new long[shape.rank()];
    long rest = element;
    for (int axis = index.length - 1; axis >= 0; axis--) {
      index[axis] = rest % shape.extent(axis);
      rest /= shape.extent(axis);
    }
    return index;
  }

  /** Makes an array of doubles. Collective. */
  public F64Array f64() {
    return (F64Array) array(DType.F64);
  }

  /** Makes an array of floats. Collective. */
  public F32Array f32() {
    return (F32Array) array(DType.F32);
  }

  /** Makes an array of longs. Collective. */
  public I64Array i64() {
    return (I64Array) array(DType.I64);
  }

  /** Makes an array of ints. Collective. */
  public I32Array i32() {
    return (I32Array) array(DType.I32);
  }

  /** Makes an array of complex numbers of two doubles. Collective. */
  public ComplexArray c128() {
    return (ComplexArray) array(DType.C128);
  }

  /** Makes an array of complex numbers of two floats. Collective. */
  public ComplexArray c64() {
    return (ComplexArray) array(DType.C64);
  }

  /**
   * Makes an array of a type. Collective.
   *
   * @throws IllegalArgumentException if there is a halo and the space is not divided in blocks, or
   *     the halo exceeds it
   */
  public Array array(DType type) {
    return team.runtime().make(describe(type).operand).array();
  }

  /** Returns an array without memory; which only {@link #array} gives. */
  Array describe(DType type) {
    return switch (type) {
      case F64 -> new F64Array(this);
      case F32 -> new F32Array(this);
      case F16, BF16 -> new HalfArray(this, type);
      case I64 -> new I64Array(this);
      case I32 -> new I32Array(this);
      case I8 -> new I8Array(this);
      case C64, C128 -> new ComplexArray(this, type);
      case I16, U8, U16, U32, U64 ->
          throw new IllegalArgumentException(
              ("an array of %s; kernels and programs compute with that type, arrays are of "
                      + "F64, F32, F16, BF16, I64, I32, I8, C128 or C64")
                  .formatted(type));
    };
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IndexSpace that
        && team == that.team
        && shape.equals(that.shape)
        && decomposition.equals(that.decomposition)
        && Arrays.equals(low, that.low)
        && Arrays.equals(high, that.high)
        && Arrays.equals(periodic, that.periodic)
        && star == that.star
        && client.device() == that.client.device();
  }

  @Override
  public int hashCode() {
    return Objects.hash(shape, decomposition, Arrays.hashCode(low), Arrays.hashCode(high));
  }

  /** Returns on which kind of device arrays are, which all ranks share; nothing for the host. */
  private String place() {
    String name = client.device().name();
    return client.device().isHostAccessible() ? "" : ", on " + name.substring(0, name.indexOf(':'));
  }

  @Override
  public String toString() {
    return Decomposition.describe(this) + (hasHalo() ? ", with a halo" : "") + place();
  }
}
