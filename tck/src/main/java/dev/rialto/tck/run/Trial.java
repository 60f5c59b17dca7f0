package dev.rialto.tck.run;

import dev.rialto.spi.BackendProvider;
import dev.rialto.tck.Coverage;
import java.time.Duration;
import java.util.Random;

/**
 * One try of one requirement.
 *
 * @param id the requirement's
 * @param backend the backend under test
 * @param seed what the random numbers are made from
 * @param effort how many rounds of random cases to run
 * @param limit how long it may take
 * @param ranks where ranks come from
 * @param coverage where it notes what its random cases cover
 */
public record Trial(
    String id,
    BackendProvider backend,
    long seed,
    int effort,
    Duration limit,
    Ranks ranks,
    Coverage coverage) {
  public Random random() {
    return new Random(seed * 31 + id.hashCode());
  }
}
