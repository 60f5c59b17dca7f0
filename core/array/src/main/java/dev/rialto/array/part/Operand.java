package dev.rialto.array.part;

import dev.rialto.array.Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * An array as operations see it: this rank's part, whether it is stored, a view or a zip, and what
 * may be done with it now. {@link Array} is the same for users.
 */
public final class Operand {
  private final TeamContext team;
  private final Array array;
  private final DType type;
  private final int number;
  private RankPart part;
  private long signature;
  private boolean closed;

  /** The part of another array that this shows, if it is a view. */
  private @Nullable ViewBox viewed;

  /** The function of two arrays that this is, if it is a zip. */
  private @Nullable Zip zip;

  /** Whether views of this have been made. */
  private boolean hasViews;

  /** The arrays in this one's memory that work uses which was started: itself, or its views. */
  private final List<Operand> inUse = new CopyOnWriteArrayList<>();

  /**
   * Describes an array, which {@link #reserve} gives its memory.
   *
   * @param array what users have of it
   */
  public Operand(
      TeamContext team, Array array, IndexSpace space, Halo.@Nullable Stencil stencil, DType type) {
    this.team = team;
    this.array = array;
    this.type = type;
    this.part = new RankPart(team, space, stencil, type);
    this.number = team.nextArray();
    this.signature = sign();
  }

  /**
   * Takes memory on this rank, which {@link #share} opens to others or {@link #discard} gives back.
   */
  public Operand reserve() {
    var _ = part.reserve(toString());
    return this;
  }

  /** Opens this array's memory to the other ranks; the team closes what is left. Collective. */
  public void share() {
    part.share();
    team.opened(this);
  }

  Operand show(ViewBox of) {
    viewed = of;
    of.whole().hasViews = true;
    part = new RankPart(team, space(), type, of);
    signature = sign();
    return this;
  }

  Operand show(Zip of) {
    zip = of;
    part = new RankPart(team, space(), type, isOnDevice() ? Elements.of(type) : of.elements());
    signature = sign();
    return this;
  }

  /** Takes another part in place of its own, which is closed. Collective. */
  public void change(RankPart other) {
    part.close(true);
    part = other;
    signature = sign();
  }

  /** Gives back memory that no other rank has seen. */
  public void discard() {
    closed = true;
    part.close(false);
  }

  /** Returns a number that is the same on all ranks for the same array, divided in one way. */
  public long signature() {
    return signature;
  }

  private long sign() {
    long hash = Signature.of(toString());
    Distribution distribution = part.distribution;
    for (int rank = 0; rank < distribution.ranks(); rank++) {
      hash = Signature.mix(hash, distribution.localCount(rank));
    }
    return hash;
  }

  /** Remembers that work was started which uses this array, or has ended. */
  public void claim(boolean begins) {
    if (zip != null) {
      zip.first().claim(begins);
      zip.second().claim(begins);
    } else if (begins) {
      whole().inUse.add(this);
    } else {
      whole().inUse.remove(this);
    }
  }

  public TeamContext team() {
    return team;
  }

  /** Returns what users have of this. */
  public Array array() {
    return array;
  }

  public DType type() {
    return type;
  }

  public IndexSpace space() {
    return part.space;
  }

  public Shape shape() {
    return part.distribution.shape();
  }

  public Distribution distribution() {
    return part.distribution;
  }

  /** Returns the client of the device that this array is on. */
  public ComputeClient client() {
    return part.space.client();
  }

  /** Returns whether this array is in the memory of a device that the host cannot access. */
  public boolean isOnDevice() {
    return !client().device().isHostAccessible();
  }

  /** Returns where in this rank's memory its elements lie. */
  public PartLayout layout() {
    return part.layout;
  }

  /** Returns where in this rank's memory its elements lie, in bytes. */
  public Layout owned() {
    return part.layout.region().layout(type);
  }

  /** Returns the number of the element that is the {@code index}-th this rank owns in memory. */
  public long elementAt(long index) {
    checkOpen();
    return part.elementAt(index);
  }

  /** Returns an element's number; see {@link IndexSpace#element}. */
  public long element(long... index) {
    return part.space.element(index);
  }

  public boolean isView() {
    return viewed != null;
  }

  /** Returns whether others may show elements of this. */
  boolean hasViews() {
    return hasViews;
  }

  /** Returns the function that this computes; null if it is stored. */
  public @Nullable Zip zip() {
    return zip;
  }

  /** Returns the array whose memory this is in: itself unless it is a view. */
  public Operand whole() {
    ViewBox shown = viewed;
    return shown == null ? this : shown.whole();
  }

  /** Returns what this shows of an array: of itself, all. */
  ViewBox shown() {
    ViewBox shown = viewed;
    return shown == null ? ViewBox.all(this) : shown;
  }

  public RankPart part() {
    checkOpen();
    return part;
  }

  /** Returns this rank's part in memory as loops see it. */
  public View view() {
    requireStored("using the memory of");
    return values();
  }

  /** Returns this rank's part as loops read it. */
  public View values() {
    checkOpen();
    return part.view();
  }

  public Elements elements() {
    return values().elements();
  }

  /** Returns this rank's memory, for the places that follow. */
  public MemorySegment memory() {
    return part.memory();
  }

  /** Returns the address of this rank's memory. */
  public long address() {
    return view().memory().address();
  }

  /** Returns this rank's memory on the host, if no work uses it that was started. */
  public MemorySegment local() {
    RankPart own = usable("using the memory of");
    requireHost("the host's memory");
    return own.memory();
  }

  /** Returns this rank's memory on a device, if no work uses it that was started. */
  public Buffer buffer() {
    return usable("using the buffer of").buffer(this);
  }

  /** Returns where an element lies that this rank has, in bytes. */
  public long offset(long... index) {
    long place = part.box().place(index);
    return (place >= 0 ? place : placeOutside(index)) * type.size();
  }

  /** Returns the indices that this rank's memory has, where they are in blocks. */
  public IndexBox box() {
    return part.box();
  }

  /**
   * Returns the address of an element that this rank has. The memory's own check is not made of an
   * address, and a view keeps where its elements lie when the array it shows is closed.
   */
  public long address(long[] index) {
    checkOpen();
    return memory().address() + offset(index);
  }

  /** Returns the place of an element that is not in the box, or refuses it. */
  public long placeOutside(long... index) {
    checkOpen();
    requireStored("reading or writing an element of");
    requireHost("an element");
    return part.place(this, index);
  }

  /** Returns whether the elements lie in row-major order; see {@link View#isInOrder}. */
  public boolean isInOrder() {
    return values().isInOrder();
  }

  /** Returns the halo, if it may be updated now. */
  public HaloUpdates halo(String purpose) {
    RankPart own = usable(purpose);
    if (team.isInStartedWork()) {
      throw new IllegalStateException(
          "the halo of " + this + " in work that was started; update it before or after");
    }
    return own.halo;
  }

  /** Refuses what needs the memory of a zip. */
  public void requireStored(String what) {
    if (zip != null) {
      throw new UnsupportedOperationException(
          "%s %s, a zip, whose elements are computed and not stored; set an array to them first"
              .formatted(what, this));
    }
  }

  /** Refuses what needs memory of its own. */
  public void requireWhole(String what, String remedy) {
    if (viewed != null) {
      throw new UnsupportedOperationException("%s of %s, a view; %s".formatted(what, this, remedy));
    }
  }

  /** Refuses what needs the host's memory. */
  void requireHost(String what) {
    if (isOnDevice()) {
      throw new UnsupportedOperationException(
          "%s of %s, whose elements are in the memory of %s; copy the array to one of space().onHost()"
              .formatted(what, this, client().device().name()));
    }
  }

  /** Refuses to be used after it was closed, or what it shows was changed. */
  public void checkOpen() {
    if (closed) {
      throw new IllegalStateException(this + " is closed; keep it open as long as it is used");
    }
    ViewBox shown = viewed;
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

  /** Returns the memory, if no work uses it that was started. */
  RankPart usable(String purpose) {
    checkOpen();
    requireStored(purpose);
    List<Operand> uses = whole().inUse;
    if (!uses.isEmpty()
        && !team.isInStartedWork()
        && uses.stream().anyMatch(other -> Operands.overlap(this, other))) {
      throw new IllegalStateException(
          "%s %s while work is under way that was started with it; await that first"
              .formatted(purpose, this));
    }
    team.requireNoFailure(this);
    return part;
  }

  /** Exchanges the memory with an array of the same space and type. */
  public void swap(Operand other) {
    team.enter("swapping " + this);
    try {
      swapParts(other);
    } finally {
      team.exit();
    }
  }

  private void swapParts(Operand other) {
    RankPart own = exchangeable();
    RankPart theirs = other.exchangeable();
    if (type != other.type || !space().equals(other.space())) {
      throw new IllegalArgumentException(
          "a swap of %s and %s; give arrays of one type and space, as like() makes them"
              .formatted(this, other));
    }
    part = theirs;
    other.part = own;
  }

  /** Returns the memory, if it can become another array's. */
  private RankPart exchangeable() {
    RankPart own = usable("swapping");
    requireWhole("a swap", "swap the arrays that are viewed");
    own.requireFree(this, "swapping", "a swap");
    return own;
  }

  /** Refuses to be closed while its halo is under way, or it is a node of a program's context. */
  public void requireClosable() {
    part.requireFree(this, "closing", "closing");
  }

  /** Gives the memory back; see {@link Array#close}. */
  public void close() {
    if (closed) {
      return;
    }
    if (viewed != null || zip != null) {
      closed = true;
      return;
    }
    team.enter("closing " + this);
    try {
      requireClosable();
      try {
        if (!inUse.isEmpty()) {
          team.finishWork();
        }
        team.requireNoFailure(this);
      } finally {
        closed = true;
        team.closed(this);
        part.retire();
        team.release("closing " + this, part);
      }
    } finally {
      team.exit();
    }
  }

  /** Returns what this array is, in words that are the same on all ranks. */
  @Override
  public String toString() {
    return "%s array %d of %s".formatted(type, number, part.space);
  }
}
