package dev.rialto.sparse;

import dev.rialto.array.IndexSpace;
import dev.rialto.array.Team;
import dev.rialto.sparse.ownership.Gathered;
import dev.rialto.sparse.ownership.ListedRows;
import dev.rialto.sparse.ownership.OwnerSearch;
import dev.rialto.spi.comm.Communicator;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** An {@link IndexMap} under construction. Nothing is sent before {@link #assemble}. */
public final class IndexMapBuilder {
  final Team team;
  final long size;
  final long[] owned;
  final boolean replicated;
  private final @Nullable OwnerSearch search;
  @Nullable IndexMap origin;
  private @Nullable IndexSpace space;
  private long[] needed = new long[16];
  private int count;

  IndexMapBuilder(
      Team team, long size, long[] owned, @Nullable OwnerSearch search, boolean replicated) {
    this.team = team;
    this.size = size;
    this.owned = owned;
    this.search = search;
    this.replicated = replicated;
  }

  /** Says what the vectors are; without it they are arrays of what each rank owns. */
  IndexMapBuilder vectors(IndexSpace arrays) {
    space = arrays;
    return this;
  }

  /** Asks for indices, which become part of the halo unless this rank owns them. */
  public IndexMapBuilder need(long... globals) {
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
   * @throws IllegalArgumentException if an index has no owner; on all ranks
   * @throws dev.rialto.spi.error.MismatchException if ranks give different sizes or owners
   */
  public IndexMap assemble() {
    Communicator comm = team.communicator();
    IndexMap known = origin;
    if (known == null) {
      agree(comm, space == null ? size + " indices" : space.toString());
    }
    OwnerSearch owners = search == null ? OwnerSearch.Directory.of(comm, size, owned) : search;
    long[] halo = halo();
    int[] found = owners.find(comm, halo);
    int[] copies = known == null ? findCopies(comm, owners) : known.copies();
    boolean overlapping =
        known == null
            ? search == null && comm.max((long) copies.length) > 0
            : known.isOverlapping();
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
    IndexSpace vectors = space;
    if (vectors == null) {
      vectors = ListedRows.space(team, size, owned);
    }
    return new IndexMap(this, vectors, owners, ordered, haloOwners, copies, overlapping);
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

  static void checkLength(long length) {
    if (length < 0 || length > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "a block of %d indices on one rank; give from 0 to %d, or use more ranks"
              .formatted(length, Integer.MAX_VALUE - 8));
    }
  }

  static void agree(Communicator comm, String indices) {
    Gathered.agree(
        comm, "the indices of a map", indices, "give the same size and owners on all ranks");
  }

  static void checkGlobal(long global, long size) {
    if (global < 0 || global >= size) {
      throw new IndexOutOfBoundsException("index " + global + " of a map of " + size);
    }
  }
}
