package dev.rialto.sparse.ownership;

import dev.rialto.exchange.plan.LongLists;
import dev.rialto.spi.comm.Communicator;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongToIntFunction;

/** Finds the ranks that own global indices, without any rank knowing the owners of all. */
public sealed interface OwnerSearch {
  /** Returns the owner of each index. Collective. */
  int[] find(Communicator comm, long[] globals);

  /** Owners that a function tells, such as a partition. */
  record ByFunction(LongToIntFunction owner) implements OwnerSearch {
    @Override
    public int[] find(Communicator comm, long[] globals) {
      return Arrays.stream(globals).mapToInt(owner).toArray();
    }
  }

  /** Consecutive blocks, rank by rank; block i starts at {@code starts[i]}. */
  final class Blocks implements OwnerSearch {
    private final long[] starts;

    /** Takes where each block starts, and the end. */
    public Blocks(long[] starts) {
      this.starts = starts;
    }

    @Override
    public int[] find(Communicator comm, long[] globals) {
      int[] owners = new int[globals.length];
      for (int i = 0; i < globals.length; i++) {
        int at = Arrays.binarySearch(starts, globals[i]);
        at = at < 0 ? -at - 2 : at;
        // Ranks that own nothing start where the next one does.
        while (starts[at + 1] <= globals[i]) {
          at++;
        }
        owners[i] = at;
      }
      return owners;
    }
  }

  /**
   * A directory in equal parts: rank i knows the owners of the i-th block of indices and answers
   * for them. Each rank keeps as much as it owns, on average. An index that several ranks own is
   * the lowest one's, its master.
   */
  record Directory(long part, Map<Long, Integer> masters) implements OwnerSearch {
    private static final int NAMED = 5;

    /**
     * Tells the directory what this rank owns. Collective.
     *
     * @throws IllegalArgumentException if an index has no owner, on all ranks
     */
    public static Directory of(Communicator comm, long size, long[] owned) {
      long part = Math.max(1, (size + comm.size() - 1) / comm.size());
      LongLists mine = new LongLists(comm.size());
      for (long global : owned) {
        mine.add((int) (global / part), global);
      }
      LongLists told = mine.exchange(comm);
      Map<Long, Integer> masters = new HashMap<>();
      for (int rank = comm.size() - 1; rank >= 0; rank--) {
        for (long global : told.get(rank)) {
          masters.put(global, rank);
        }
      }
      long first = Math.min(size, part * comm.rank());
      String orphans = orphans(masters, first, Math.min(size, first + part));
      String problem = Gathered.problem(comm, orphans);
      if (!problem.isEmpty()) {
        // Which rank keeps that part of the directory says nothing to the reader.
        throw new IllegalArgumentException(
            problem.substring(problem.indexOf("ind"))
                + " owned by no rank; list each of the %d indices on some rank".formatted(size));
      }
      return new Directory(part, masters);
    }

    /** Names the first indices of a range that have no owner. */
    private static String orphans(Map<Long, Integer> masters, long from, long to) {
      if (masters.size() == to - from) {
        return "";
      }
      StringBuilder names = new StringBuilder();
      long count = to - from - masters.size();
      int named = 0;
      for (long global = from; global < to && named < NAMED; global++) {
        if (!masters.containsKey(global)) {
          names.append(named++ == 0 ? "" : ", ").append(global);
        }
      }
      if (count > named) {
        names.append(" and ").append(count - named).append(" more");
      }
      return (count == 1 ? "index " + names + " is" : "indices " + names + " are");
    }

    @Override
    public int[] find(Communicator comm, long[] globals) {
      LongLists questions = new LongLists(comm.size());
      for (long global : globals) {
        questions.add((int) (global / part), global);
      }
      LongLists asked = questions.exchange(comm);
      LongLists answers = new LongLists(comm.size());
      for (int rank = 0; rank < comm.size(); rank++) {
        for (long global : asked.get(rank)) {
          answers.add(rank, masters.getOrDefault(global, -1));
        }
      }
      LongLists told = answers.exchange(comm);
      int[] next = new int[comm.size()];
      long[][] lists = new long[comm.size()][];
      Arrays.setAll(lists, told::get);
      int[] owners = new int[globals.length];
      for (int i = 0; i < globals.length; i++) {
        int rank = (int) (globals[i] / part);
        owners[i] = (int) lists[rank][next[rank]++];
      }
      return owners;
    }
  }
}
