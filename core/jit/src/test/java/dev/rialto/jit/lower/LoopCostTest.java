package dev.rialto.jit.lower;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Program;
import dev.rialto.jit.RandomProgram;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoopCostTest {
  private static LoopCost of(String text, Options options) {
    return LoopCost.of(Pipeline.run(Program.parse("p", text), options).procedures());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 128, 512})
  void triadMovesThreeArraysAndDoesTwoOperationsAnElement(int vectorBits) {
    String triad = "input b f64[1003]\ninput c f64[1003]\noutput a[i] = b[i] + 3 * c[i]\n";
    LoopCost work = of(triad, Options.strict(vectorBits));
    assertThat(work).isEqualTo(new LoopCost(0, 2 * 1003, 3 * 8 * 1003));
    assertThat(work.intensity()).isEqualTo(1 / 12.0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "block i 16; block j 7; block k 9", "unroll i 4; vector j 8"})
  void theScheduleOfAProductChangesNoCount(String schedule) {
    String product =
        "input a f32[37, 41]\ninput b f32[41, 29]\noutput c[i, j] += a[i, k] * b[k, j]\n";
    Options options = Options.fast(256).withSchedules(Map.of("c", Schedule.parse(schedule)));
    LoopCost work = of(product, options);
    long operations = 2L * 37 * 41 * 29;
    assertThat(work.operations()).isEqualTo(operations);
    long moved = 4L * (37 * 41 + 41 * 29 + 37 * 29);
    // Blocks of the summed loop go on from elements that were set before.
    assertThat(work.bytes()).isEqualTo(moved);
  }

  @Test
  void whatAnAssignmentBeforeItLeftInTheCacheIsNotReadAgain() {
    String twoPasses = "input x f32[100, 64]\ns[i] += x[i, j]\noutput y[i, j] = x[i, j] / s[i]\n";
    assertThat(of(twoPasses, Options.strict(256)).bytes())
        .isEqualTo(4L * (100 * 64 + 100 + 100 * 64));
  }

  @Test
  void aSliceMovesWhatItTouches() {
    String slice = "static n 10\ninput all f32[10, 50]\noutput part[i] = all[n, i]\n";
    assertThat(of(slice, Options.strict(0)).bytes()).isEqualTo(4L * (50 + 50) + 8);
  }

  @Test
  void whateverComesOutOfThePipelineCanBeCounted() {
    for (long seed = 1; seed <= 50; seed++) {
      Program program = new RandomProgram(seed).program();
      assertThat(LoopCost.of(Pipeline.run(program, Options.strict(256)).procedures()).bytes())
          .as("seed %d", seed)
          .isPositive();
    }
  }

  @Test
  void blocksOfThreadsCountWhatTheyCombineToo() {
    Program program = Program.parse("sums", "input x f32[4, 1024]\ns[i] += x[i, j]");
    LoopCost work = LoopCost.of(Pipeline.run(program, Options.threads(true)).procedures());
    assertThat(work.f32()).isEqualTo(4 * (1024 + 5 * 256 + 7));
    assertThat(work.bytes()).isEqualTo(4 * (4 * 1024 + 4));
  }
}
