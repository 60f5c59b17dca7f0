package dev.rialto.array.part;

import dev.rialto.array.IndexSpace;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.exchange.plan.Region;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A rank's part of an array as long as that is divided in one way: which elements it has, where
 * they lie, the memory and the halo.
 */
public final class RankPart {
  public final IndexSpace space;
  public final Distribution distribution;
  public final PartLayout layout;
  public final HaloUpdates halo;

  /** The layers around the rank's block; null if there are none. */
  public final Halo.@Nullable Stencil stencil;

  private final TeamContext team;
  private final DType type;
  private final int rank;
  private final @Nullable ViewBox viewed;
  private IndexBox box = IndexBox.NONE;

  /** The same, while uses of elements are watched too. */
  private IndexBox inside = IndexBox.NONE;

  /** Checks each use of an element; null if uses are not checked. */
  private @Nullable SelfReads watch;

  private @Nullable Storage storage;
  private @Nullable Buffer buffer;
  private @Nullable View view;
  private MemorySegment memory = MemorySegment.NULL;
  private long @Nullable [] numbers;

  /** The host's memory as programs see it; made when it is first needed. */
  private @Nullable Buffer wrapped;

  /** The number of nodes of contexts bound to this. */
  private int bindings;

  /** Describes it; {@link #reserve} gives it memory. */
  RankPart(TeamContext team, IndexSpace space, Halo.@Nullable Stencil stencil, DType type) {
    this.team = team;
    this.stencil = stencil;
    this.viewed = null;
    this.space = space;
    this.type = type;
    this.rank = team.communicator().rank();
    this.distribution = space.distribution();
    if (stencil != null) {
      if (!(distribution instanceof Grid grid)) {
        throw new IllegalArgumentException(
            "a halo around " + distribution + "; divide the array in blocks");
      }
      // Refuses what cannot have a halo, before anything is allocated.
      var _ = Halo.stencil(grid, stencil, rank);
    }
    this.layout = PartLayout.of(distribution, stencil, rank);
    this.halo = new HaloUpdates(stencil);
    if (isOnDevice()) {
      requirePlaces();
    }
  }

  /** Describes what a rank has of a view, in the memory of another array. */
  RankPart(TeamContext team, IndexSpace space, DType type, ViewBox viewed) {
    this.team = team;
    this.stencil = null;
    this.viewed = viewed;
    this.space = space;
    this.type = type;
    this.rank = team.communicator().rank();
    this.distribution = space.distribution();
    this.halo = new HaloUpdates(null);
    Grid grid = (Grid) distribution;
    int[] order = grid.order();
    long[] strides = viewed.strides();
    Shape extents = grid.localShape(rank);
    boolean none = grid.localCount(rank) == 0;
    long offset = none ? 0 : viewed.offset(rank);
    RankPart whole = viewed.part();
    Shape sizes = Shape.of(Arrays.stream(order).mapToLong(extents::extent).toArray());
    long[] apart = Arrays.stream(order).mapToLong(axis -> strides[axis]).toArray();
    if (isOnDevice()) {
      this.buffer = whole.buffer;
      Region box = Region.box(sizes, apart, offset);
      this.layout = PartLayout.of((Region.Box) box, viewed.memory(), whole.layout.span());
      requirePlaces();
    } else {
      // Memory on the host starts with the view, so that it is addressed as that of any array.
      this.memory = whole.memory().asSlice(type.bytes(offset));
      Region box = Region.box(sizes, apart, 0);
      long span = memory.byteSize() / type.size();
      this.layout = PartLayout.of((Region.Box) box, viewed.memory(), span);
      this.inside = IndexBox.of(grid, strides, rank);
      this.box = inside;
    }
    this.view = View.of(Elements.of(type), memory, distribution, layout, rank);
  }

  /** Describes what a rank has of a zip, which is in no memory. */
  RankPart(TeamContext team, IndexSpace space, DType type, Elements computed) {
    this(team, space, null, type);
    this.view = View.of(computed, memory, distribution, layout, rank);
  }

  /** Refuses a part of a device's memory that has too many gaps for kernels. */
  private void requirePlaces() {
    if (layout.places() == null) {
      throw new IllegalArgumentException(
          "an array on %s of %s; gaps may be along up to %d axes there"
              .formatted(space.client().device().name(), space, Places.MOST_AXES));
    }
  }

  private boolean isOnDevice() {
    return !space.client().device().isHostAccessible();
  }

  /** Gets memory, under the array's name in tables. */
  public RankPart reserve(String name) {
    Communicator comm = team.communicator();
    long bytes = type.bytes(layout.span());
    if (isOnDevice()) {
      buffer = zeros(space.client(), name, bytes);
      view = View.of(Elements.of(type), memory, distribution, layout, rank);
      return this;
    }
    storage = new Storage(comm, space.client(), name, bytes);
    return this;
  }

  private static Buffer zeros(ComputeClient client, String name, long bytes) {
    Buffer buffer = client.empty(name, bytes);
    if (bytes > 0) {
      client.fill(buffer, MemorySegment.ofArray(new byte[1]));
    }
    return buffer;
  }

  /** Opens the memory to the other ranks, where it is the host's. Collective. */
  public void share() {
    if (storage != null) {
      storage.share(team.memory());
      memory = storage.memory();
      view = View.of(Elements.of(type), memory, distribution, layout, rank);
      inside = IndexBox.of(distribution, stencil, rank);
      box = inside;
    }
  }

  void flush() {
    if (storage != null) {
      storage.flush();
    }
  }

  /** Returns the memory on a device. */
  Buffer buffer(Operand array) {
    if (buffer == null) {
      throw new UnsupportedOperationException(
          "the buffer of %s, on the host; use local(), or make it in a space on a device"
              .formatted(array));
    }
    return buffer;
  }

  /** Returns the memory, wherever it is, for programs that are bound to it. */
  synchronized Buffer shared() {
    Buffer known = buffer != null ? buffer : wrapped;
    if (known == null) {
      known = viewed == null ? space.client().wrap(memory, memory.byteSize(), () -> {}) : part();
      wrapped = known;
    }
    return known;
  }

  /** Returns a view's memory as a part of the array's. */
  private Buffer part() {
    RankPart whole = Objects.requireNonNull(viewed).part();
    long from = memory.address() - whole.memory().address();
    return whole.shared().slice(from, memory.byteSize());
  }

  /** Refuses an array whose axes lie in another order than their own. */
  void requireRowMajor(String what, Operand array) {
    if (distribution instanceof Grid grid
        && !Arrays.equals(grid.order(), IntStream.range(0, grid.order().length).toArray())) {
      throw new IllegalArgumentException(
          "%s in row-major order, and the axes of %s lie in the order %s; copy it to an array of another space"
              .formatted(what, array, Arrays.toString(grid.order())));
    }
  }

  /** Returns the memory, wherever it is, for one launch; closed by the caller. */
  Buffer lend() {
    return shared().retain();
  }

  /** Counts nodes that this is. */
  void bound(int more) {
    bindings += more;
  }

  /** Refuses something while the halo is under way or a context has this memory. */
  public void requireFree(Operand array, String doing, String purpose) {
    halo.requireNone(array, doing);
    if (bindings > 0) {
      throw new IllegalStateException(
          "%s of %s while it is a node of a program's context; close the context first"
              .formatted(purpose, array));
    }
  }

  /** Returns where the elements lie that the rank owns, for kernels. */
  public Places places() {
    return Objects.requireNonNull(layout.places());
  }

  /** Returns the elements that the rank owns, on a device. */
  private Tensor owned() {
    Region region = layout.region();
    return new Tensor(
        Objects.requireNonNull(buffer), Shape.of(region.count()), region.layout(type));
  }

  /** Returns the elements without gaps, on a device: the buffer itself or a copy. */
  public Buffer packed() {
    Buffer all = Objects.requireNonNull(buffer);
    if (layout.isDense()) {
      return all.retain();
    }
    Buffer copy = space.client().empty("elements without a halo", type.bytes(layout.count()));
    if (layout.count() > 0) {
      space.client().copy(owned(), dense(copy));
    }
    return copy;
  }

  /** Returns where elements without gaps can be put: the buffer itself, or zeros. */
  public Buffer unpacked() {
    return layout.isDense()
        ? Objects.requireNonNull(buffer).retain()
        : zeros(space.client(), "elements without a halo", type.bytes(layout.count()));
  }

  /** Puts elements without gaps where they belong, unless they are there. */
  public void unpack(Buffer elements) {
    if (!layout.isDense() && layout.count() > 0) {
      space.client().copy(dense(elements), owned());
    }
  }

  /** Sets the elements to some that lie without gaps on the same device. */
  public void put(Buffer elements) {
    if (layout.isDense()) {
      space.client().copy(elements, Objects.requireNonNull(buffer));
    } else {
      unpack(elements);
    }
  }

  private Tensor dense(Buffer elements) {
    long count = layout.count();
    return new Tensor(elements, Shape.of(count), Layout.contiguous(type, count));
  }

  /** Copies the elements that the rank owns, without gaps, from a device to the host. */
  public void read(MemorySegment target) {
    if (layout.isDense()) {
      space.client().read(Objects.requireNonNull(buffer), target);
    } else if (layout.count() > 0) {
      space.client().read(owned(), target);
    }
  }

  /** Sets the elements that the rank owns on a device, as {@link #read} gives them. */
  public void write(MemorySegment source) {
    if (layout.isDense()) {
      space.client().write(Objects.requireNonNull(buffer), source);
    } else if (layout.count() > 0) {
      space.client().write(owned(), source);
    }
  }

  /** Returns how far apart a view has elements along each axis; null if this is no view. */
  public long @Nullable [] viewedStrides() {
    return viewed == null ? null : viewed.strides();
  }

  public View view() {
    return Objects.requireNonNull(view);
  }

  MemorySegment memory() {
    return memory;
  }

  IndexBox box() {
    return box;
  }

  /** Lets uses of elements be watched until that is ended by null; returns whether it begins. */
  boolean watch(@Nullable SelfReads by) {
    boolean begins = watch == null && by != null;
    watch = by;
    box = by == null ? inside : IndexBox.NONE;
    return begins;
  }

  /** Returns the place of an element that is used and is not in the box, which may be watched. */
  long place(Operand array, long... index) {
    long place = find(array, index);
    SelfReads by = watch;
    if (by != null) {
      by.check(array, index, memory.address() + type.bytes(place));
    }
    return place;
  }

  /** Returns where an element lies that the rank has. */
  public long find(Operand array, long... index) {
    long place = inside.place(index);
    if (place >= 0) {
      return place;
    }
    if (stencil == null || !isInHalo(index)) {
      long element = array.element(index);
      if (distribution.owner(element) == rank) {
        return layout.place(distribution.local(element));
      }
    }
    throw new IndexOutOfBoundsException(
        "rank %d does not have element %s of %s%s; read it with fetch, or give the array a wider halo"
            .formatted(
                rank,
                Arrays.toString(index),
                array,
                inside.equals(IndexBox.NONE) ? "" : ", but " + inside));
  }

  /** Returns whether indices, one per axis, lie outside the shape. */
  private boolean isInHalo(long[] index) {
    Shape shape = distribution.shape();
    boolean outside = false;
    for (int axis = 0; axis < Math.min(index.length, shape.rank()); axis++) {
      outside |= index[axis] < 0 || index[axis] >= shape.extent(axis);
    }
    return outside && index.length == shape.rank();
  }

  /** Returns the place of any element, wherever it is. */
  Storage.Place access(long element) {
    int owner = distribution.owner(element);
    PartLayout theirs = owner == rank ? layout : PartLayout.of(distribution, stencil, owner);
    return Objects.requireNonNull(storage)
        .place(owner, type.bytes(theirs.place(distribution.local(element))));
  }

  /** Returns the number of the element that is the {@code index}-th the rank owns in memory. */
  long elementAt(long index) {
    if (view().isInOrder()) {
      return view().first() + index;
    }
    long[] known = numbers;
    if (known == null) {
      long[] elements = distribution.elements(rank);
      known = new long[elements.length];
      for (long element : elements) {
        known[Math.toIntExact(distribution.local(element))] = element;
      }
      numbers = known;
    }
    return known[Math.toIntExact(index)];
  }

  /** Keeps this rank from the memory, which others may still use. */
  void retire() {
    box = IndexBox.NONE;
    inside = IndexBox.NONE;
    memory = MemorySegment.NULL;
  }

  /** Gives the memory back; together with the others, or so much of it as a rank can alone. */
  public void close(boolean together) {
    retire();
    // Kernels that were made for an array keep it.
    numbers = null;
    try {
      // In work that was started its exchange is another thread's; it closes with the team.
      halo.close(together && !team.isInStartedWork());
    } finally {
      if (storage != null) {
        storage.close(team.memory(), together);
      }
      if (buffer != null) {
        buffer.close();
      }
      if (wrapped != null) {
        wrapped.close();
      }
    }
  }
}
