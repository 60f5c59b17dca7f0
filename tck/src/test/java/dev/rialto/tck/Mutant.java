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
 * @param caughtBy the ids of all requirements that must fail
 */
record Mutant(String name, String base, Intercepted.Interceptor fault, List<String> caughtBy) {
  /** Runs the requirements that must fail, with few ranks and little patience. */
  ConformanceReport run() {
    return ConformanceKit.run(
        ConformanceOptions.of(Intercepted.of(Backends.get(base), fault))
            .withRanks(List.of(1, 2, 3))
            .withLimit(Duration.ofSeconds(5))
            .only(caughtBy::contains));
  }

  @Override
  public String toString() {
    return name;
  }
}
