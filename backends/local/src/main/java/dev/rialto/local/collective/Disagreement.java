package dev.rialto.local.collective;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Puts into words that ranks called different collectives. */
final class Disagreement {
  private Disagreement() {}

  /** Says which of the given ranks and {@code mine} called what, equal calls together. */
  static String describe(CollectiveOperation mine, int[] others) {
    TreeSet<Integer> ranks = new TreeSet<>(List.of(mine.rank()));
    for (int other : others) {
      ranks.add(other);
    }
    Map<String, List<Integer>> calls = new LinkedHashMap<>();
    for (int rank : ranks) {
      calls.computeIfAbsent(mine.side(rank).toString(), call -> new ArrayList<>()).add(rank);
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
