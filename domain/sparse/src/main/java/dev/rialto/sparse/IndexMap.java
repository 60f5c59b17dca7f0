package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.array.Decomposition;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.Team;
import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.exchange.plan.Transposed;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.sparse.ownership.Gathered;
import dev.rialto.sparse.ownership.GlobalToLocal;
import dev.rialto.sparse.ownership.HaloPlan;
import dev.rialto.sparse.ownership.ListedRows;
import dev.rialto.sparse.ownership.MapExchanges;
import dev.rialto.sparse.ownership.OwnerSearch;
import dev.rialto.sparse.ownership.Sums;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A division of the indices 0 to {@code size - 1} among ranks, and those of others that each needs.
 *
 * {@snippet :
 * IndexMap rows = IndexMap.of(team.space(100, 10)).need(neighbours).assemble();
 * }
 *
 * <p>Local indices: first what the rank owns, then the halo, owner by owner, each in ascending
 * order, so that messages are received in place. An index may be owned by several ranks, an
 * overlap; its master is the lowest of them. Building is local until {@link
 * IndexMapBuilder#assemble}; an assembled map does not change but for its {@linkplain
 * #scheme(String) scheme}.
 */
public final class IndexMap {
  private final Team team;
  private final Exchanger exchanger;
  private final IndexSpace space;
  private final OwnerSearch search;
  private final long size;
  private final int owned;
  private final long[] globals;
  private final int[] haloOwners;
  private final int[] copies;
  private final boolean overlapping;
  private final boolean replicated;
  private final GlobalToLocal places;
  private final ExchangePlan halo;
  private final Sums sums;
  private final Map<Integer, ExchangePlan> adding = new HashMap<>();
  private final Map<Overlap.Rule, ExchangePlan> overlaps = new EnumMap<>(Overlap.Rule.class);
  private final MapExchanges exchanges = new MapExchanges();
  private final ArrayFit arrays = new ArrayFit(this);

  IndexMap(
      IndexMapBuilder builder,
      IndexSpace space,
      OwnerSearch search,
      long[] halo,
      int[] haloOwners,
      int[] copies,
      boolean overlapping) {
    this.team = builder.team;
    this.exchanger = team.exchanger();
    this.space = space;
    this.search = search;
    this.size = builder.size;
    this.owned = builder.owned.length;
    this.haloOwners = haloOwners;
    this.copies = copies;
    this.overlapping = overlapping;
    this.replicated = builder.replicated;
    this.globals = Arrays.copyOf(builder.owned, owned + halo.length);
    System.arraycopy(halo, 0, globals, owned, halo.length);
    int block = 0;
    while (block < owned && globals[block] == globals[0] + block) {
      block++;
    }
    this.places = GlobalToLocal.of(size, globals, block);
    this.halo = HaloPlan.of(comm(), owned, globals, haloOwners, places);
    IndexMap origin = builder.origin;
    this.sums = origin == null ? new Sums(comm(), replicated) : origin.sums;
    this.exchanges.scheme(origin == null ? null : origin.exchanges.scheme());
  }

  /**
   * Starts a map of the elements of a space, numbered in row-major order and owned as its arrays
   * hold them: those arrays are its vectors. Collective.
   */
  public static IndexMapBuilder of(IndexSpace space) {
    Distribution distribution = space.distribution();
    int rank = space.team().rank();
    IndexMapBuilder.checkLength(distribution.localCount(rank));
    long[] elements = distribution.elements(rank);
    long[] owned = new long[elements.length];
    for (long element : elements) {
      owned[(int) distribution.local(element)] = element;
    }
    OwnerSearch search = new OwnerSearch.ByFunction(distribution::owner);
    return new IndexMapBuilder(space.team(), space.shape().count(), owned, search, false)
        .vectors(space.halo(0));
  }

  /** Starts a map of consecutive blocks, rank by rank. Collective. */
  public static IndexMapBuilder blocks(Team team, long length) {
    IndexMapBuilder.checkLength(length);
    return of(ListedRows.blocks(team, length));
  }

  /**
   * Starts a map of {@code size} indices in blocks that differ by at most one, as the arrays of one
   * axis are divided that a team makes. Collective.
   *
   * @throws dev.rialto.spi.error.MismatchException if ranks give different sizes
   */
  public static IndexMapBuilder even(Team team, long size) {
    IndexMapBuilder.agree(team.communicator(), size + " indices");
    return of(team.space(size));
  }

  /** Starts a map by a function that gives the owner of each index, the same on all ranks. */
  public static IndexMapBuilder partition(Team team, long size, LongToIntFunction owner) {
    return of(team.space(size).divided(Decomposition.byOwner(owner)));
  }

  /** Starts a map by an array with the owner of each index, the same on all ranks. */
  public static IndexMapBuilder owners(Team team, int... owner) {
    int[] copy = owner.clone();
    return partition(team, copy.length, global -> copy[(int) global]);
  }

  /**
   * Starts a map from what each rank owns, in the order given. What several ranks list is an
   * overlap; an index that no rank lists is refused when the map is assembled. A vector of it is an
   * array of the lists, one rank's after the other's.
   */
  public static IndexMapBuilder lists(Team team, long size, long... owned) {
    long[] sorted = owned.clone();
    Arrays.sort(sorted);
    for (int i = 0; i < sorted.length; i++) {
      IndexMapBuilder.checkGlobal(sorted[i], size);
      if (i > 0 && sorted[i] == sorted[i - 1]) {
        throw new IllegalArgumentException("index " + sorted[i] + " is listed twice; list it once");
      }
    }
    return new IndexMapBuilder(team, size, owned.clone(), null, false);
  }

  /** Starts a map that gives every index to every rank; sums are then those of one rank. */
  public static IndexMapBuilder replicated(Team team, int size) {
    int rank = team.rank();
    long[] owned = new long[size];
    Arrays.setAll(owned, i -> i);
    return new IndexMapBuilder(team, size, owned, new OwnerSearch.ByFunction(_ -> rank), true);
  }

  /** Starts a map of the same owners with another halo, and with the same choices. */
  public IndexMapBuilder withOwners() {
    IndexMapBuilder builder =
        new IndexMapBuilder(team, size, Arrays.copyOf(globals, owned), search, replicated);
    builder.origin = this;
    return builder.vectors(space);
  }

  /** Returns the ranks. */
  public Communicator comm() {
    return exchanger.communicator();
  }

  /**
   * Checks that all ranks say the same. Collective, but for a replicated map, which each rank uses
   * by itself.
   *
   * @param what what they talk about
   * @throws dev.rialto.spi.error.MismatchException on all ranks, with two sides that differ
   */
  public void agree(String what, String mine) {
    if (!replicated) {
      Gathered.agree(comm(), what, mine, "do the same on all ranks");
    }
  }

  /** Returns the team. */
  public Team team() {
    return team;
  }

  /** Returns the space of arrays that are vectors of this map. */
  public IndexSpace space() {
    return space;
  }

  /** Returns the space of arrays that are several vectors, which have one more axis. */
  public IndexSpace space(int vectors) {
    Shape shape = space.shape();
    long[] extents = Arrays.copyOf(shape.extents(), shape.rank() + 1);
    extents[shape.rank()] = vectors;
    Decomposition same = space.decomposition();
    boolean byAxes =
        same instanceof Decomposition.OnGrid
            || same instanceof Decomposition.Irregular
            || same instanceof ListedRows;
    Distribution one = space.distribution();
    return team.space(extents)
        .divided(byAxes ? same : Decomposition.byOwner(element -> one.owner(element / vectors)))
        .on(space.client());
  }

  /**
   * Returns the space of arrays for copies of the elements that each rank needs of others. Each
   * rank has as many of its own as its halo. Collective.
   *
   * @param vectors how many vectors; with more than one there is one more axis
   */
  public IndexSpace haloSpace(int vectors) {
    IndexSpace one = ListedRows.blocks(team, locals() - owned);
    long count = one.shape().count();
    return vectors == 1 ? one : team.space(count, vectors).divided(one.decomposition());
  }

  /** Returns how many indices there are on all ranks together. */
  public long size() {
    return size;
  }

  /** Returns how many this rank owns: its local indices from 0. */
  public int owned() {
    return owned;
  }

  /** Returns how many local indices there are, halo included. */
  public int locals() {
    return globals.length;
  }

  /** Returns the global index of a local one. */
  public long global(int local) {
    return globals[local];
  }

  /** Returns the local index of a global one, or -1 if this rank has none. */
  public int local(long global) {
    return places.local(global);
  }

  /** Returns the owner of each global index. Collective. */
  public int[] findOwners(long... indices) {
    return search.find(comm(), indices);
  }

  /** Returns the local indices that this rank owns together with a lower one, ascending. */
  int[] copies() {
    return copies;
  }

  /** Returns whether some index is owned by several ranks; the same on all ranks. */
  public boolean isOverlapping() {
    return overlapping;
  }

  /** Returns whether this rank is the master of an owned index, the lowest of its owners. */
  public boolean isMaster(int local) {
    return Arrays.binarySearch(copies, local) < 0;
  }

  /**
   * Asks for results whose bits depend neither on the number of ranks nor on who owns what: dot
   * products and norms are exact and rounded once, at some ten times the cost, and products of
   * matrices add each row in the order of global columns, without a special format. It holds for
   * this map and for all that share its owners by {@link #withOwners}, a matrix's among them,
   * whichever was made first. All ranks ask alike.
   */
  public void reproducible(boolean on) {
    sums.exact(on);
  }

  /** Returns whether {@link #reproducible} sums were asked for. */
  public boolean isReproducible() {
    return sums.exact();
  }

  /**
   * Returns how many vectors of this map an array is.
   *
   * @throws IllegalArgumentException if it is of another type, or divided in another way
   */
  public int width(Array array, DType type) {
    return arrays.width(array, type);
  }

  /** Returns which arrays are vectors of this map. */
  ArrayFit arrays() {
    return arrays;
  }

  Sums sums() {
    return sums;
  }

  /** Returns whether vectors of the two maps can be used together, as far as owned parts go. */
  public boolean sameOwners(IndexMap other) {
    return this == other
        || (size == other.size
            && owned == other.owned
            && Arrays.equals(globals, 0, owned, other.globals, 0, owned));
  }

  /** Returns the plan that fills the halo. */
  public ExchangePlan haloPlan(int width) {
    return exchanges.wide(halo, width);
  }

  /** Returns an exchange that fills the halo of vectors, by this map's scheme. */
  public Exchange haloExchange(DType type, int width) {
    return exchange(haloPlan(width), type);
  }

  /** Returns an exchange that adds halos to the elements of their owners. */
  public Exchange addingExchange(DType type, int width) {
    return exchange(addingPlan(width), type);
  }

  ExchangePlan addingPlan(int width) {
    return adding.computeIfAbsent(width, w -> Transposed.adding(haloPlan(w)));
  }

  /** Returns an exchange that makes overlapping elements agree. Collective the first time. */
  public Exchange overlapExchange(Overlap.Rule rule, DType type, int width) {
    return exchange(overlapPlan(rule, width), type);
  }

  /** Returns the plan that makes overlapping elements agree. Collective the first time. */
  ExchangePlan overlapPlan(Overlap.Rule rule, int width) {
    ExchangePlan plan = overlaps.get(rule);
    if (plan == null) {
      plan = Overlap.of(comm(), Arrays.copyOf(globals, owned), rule);
      overlaps.put(rule, plan);
    }
    return exchanges.wide(plan, width);
  }

  private Exchange exchange(ExchangePlan plan, DType type) {
    return exchanges.waiting(exchanger, plan, type, exchanger::exchange);
  }

  /** Returns the exchange of the next update that is started; it may be under way. */
  Exchange nextStarted(ExchangePlan plan, DType type) {
    return exchanges.next(exchanger, plan, type, exchanger::exchange);
  }

  /** Returns an exchange that fills the halo of vectors on a device, or on the host. */
  Exchange haloExchange(@Nullable SparseDevice home, DType type, int width) {
    return home == null
        ? haloExchange(type, width)
        : exchanges.waiting(home, haloPlan(width), type, home::exchange);
  }

  /**
   * Chooses how halos travel; vectors that exist follow at their next update. Collective.
   *
   * @throws IllegalArgumentException if there is no such scheme, with those there are
   * @throws dev.rialto.spi.error.MismatchException if ranks choose different ones
   */
  public void scheme(String text) {
    Scheme chosen = Scheme.parse(text);
    Gathered.agree(comm(), "the scheme", chosen.toString(), "choose the same on all ranks");
    exchanges.scheme(chosen);
  }

  /** Returns the scheme that was chosen; empty for the engine's own choice. */
  public Optional<Scheme> scheme() {
    return Optional.ofNullable(exchanges.scheme());
  }

  /**
   * Races the schemes that can fill this map's halo, here and with this type, and keeps the
   * fastest. Collective.
   *
   * @return what was timed
   */
  public Tuned tune(Effort effort, DType type) {
    return tune(new Tuner(exchanger).effort(effort), type);
  }

  /** Finds the fastest scheme with a tuner; see {@link #tune(Effort, DType)}. Collective. */
  public Tuned tune(Tuner tuner, DType type) {
    HaloMemory.Kind kind = new HaloMemory.Kind(this, type, 1);
    MemorySegment scratch = arrays.halos().take(kind);
    Tuned tuned = tuner.plan(halo, type, scratch, scratch);
    arrays.halos().giveBack(kind, scratch);
    exchanges.scheme(tuned.scheme(0));
    return tuned;
  }

  /**
   * The traffic of a halo's update on this rank.
   *
   * @param neighbours ranks it receives from
   * @param sent elements it sends
   * @param received elements it receives
   * @param surfaceToVolume received elements for each owned one
   */
  public record Statistics(int neighbours, long sent, long received, double surfaceToVolume) {
    /** Returns the bytes that this rank sends of a vector of a type. */
    public long bytesSent(DType type) {
      return type.bytes(sent);
    }
  }

  /** Returns what an update of the halo means for this rank. */
  public Statistics statistics() {
    return new Statistics(
        halo.receives().size(),
        halo.sentCount(),
        haloOwners.length,
        owned == 0 ? 0 : (double) haloOwners.length / owned);
  }

  @Override
  public String toString() {
    return "%d indices, rank %d owns %d and needs %d"
        .formatted(size, comm().rank(), owned, haloOwners.length);
  }
}
