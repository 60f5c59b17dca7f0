package dev.rialto.exchange.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The races of one tuning, which share its time. A way that is in several of them keeps the turns
 * of the earlier ones: one slow spell does not undo them.
 */
final class Heats {
  /** Makes what is timed of a way. */
  interface Entry {
    Benchmark.Candidate<TuningChoice> of(TuningChoice way);
  }

  private final Benchmark race;
  private final int turns;
  private final Map<TuningChoice, Benchmark.Candidate<TuningChoice>> timed = new LinkedHashMap<>();

  /**
   * Begins.
   *
   * @param turns how often each way is timed
   */
  Heats(Benchmark race, int turns) {
    this.race = race;
    this.turns = turns;
  }

  /** Returns the best way; the first one if there is no time left. */
  TuningChoice best(List<TuningChoice> ways, Entry entry) {
    return best(ways, entry, timed);
  }

  /** Returns the best way of a race apart, whose times are not those of the others. */
  TuningChoice bestApart(List<TuningChoice> ways, Entry entry) {
    return best(ways, entry, new LinkedHashMap<>());
  }

  private TuningChoice best(
      List<TuningChoice> ways,
      Entry entry,
      Map<TuningChoice, Benchmark.Candidate<TuningChoice>> known) {
    List<Benchmark.Candidate<TuningChoice>> candidates = new ArrayList<>();
    for (TuningChoice way : ways) {
      candidates.add(known.computeIfAbsent(way, entry::of));
    }
    return race.run(candidates, turns).what();
  }

  Tuned answer(TuningChoice best) {
    List<Tuned.Candidate> candidates = new ArrayList<>();
    for (Benchmark.Candidate<TuningChoice> each : timed.values()) {
      if (Double.isFinite(each.seconds())) {
        candidates.add(new Tuned.Candidate(each.what(), each.seconds(), true));
      }
    }
    candidates.sort(Comparator.comparingDouble(Tuned.Candidate::seconds));
    return new Tuned(best, candidates, false);
  }
}
