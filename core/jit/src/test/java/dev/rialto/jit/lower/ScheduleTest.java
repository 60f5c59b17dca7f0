package dev.rialto.jit.lower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {
  private static final String PRODUCT =
      """
      input a f32[13, 9]
      input b f32[9, 37]
      c[i, j] += a[i, k] * b[k, j]
      """;

  private static Map<Node, double[]> inputs(Program program) {
    Map<Node, double[]> inputs = new LinkedHashMap<>();
    for (Node node : program.inputs()) {
      double[] values = new double[(int) node.shape().count()];
      java.util.Arrays.setAll(values, i -> Math.sin(i + 1));
      inputs.put(node, values);
    }
    return inputs;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "parallel i",
        "parallel j; vector j 8",
        "parallel i; vector j 4; unroll j 2; unroll i 3",
        "block j 16; block i 5; vector j 4",
        "inner i; unroll i 4",
        "parallel j; cache b; vector j 8; unroll j 2; unroll i 4"
      })
  void anyScheduleKeepsEveryBit(String text) {
    Program program = Program.parse("product", PRODUCT);
    Map<Node, double[]> inputs = inputs(program);
    Options plain = new Options(false, false, 0, false, Map.of());
    Schedule schedule = Schedule.parse(text);
    Options scheduled = new Options(true, false, 0, false, Map.of("c", schedule));
    assertThat(Schedule.parse(schedule.toString())).isEqualTo(schedule);
    Oracle.assertSame(
        Oracle.run(program, scheduled, inputs), Oracle.run(program, plain, inputs), text);
  }

  @Test
  void aScheduleThatDoesNotFitIsRefused() {
    Program program = Program.parse("product", PRODUCT);
    Options wrong = new Options(true, false, 0, false, Map.of("c", Schedule.parse("parallel k")));
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Pipeline.run(program, wrong))
        .withMessageContaining("it is summed over");
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Schedule.parse("fold i"))
        .withMessageContaining("unroll AXIS N");
  }

  @Test
  void fastSumsAreCloseToStrictOnes() {
    Program program = Program.parse("sums", "input x f32[3, 100]\ns[i] += x[i, j]");
    Map<Node, double[]> inputs = inputs(program);
    Map<Node, double[]> fast = Oracle.run(program, Options.fast(256), inputs);
    Map<Node, double[]> strict = Oracle.run(program, Options.strict(256), inputs);
    Node s = program.node("s");
    assertThat(fast.get(s))
        .containsExactly(strict.get(s), org.assertj.core.data.Offset.offset(1e-4));
    assertThat(Pipeline.run(program, Options.fast(256)).stages().toString()).contains("vector j 8");
  }
}
