package dev.rialto.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.World;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeatTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 6, 7, 8, 12, 13})
  void blocksCoverTheCubeOnce(int ranks) {
    int cube = 13;
    int[] owners = new int[cube * cube * cube];
    for (int rank = 0; rank < ranks; rank++) {
      Block block = new Block(cube, rank, ranks);
      for (int z = block.first(0); z < block.first(0) + block.points(0); z++) {
        for (int y = block.first(1); y < block.first(1) + block.points(1); y++) {
          for (int x = block.first(2); x < block.first(2) + block.points(2); x++) {
            owners[(z * cube + y) * cube + x]++;
          }
        }
      }
    }
    assertThat(owners).containsOnly(1);
  }

  @Test
  void gridsAreAsNearToACubeAsTheNumberAllows() {
    assertThat(Block.gridOf(1)).containsExactly(1, 1, 1);
    assertThat(Block.gridOf(8)).containsExactly(2, 2, 2);
    assertThat(Block.gridOf(12)).containsExactly(3, 2, 2);
    assertThat(Block.gridOf(7)).containsExactly(7, 1, 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 8, 12})
  void anyNumberOfRanksGivesTheExactAnswer(int ranks) {
    Heat heat = new Heat(18, 31);
    List<Integer> steps = new ArrayList<>();
    try (World world = World.local(ranks)) {
      Heat.Result result = world.call(comm -> heat.run(comm, steps::add)).getFirst();
      assertThat(result.schemeError()).isLessThan(1e-13);
      assertThat(result.error()).isBetween(1e-6, 0.1);
      assertThat(result.bytesPerStep() > 0).isEqualTo(ranks > 1);
    }
    assertThat(steps).hasSize(31).endsWith(31);
  }

  @Test
  void errorShrinksWithTheSquareOfTheSpacing() {
    // Four times the steps at half the spacing reach the same time.
    double coarse = error(31, 10);
    double fine = error(63, 40);
    assertThat(coarse / fine).isBetween(3.0, 5.0);
  }

  private static double error(int cube, int steps) {
    try (World world = World.local(2)) {
      return world.call(comm -> new Heat(cube, steps).run(comm, _ -> {})).getFirst().error();
    }
  }
}
