package dev.rialto.tck;

import dev.rialto.spi.Backends;
import java.time.Duration;
import java.util.List;

/**
 * A backend broken on purpose, and the requirements that must notice.
 *
 * @param name what is wrong with it
 * @param base the backend it is made from
 * @param fault what breaks it
 * @param caughtBy the ids of the requirements that must fail
 * @param ranks the numbers of ranks to notice it with
 * @param hangs whether they fail because their time is up, and not by what they find
 */
record Mutant(
    String name,
    String base,
    Intercepted.Interceptor fault,
    List<String> caughtBy,
    List<Integer> ranks,
    boolean hangs) {
  Mutant(String name, String base, Intercepted.Interceptor fault, List<String> caughtBy) {
    this(name, base, fault, caughtBy, List.of(1, 2, 3));
  }

  Mutant(
      String name,
      String base,
      Intercepted.Interceptor fault,
      List<String> caughtBy,
      List<Integer> ranks) {
    this(name, base, fault, caughtBy, ranks, false);
  }

  /** Runs the requirements that must fail, with few ranks and little patience. */
  ConformanceReport run() {
    return ConformanceKit.run(
        ConformanceOptions.of(Intercepted.of(Backends.get(base), fault))
            .withRanks(ranks)
            .withLimit(Duration.ofMillis(hangs ? 300 : 60_000))
            .only(caughtBy::contains));
  }

  @Override
  public String toString() {
    return name;
  }
}
