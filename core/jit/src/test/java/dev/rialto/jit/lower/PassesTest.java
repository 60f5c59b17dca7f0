package dev.rialto.jit.lower;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.RandomProgram;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the passes do, the interpreter sees the same bits. */
class PassesTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 128, 256, 512})
  void passesKeepEveryBitOfRandomPrograms(int vectorBits) {
    for (int seed = 0; seed < 40; seed++) {
      RandomProgram made = new RandomProgram(seed);
      Program program = made.program();
      Map<Node, double[]> inputs = made.inputs();
      Map<Node, double[]> plain =
          Oracle.run(program, new Options(false, false, 0, false, Map.of()), inputs);
      Map<Node, double[]> optimized = Oracle.run(program, Options.strict(vectorBits), inputs);
      Oracle.assertSame(optimized, plain, "seed " + seed + ":\n" + program);
    }
  }

  @Test
  void aThreadForEachElementKeepsEveryBitOfRandomPrograms() {
    for (int seed = 0; seed < 120; seed++) {
      RandomProgram made = new RandomProgram(seed);
      Program program = made.program();
      Map<Node, double[]> inputs = made.inputs();
      Map<Node, double[]> plain =
          Oracle.run(program, new Options(false, false, 0, false, Map.of()), inputs);
      Map<Node, double[]> threads = Oracle.run(program, Options.threads(false), inputs);
      Oracle.assertSame(threads, plain, "seed " + seed + ":\n" + program);
    }
  }
}
