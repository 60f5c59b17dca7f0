package dev.rialto.exchange;

import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Region;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The destinations of the elements of one message, and which replace and which are added.
 *
 * <p>Where the sum of contributions replaces an element, the first one, in the order of ranks,
 * replaces it and the others are added: there is no pass that clears, and the order of additions is
 * the same in every scheme.
 */
final class UnpackPlan {
  /**
   * A part of the message.
   *
   * @param from where in the message
   * @param to where in the array
   * @param add whether it is added
   */
  record Step(Region from, Region to, boolean add) {}

  private final Block block;
  private final List<Step> steps;

  private UnpackPlan(Block block, List<Step> steps) {
    this.block = block;
    this.steps = steps;
  }

  /** Returns the landings of all blocks that a plan receives, in the order of ranks. */
  static List<UnpackPlan> of(ExchangePlan plan) {
    List<UnpackPlan> landings = new ArrayList<>();
    BitSet landed = new BitSet();
    for (Block block : plan.receives()) {
      landings.add(
          plan.combine() == Combine.REPLACE || plan.combine() == Combine.ADD
              ? whole(block, plan.combine() == Combine.ADD)
              : split(block, landed));
    }
    return landings;
  }

  private static UnpackPlan whole(Block block, boolean add) {
    List<Step> steps = new ArrayList<>();
    long at = 0;
    for (Region region : block.regions()) {
      steps.add(new Step(Region.contiguous(at, region.count()), region, add));
      at += region.count();
    }
    return new UnpackPlan(block, steps);
  }

  /** Divides a block into elements that were not sent before and others. */
  private static UnpackPlan split(Block block, BitSet landed) {
    List<List<Long>> lists =
        List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    long[] at = {0};
    for (Region region : block.regions()) {
      region.forEachRun(
          (offset, count) -> {
            for (long i = offset; i < offset + count; i++) {
              int kind = landed.get(Math.toIntExact(i)) ? 2 : 0;
              landed.set((int) i);
              lists.get(kind).add(at[0]++);
              lists.get(kind + 1).add(i);
            }
          });
    }
    List<Step> steps = new ArrayList<>();
    for (int kind = 0; kind < 4; kind += 2) {
      if (!lists.get(kind).isEmpty()) {
        steps.add(new Step(indices(lists.get(kind)), indices(lists.get(kind + 1)), kind == 2));
      }
    }
    return new UnpackPlan(block, steps);
  }

  private static Region indices(List<Long> list) {
    return Region.indices(list.stream().mapToLong(Long::longValue).toArray());
  }

  /** Returns the elements that are received more than once, by how often. */
  static Map<Integer, Region> multiplicities(ExchangePlan plan) {
    Map<Long, Integer> times = new TreeMap<>();
    for (Block block : plan.receives()) {
      for (Region region : block.regions()) {
        region.forEachRun(
            (offset, count) -> {
              for (long i = offset; i < offset + count; i++) {
                times.merge(i, 1, Integer::sum);
              }
            });
      }
    }
    Map<Integer, List<Long>> groups = new HashMap<>();
    times.forEach(
        (element, count) -> {
          if (count > 1) {
            groups.computeIfAbsent(count, _ -> new ArrayList<>()).add(element);
          }
        });
    Map<Integer, Region> regions = new TreeMap<>();
    groups.forEach((count, elements) -> regions.put(count, indices(elements)));
    return regions;
  }

  /** Returns the steps of one of several arrays, each of which has its part of the message. */
  List<Step> steps(int vector) {
    long shift = vector * block.count();
    return shift == 0
        ? steps
        : steps.stream()
            .map(step -> new Step(shifted(step.from(), shift), step.to(), step.add()))
            .toList();
  }

  private static Region shifted(Region region, long shift) {
    if (region.contiguousFrom() >= 0) {
      return Region.contiguous(region.contiguousFrom() + shift, region.count());
    }
    long[] indices = new long[Math.toIntExact(region.count())];
    int[] at = {0};
    region.forEachRun(
        (offset, count) -> {
          for (long i = 0; i < count; i++) {
            indices[at[0]++] = offset + i + shift;
          }
        });
    return Region.indices(indices);
  }
}
