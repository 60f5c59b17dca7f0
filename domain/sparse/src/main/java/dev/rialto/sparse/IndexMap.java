package dev.rialto.sparse;

import dev.rialto.array.IndexSpace;
import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.LongLists;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.exchange.plan.Region;
import dev.rialto.exchange.plan.Transposed;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Who owns which of the indices 0 to {@code size - 1}, and which indices of others a rank needs.
 *
 * {@snippet :
 * IndexMap rows = IndexMap.of(team.space(100, 10)).need(neighbours).assemble();
 * }
 *
 * <p>Local indices: first what the rank owns, then the halo, owner by owner, each in ascending
 * order, so that messages are received in place. An index may be owned by several ranks, an
 * overlap; its master is the lowest of them. Building is local until {@link Builder#assemble}; an
 * assembled map does not change but for its {@linkplain #scheme(String) scheme}.
 */
public final class IndexMap {
  private final Exchanger exchanger;
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

  private IndexMap(
      Builder builder,
      OwnerSearch search,
      long[] halo,
      int[] haloOwners,
      int[] copies,
      boolean overlapping) {
    this.exchanger = builder.exchanger;
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
    this.halo = haloPlan();
    IndexMap origin = builder.origin;
    this.sums = origin == null ? new Sums(comm(), replicated) : origin.sums;
    this.exchanges.scheme(origin == null ? null : origin.exchanges.scheme());
  }

  /**
   * Starts a map of the elements of a space, numbered in row-major order and owned as its arrays
   * hold them: those arrays are its vectors. Collective.
   */
  public static Builder of(IndexSpace space) {
    Distribution distribution = space.distribution();
    Exchanger exchanger = space.team().exchanger();
    int rank = exchanger.communicator().rank();
    checkLength(distribution.localCount(rank));
    long[] elements = distribution.elements(rank);
    long[] owned = new long[elements.length];
    for (long element : elements) {
      owned[(int) distribution.local(element)] = element;
    }
    OwnerSearch search = new OwnerSearch.ByFunction(distribution::owner);
    return new Builder(exchanger, space.shape().count(), owned, search, false);
  }

  /** Starts a map of consecutive blocks, rank by rank. Collective. */
  public static Builder blocks(Exchanger exchanger, long length) {
    checkLength(length);
    Communicator comm = exchanger.communicator();
    long[] starts = new long[comm.size() + 1];
    long[] lengths = Gathered.longs(comm, length);
    for (int rank = 0; rank < lengths.length; rank++) {
      starts[rank + 1] = starts[rank] + lengths[rank];
    }
    long[] owned = new long[(int) length];
    Arrays.setAll(owned, i -> starts[comm.rank()] + i);
    return new Builder(
        exchanger, starts[comm.size()], owned, new OwnerSearch.Blocks(starts), false);
  }

  /**
   * Starts a map of {@code size} indices in blocks that differ by at most one. Collective.
   *
   * @throws dev.rialto.spi.error.MismatchException if ranks give different sizes
   */
  public static Builder even(Exchanger exchanger, long size) {
    Communicator comm = exchanger.communicator();
    agreeOnSize(comm, size);
    long from = size * comm.rank() / comm.size();
    return blocks(exchanger, size * (comm.rank() + 1) / comm.size() - from);
  }

  /** Starts a map by a function that gives the owner of each index, the same on all ranks. */
  public static Builder partition(Exchanger exchanger, long size, LongToIntFunction owner) {
    Communicator comm = exchanger.communicator();
    long[] owned = new long[16];
    int count = 0;
    for (long global = 0; global < size; global++) {
      int rank = owner.applyAsInt(global);
      if (rank < 0 || rank >= comm.size()) {
        throw new IndexOutOfBoundsException(
            "index %d is given to rank %d of %d".formatted(global, rank, comm.size()));
      }
      if (rank == comm.rank()) {
        if (count == owned.length) {
          owned = Arrays.copyOf(owned, 2 * count);
        }
        owned[count++] = global;
      }
    }
    return new Builder(
        exchanger, size, Arrays.copyOf(owned, count), new OwnerSearch.ByFunction(owner), false);
  }

  /** Starts a map by an array with the owner of each index, the same on all ranks. */
  public static Builder owners(Exchanger exchanger, int... owner) {
    int[] copy = owner.clone();
    return partition(exchanger, copy.length, global -> copy[(int) global]);
  }

  /**
   * Starts a map from what each rank owns, in the order given. What several ranks list is an
   * overlap; an index that no rank lists is refused when the map is assembled.
   */
  public static Builder lists(Exchanger exchanger, long size, long... owned) {
    long[] sorted = owned.clone();
    Arrays.sort(sorted);
    for (int i = 0; i < sorted.length; i++) {
      checkGlobal(sorted[i], size);
      if (i > 0 && sorted[i] == sorted[i - 1]) {
        throw new IllegalArgumentException("index " + sorted[i] + " is listed twice; list it once");
      }
    }
    return new Builder(exchanger, size, owned.clone(), null, false);
  }

  /** Starts a map that gives every index to every rank; sums are then those of one rank. */
  public static Builder replicated(Exchanger exchanger, int size) {
    int rank = exchanger.communicator().rank();
    long[] owned = new long[size];
    Arrays.setAll(owned, i -> i);
    return new Builder(exchanger, size, owned, new OwnerSearch.ByFunction(_ -> rank), true);
  }

  private static void checkLength(long length) {
    if (length < 0 || length > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "a block of %d indices on one rank; give from 0 to %d, or use more ranks"
              .formatted(length, Integer.MAX_VALUE - 8));
    }
  }

  private static void agreeOnSize(Communicator comm, long size) {
    Gathered.agree(comm, "the size of a map", size + " indices", "give the same on all ranks");
  }

  private static void checkGlobal(long global, long size) {
    if (global < 0 || global >= size) {
      throw new IndexOutOfBoundsException("index " + global + " of a map of " + size);
    }
  }

  /** A map under construction. Nothing is sent before {@link #assemble}. */
  public static final class Builder {
    private final Exchanger exchanger;
    private final long size;
    private final long[] owned;
    private final boolean replicated;
    private final @Nullable OwnerSearch search;
    private @Nullable IndexMap origin;
    private long[] needed = new long[16];
    private int count;

    private Builder(
        Exchanger exchanger,
        long size,
        long[] owned,
        @Nullable OwnerSearch search,
        boolean replicated) {
      this.exchanger = exchanger;
      this.size = size;
      this.owned = owned;
      this.search = search;
      this.replicated = replicated;
    }

    /** Asks for indices, which become part of the halo unless this rank owns them. */
    public Builder need(long... globals) {
      for (long global : globals) {
        checkGlobal(global, size);
      }
      if (count + globals.length > needed.length) {
        needed = Arrays.copyOf(needed, Math.max(2 * needed.length, count + globals.length));
      }
      System.arraycopy(globals, 0, needed, count, globals.length);
      count += globals.length;
      return this;
    }

    /**
     * Finds the owners of the halo and freezes the map. Collective.
     *
     * @throws IllegalArgumentException if an index has no owner or, but for {@link IndexMap#lists
     *     lists}, several; on all ranks
     * @throws dev.rialto.spi.error.MismatchException if ranks give different sizes
     */
    public IndexMap assemble() {
      Communicator comm = exchanger.communicator();
      IndexMap known = origin;
      if (known == null) {
        agreeOnSize(comm, size);
        if (search != null && !replicated) {
          checkOwners(comm);
        }
      }
      OwnerSearch owners = search == null ? OwnerSearch.Directory.of(comm, size, owned) : search;
      long[] halo = halo();
      int[] found = owners.find(comm, halo);
      int[] copies = known == null ? findCopies(comm, owners) : known.copies;
      boolean overlapping =
          known == null
              ? search == null
                  && Arrays.stream(Gathered.longs(comm, copies.length)).anyMatch(n -> n > 0)
              : known.overlapping;
      int[] counts = new int[comm.size() + 1];
      for (int owner : found) {
        counts[owner + 1]++;
      }
      Arrays.parallelPrefix(counts, Integer::sum);
      long[] ordered = new long[halo.length];
      int[] haloOwners = new int[halo.length];
      for (int i = 0; i < halo.length; i++) {
        int at = counts[found[i]]++;
        ordered[at] = halo[i];
        haloOwners[at] = found[i];
      }
      return new IndexMap(this, owners, ordered, haloOwners, copies, overlapping);
    }

    /** Checks that each index is one rank's: the functions of the ranks may differ. */
    private void checkOwners(Communicator comm) {
      long all = Arrays.stream(Gathered.longs(comm, owned.length)).sum();
      if (all != size) {
        throw new IllegalArgumentException(
            "%d indices are owned by one rank or another, where there are %d; ".formatted(all, size)
                + "give the same owners on all ranks");
      }
    }

    /** Returns what is needed and not owned, each once, ascending. */
    private long[] halo() {
      long[] mine = owned;
      for (int i = 1; i < owned.length; i++) {
        if (owned[i] < owned[i - 1]) {
          mine = owned.clone();
          Arrays.sort(mine);
          break;
        }
      }
      long[] sorted = mine;
      return Arrays.stream(needed, 0, count)
          .sorted()
          .distinct()
          .filter(global -> Arrays.binarySearch(sorted, global) < 0)
          .toArray();
    }

    /** Returns which of the owned indices a lower rank owns too; only lists may overlap. */
    private int[] findCopies(Communicator comm, OwnerSearch owners) {
      int[] masters = search == null ? owners.find(comm, owned) : new int[0];
      return IntStream.range(0, masters.length).filter(i -> masters[i] != comm.rank()).toArray();
    }
  }

  /** Starts a map of the same owners with another halo, and with the same choices. */
  public Builder withOwners() {
    Builder builder =
        new Builder(exchanger, size, Arrays.copyOf(globals, owned), search, replicated);
    builder.origin = this;
    return builder;
  }

  private ExchangePlan haloPlan() {
    Communicator comm = comm();
    LongLists wanted = new LongLists(comm.size());
    for (int i = 0; i < haloOwners.length; i++) {
      wanted.add(haloOwners[i], globals[owned + i]);
    }
    LongLists asked = wanted.exchange(comm);
    List<Block> sends = new ArrayList<>();
    List<Block> receives = new ArrayList<>();
    long at = owned;
    for (int peer = 0; peer < comm.size(); peer++) {
      long[] elements = asked.get(peer);
      Arrays.setAll(elements, i -> places.local(elements[i]));
      sends.add(Block.of(peer, Region.indices(elements)));
      int count = wanted.get(peer).length;
      receives.add(Block.of(peer, Region.contiguous(at, count)));
      at += count;
    }
    return ExchangePlan.of(
        "halo of " + haloOwners.length + " indices",
        comm.rank(),
        comm.size(),
        owned,
        globals.length,
        sends,
        receives,
        Combine.REPLACE);
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

  /** Returns what runs this map's exchanges. */
  public Exchanger exchanger() {
    return exchanger;
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

  /** Returns the owner of a halo index, given as a local one. */
  public int haloOwner(int local) {
    return haloOwners[local - owned];
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

  /** Returns which arrays are vectors of this map. */
  ArrayFit arrays() {
    return arrays;
  }

  /** Returns the sums over the ranks of this map. */
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

  /** Returns an exchange that adds halos to what their owners have. */
  Exchange addingExchange(DType type, int width) {
    return exchange(adding.computeIfAbsent(width, w -> Transposed.adding(haloPlan(w))), type);
  }

  /** Returns an exchange that makes overlapping elements agree. Collective the first time. */
  Exchange overlapExchange(Overlap.Rule rule, DType type, int width) {
    ExchangePlan plan = overlaps.get(rule);
    if (plan == null) {
      plan = Overlap.of(comm(), Arrays.copyOf(globals, owned), rule);
      overlaps.put(rule, plan);
    }
    return exchange(exchanges.wide(plan, width), type);
  }

  private Exchange exchange(ExchangePlan plan, DType type) {
    return exchanges.idle(exchanger, plan, type, exchanger::exchange);
  }

  /** Returns an exchange that fills the halo of vectors on a device. */
  Exchange haloExchange(SparseDevice home, DType type, int width) {
    return exchanges.idle(home, haloPlan(width), type, home::exchange);
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
    try (MultiVector scratch = new MultiVector(this, type)) {
      Tuned tuned =
          new Tuner(exchanger).effort(effort).plan(halo, type, scratch.memory(), scratch.memory());
      exchanges.scheme(tuned.scheme(0));
      return tuned;
    }
  }

  /**
   * What an update of the halo means for this rank.
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
