package dev.rialto.local.collective;

import dev.rialto.local.memory.Memory;
import dev.rialto.local.world.Group;
import dev.rialto.local.world.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The other ranks of one rank's operations: which of them an operation waits for, and what they are
 * told when it fails.
 */
final class CollectivePeers {
  private final CollectiveBoard board;
  private final Group group;
  private final int rank;
  private final int[] sources;
  private final int[] targets;
  private final boolean ofAll;

  /**
   * Makes those of a queue.
   *
   * @param sources whose arrival operations wait for, and whose sides the rank sees
   * @param targets whose departure operations wait for
   * @param ofAll whether all ranks take part, not only neighbours
   */
  CollectivePeers(
      CollectiveBoard board, Member member, int[] sources, int[] targets, boolean ofAll) {
    this.board = board;
    this.group = member.group;
    this.rank = member.rank();
    this.sources = sources;
    this.targets = targets;
    this.ofAll = ofAll;
  }

  /** Returns the world rank of one that an operation still waits for; -1 if there is none. */
  int needs(CollectiveOperation operation) {
    for (int source : sources) {
      if (!board.arrived(source, operation.number)) {
        return group.member(source).index;
      }
    }
    for (int target : targets) {
      if (board.departed(target) <= operation.number) {
        return group.member(target).index;
      }
    }
    return -1;
  }

  /** Says which ranks an operation still waits for. */
  String missing(CollectiveOperation operation) {
    String absent =
        Arrays.stream(sources)
            .filter(source -> !board.arrived(source, operation.number))
            .sorted()
            .mapToObj(String::valueOf)
            .collect(Collectors.joining(" and "));
    return absent.isEmpty() ? "" : ", still without rank " + absent;
  }

  /** Fails an operation for which the cells of this rank and {@code source} differ. */
  void differs(CollectiveOperation operation, int source) {
    IllegalStateException freed = operation.side(source).freedCause();
    if (freed != null) {
      operation.freed(source, freed);
    } else if (operation.freedCause() == null) {
      disagree(operation, source);
    }
  }

  /** Fails all sides of an operation with what this rank's share threw. */
  void failAll(CollectiveOperation operation, Throwable thrown) {
    int freed = thrown instanceof IllegalStateException ? freedBy(operation) : -1;
    if (freed >= 0) {
      Memory.brokenOff();
    }
    fail(operation, freed, thrown);
    for (int source : sources) {
      fail(operation.side(source), freed, thrown);
    }
  }

  private void fail(CollectiveOperation side, int freed, Throwable thrown) {
    if (freed >= 0 && thrown instanceof IllegalStateException cause) {
      side.freed(freed, cause);
    } else {
      side.fail(rank, thrown);
    }
  }

  /** Returns a rank whose memory was freed; -1 if none was. */
  private int freedBy(CollectiveOperation operation) {
    if (operation.freed()) {
      return rank;
    }
    for (int source : sources) {
      if (!operation.inline() && operation.side(source).freed()) {
        return source;
      }
    }
    return -1;
  }

  /** Fails an operation whose memory is not all there any more. */
  void checkPresent(CollectiveOperation operation) {
    if (operation.withdrawn()) {
      operation.left(rank);
    }
    for (int source : sources) {
      if (operation.side(source).withdrawn()) {
        operation.left(source);
      }
    }
  }

  /** Fails an operation because {@code other} called something else. */
  void disagree(CollectiveOperation operation, int other) {
    mismatch(operation, other, calls(operation));
  }

  /**
   * Fails an operation because this rank and {@code other} do not fit together: for both of them if
   * they are neighbours, for all ranks if all take part.
   */
  void mismatch(CollectiveOperation operation, int other, String what) {
    operation.mismatch(what);
    if (ofAll) {
      for (int source : sources) {
        operation.side(source).mismatch(what);
      }
    } else {
      operation.side(other).mismatch(what);
    }
  }

  /** Says which rank called what, equal calls together. */
  private String calls(CollectiveOperation mine) {
    TreeSet<Integer> ranks = new TreeSet<>(List.of(rank));
    for (int source : sources) {
      ranks.add(source);
    }
    Map<String, List<Integer>> calls = new LinkedHashMap<>();
    for (int each : ranks) {
      calls.computeIfAbsent(mine.side(each).toString(), _ -> new ArrayList<>()).add(each);
    }
    return calls.entrySet().stream()
        .map(call -> who(call.getValue()) + " called " + call.getKey())
        .collect(Collectors.joining(", ", "ranks disagree: ", ""));
  }

  private static String who(List<Integer> ranks) {
    String list = ranks.stream().map(String::valueOf).collect(Collectors.joining(", "));
    return (ranks.size() == 1 ? "rank " : "ranks ") + list;
  }
}
