package dev.rialto.exchange.plan;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.comm.Communicator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * Makes elements agree that several ranks hold: by their sum, their mean, or one rank's value.
 *
 * <p>Updated in place. Contributions are added in the order of ranks, so that all copies of an
 * element get the same bits.
 */
public final class Overlap {
  /** The value that the copies of an element get. */
  public enum Rule {
    /** The sum of all copies. */
    SUM,
    /** The mean of all copies. */
    AVERAGE,
    /** The copy of the lowest rank that has one. */
    MASTER
  }

  private Overlap() {}

  /**
   * Finds out who holds what and plans for this rank. Collective; needs collectives.
   *
   * <p>Who shares an element is asked of the rank that its number modulo the number of ranks names,
   * so no rank needs to know all.
   *
   * @param elements the global number of each element of the local array, each at most once
   */
  public static ExchangePlan of(Communicator comm, long[] elements, Rule rule) {
    int ranks = comm.size();
    LongLists mine = new LongLists(ranks);
    for (long element : elements) {
      mine.add(Math.floorMod(element, ranks), element);
    }
    LongLists sharers = answers(mine.exchange(comm), ranks).exchange(comm);
    TreeMap<Long, Integer> places = new TreeMap<>();
    for (int i = 0; i < elements.length; i++) {
      if (places.put(elements[i], i) != null) {
        throw new IllegalArgumentException(
            "element " + elements[i] + " is listed twice; list each element of a rank once");
      }
    }
    // The answers come as (element, number of ranks, ranks); both ends go by ascending element.
    TreeMap<Long, int[]> shared = new TreeMap<>();
    for (int rank = 0; rank < ranks; rank++) {
      long[] answer = sharers.get(rank);
      for (int at = 0; at < answer.length; at += 2 + (int) answer[at + 1]) {
        int[] holders = new int[(int) answer[at + 1]];
        for (int i = 0; i < holders.length; i++) {
          holders[i] = (int) answer[at + 2 + i];
        }
        shared.put(answer[at], holders);
      }
    }
    LongLists sends = new LongLists(ranks);
    LongLists receives = new LongLists(ranks);
    shared.forEach(
        (element, holders) -> {
          int place = requireNonNull(places.get(element));
          for (int holder : holders) {
            if (rule != Rule.MASTER || (comm.rank() == holders[0] && holder != holders[0])) {
              sends.add(holder, place);
            }
            if (rule != Rule.MASTER || (holder == holders[0] && comm.rank() != holders[0])) {
              receives.add(holder, place);
            }
          }
        });
    return ExchangePlan.made(
        "overlap of " + shared.size() + " elements",
        comm.rank(),
        ranks,
        elements.length,
        elements.length,
        blocks(sends, ranks),
        blocks(receives, ranks),
        switch (rule) {
          case SUM -> Combine.SUM;
          case AVERAGE -> Combine.AVERAGE;
          case MASTER -> Combine.REPLACE;
        });
  }

  /** Answers each rank with those of its elements that others hold too. */
  private static LongLists answers(LongLists held, int ranks) {
    TreeMap<Long, List<Integer>> holders = new TreeMap<>();
    for (int rank = 0; rank < ranks; rank++) {
      int from = rank;
      Arrays.stream(held.get(rank))
          .forEach(e -> holders.computeIfAbsent(e, _ -> new ArrayList<>()).add(from));
    }
    LongLists answers = new LongLists(ranks);
    holders.forEach(
        (element, list) -> {
          if (list.size() > 1) {
            for (int rank : list) {
              answers.add(rank, element);
              answers.add(rank, list.size());
              list.forEach(holder -> answers.add(rank, holder));
            }
          }
        });
    return answers;
  }

  private static List<Block> blocks(LongLists lists, int ranks) {
    List<Block> blocks = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      blocks.add(Block.of(rank, Region.indices(lists.get(rank))));
    }
    return blocks;
  }
}
