package dev.rialto.exchange;

import dev.rialto.spi.World;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every plan by every scheme on one to eight ranks that are threads. */
class MatrixTest {
  @TestFactory
  Stream<DynamicNode> everyPlanByEverySchemeMatchesPlainLoops() {
    return IntStream.rangeClosed(1, 8)
        .mapToObj(ranks -> DynamicContainer.dynamicContainer(ranks + " ranks", tests(ranks)));
  }

  private static List<DynamicTest> tests(int ranks) {
    List<DynamicTest> tests = new ArrayList<>();
    for (PlanCase each : Matrix.cases(ranks, ranks <= 3 ? 1 : ranks - 1)) {
      tests.add(
          DynamicTest.dynamicTest(
              each.toString(),
              () -> {
                try (World world = World.local(ranks)) {
                  world.run(comm -> Matrix.run(comm, each));
                }
              }));
    }
    return tests;
  }
}
