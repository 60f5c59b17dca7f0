package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Program;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("gpu")
class FirstProgramTest {
  static Stream<String> machines() {
    return Machines.all();
  }

  @ParameterizedTest
  @MethodSource("machines")
  void aMatrixProductOfText(String machine) {
    Program program =
        Program.parse(
            "product",
            """
            input a f32[2, 3]
            input b f32[3, 2]
            c[i, j] += a[i, k] * b[k, j]
            """);
    try (JitBackend backend = Machines.open(machine)) {
      double[] c =
          Machines.run(
              backend,
              program,
              Map.of(
                  program.node("a"), new double[] {1, 2, 3, 4, 5, 6},
                  program.node("b"), new double[] {7, 8, 9, 10, 11, 12}),
              program.node("c"));
      assertThat(c).containsExactly(58, 64, 139, 154);
    }
  }
}
