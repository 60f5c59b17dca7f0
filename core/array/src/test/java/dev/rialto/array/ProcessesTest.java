package dev.rialto.array;

import dev.rialto.tck.LaunchedRanks;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every algorithm on ranks that are processes, with every backend here that can start some. */
class ProcessesTest {
  @TestFactory
  Stream<DynamicTest> everyAlgorithmMatchesPlainLoops() {
    return LaunchedRanks.tests(ArrayProgram.class, 3, Duration.ofSeconds(280));
  }
}
