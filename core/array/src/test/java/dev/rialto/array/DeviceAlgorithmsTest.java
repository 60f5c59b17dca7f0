package dev.rialto.array;

import dev.rialto.runtime.Devices;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Every algorithm on random arrays of every device that is here: of all types, divided in all ways,
 * with halos and without elements on some ranks.
 */
@Tag("gpu")
class DeviceAlgorithmsTest {
  private static final int CASES = 2;
  private static final Set<Algorithms.Subject> SUBJECTS =
      EnumSet.complementOf(EnumSet.of(Algorithms.Subject.COMPLEX));

  @TestFactory
  Stream<DynamicTest> everyAlgorithmMatchesPlainLoops() {
    return Devices.list().stream()
        .filter(device -> !device.memory().properties().hostAccessible())
        .flatMap(
            device ->
                SUBJECTS.stream()
                    .flatMap(
                        subject ->
                            Stream.of(1, 2, 3)
                                .map(
                                    ranks ->
                                        DynamicTest.dynamicTest(
                                            subject + " on " + ranks + " of " + device.name(),
                                            () ->
                                                OnDevices.run(
                                                    device,
                                                    ranks,
                                                    team -> run(team, subject, ranks))))));
  }

  private static void run(Team team, Algorithms.Subject subject, int ranks) {
    for (long seed = 0; seed < CASES; seed++) {
      Algorithms.run(team, subject, 1_000L * ranks + seed, seed % 3 == 2);
    }
  }
}
