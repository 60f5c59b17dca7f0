package dev.rialto.array;

import dev.rialto.spi.World;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every algorithm on random arrays, on one to eight ranks that are threads. */
class AlgorithmsTest {
  private static final int CASES = 12;

  @TestFactory
  Stream<DynamicTest> everyAlgorithmMatchesPlainLoops() {
    return IntStream.of(1, 2, 3, 4, 5, 8)
        .boxed()
        .flatMap(
            ranks ->
                Arrays.stream(Algorithms.Subject.values())
                    .map(
                        subject ->
                            DynamicTest.dynamicTest(
                                subject + " on " + ranks, () -> run(ranks, subject))));
  }

  private static void run(int ranks, Algorithms.Subject subject) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              for (long seed = 0; seed < CASES; seed++) {
                Algorithms.run(team, subject, 100L * ranks + seed, seed % 3 == 2);
              }
            }
          });
    }
  }
}
