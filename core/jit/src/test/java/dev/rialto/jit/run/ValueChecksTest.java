package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.run.Settings.VirtualDevices;
import dev.rialto.spi.Probe;
import dev.rialto.spi.data.DType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values of nodes: their statistics, and what checks find in them. */
@Tag("gpu")
class ValueChecksTest {
  private static final Settings SETTINGS =
      Settings.fromProperties().withCache(Optional.empty()).withChecks(true);

  static Stream<String> targets() {
    return JitBackend.targets().values().stream()
        .filter(target -> target.probe() instanceof Probe.Available)
        .map(target -> target.name());
  }

  @ParameterizedTest
  @MethodSource("targets")
  void theFirstNumberThatIsNotFiniteIsNamed(String target) {
    Program program =
        Program.parse(
            "roots",
            """
            input x f64[2, 3]

            u[i, j] = x[i, j] - 1.0   # may be negative
            v[i, j] = sqrt(u[i, j])
            w[i, j] = v[i, j] * 2.0
            """);
    try (JitBackend backend = JitBackend.open(target, SETTINGS);
        Compiled compiled = backend.compile(program);
        Context context = backend.newDevice(0).context();
        Routine routine = backend.link(context, compiled)) {
      Node x = program.node("x");
      routine.context().write(x, 1, 2, 5, 10, 17, 26);
      routine.run();
      assertThat(routine.context().read(program.node("w"))).containsExactly(0, 2, 4, 6, 8, 10);
      routine.context().write(x, 1, 2, 5, 10, 0.5, -1);
      assertThatExceptionOfType(ArithmeticException.class)
          .isThrownBy(routine::run)
          .withMessageStartingWith("program roots: v[1, 1] is NaN, line 4: v[")
          .withMessageContaining("sqrt");
    }
  }

  @Test
  void infinityIsNamedToo() {
    Program program = Program.parse("big", "input x f32[2]\ny[i] = x[i] * 1e30");
    try (JitBackend backend = JitBackend.open("sync_jvm", SETTINGS);
        Compiled compiled = backend.compile(program);
        Context context = backend.newDevice(0).context();
        Routine routine = backend.link(context, compiled)) {
      routine.context().write(program.node("x"), 1, -1e30);
      assertThatExceptionOfType(ArithmeticException.class)
          .isThrownBy(routine::run)
          .withMessageContaining("y[1] is -Infinity, line 2");
    }
  }

  /** The upper half of 1.006 as a float would be 1; a double next to a tie is not rounded twice. */
  @Test
  void numbersOf16BitsAreRoundedToTheNearest() {
    Node upper = Node.hosted("upper", DType.BF16, 3);
    Node half = Node.hosted("half", DType.F16, 2);
    try (JitBackend backend = JitBackend.open("sync_jvm");
        Context root = backend.newDevice(0).context();
        Context context = root.with(Set.of(upper, half))) {
      context.write(upper, 1.006, -1.006, 1 + 0x1p-8 + 0x1p-40);
      context.write(half, 1 + 0x1p-11 + 0x1p-40, 1e9);
      assertThat(context.read(upper)).containsExactly(1.0078125, -1.0078125, 1.0078125);
      assertThat(context.read(half)).containsExactly(1 + 0x1p-10, Double.POSITIVE_INFINITY);
    }
  }

  @Test
  void statisticsCountWhatIsNotFiniteApart() {
    Node node = Node.hosted("a", DType.F64, 2, 3);
    try (JitBackend backend = JitBackend.open("sync_jvm");
        Context root = backend.newDevice(0).context();
        Context context = root.with(Set.of(node))) {
      context.write(node, 1, Double.NaN, 3, Double.NEGATIVE_INFINITY, 5, 7);
      NodeStatistics found = context.statistics(node);
      assertThat(found.count()).isEqualTo(6);
      assertThat(found.nans()).isEqualTo(1);
      assertThat(found.infinities()).isEqualTo(1);
      assertThat(found.least()).isEqualTo(1);
      assertThat(found.greatest()).isEqualTo(7);
      assertThat(found.mean()).isEqualTo(4);
      assertThat(found.deviation()).isEqualTo(Math.sqrt(5));
      assertThat(found)
          .hasToString(
              "node a of F64 %s: 1 NaN, 1 infinite, from 1.0 to 7.0, mean 4.0, deviation %s; %s"
                  .formatted(
                      node.shape(),
                      Math.sqrt(5),
                      List.of(1.0, Double.NaN, 3.0, Double.NEGATIVE_INFINITY, 5.0, 7.0)));
      context.log(node);
    }
  }

  @Test
  void statementsOfANodeHaveTheirLines() {
    Program program = Program.parse("twice", "input x f32[2]\ny[i] = x[i]\n\ny[i] += x[i]");
    Node y = program.node("y");
    assertThat(program.lines()).isEqualTo(Arrays.asList(2, 4));
    assertThat(program.statement(y, 1)).startsWith(", line 2: ");
    assertThat(program.statement(y, 2)).startsWith(", line 4: ");
    assertThat(new Program("twice", program.assigns()).statement(y, 1)).startsWith(", in y[");
  }

  @Test
  void settingsChooseHowManyVirtualDevicesThereAre() {
    int cores = Runtime.getRuntime().availableProcessors();
    Settings perCore = SETTINGS.withVirtualDevices(VirtualDevices.PER_CORE);
    try (JitBackend one = JitBackend.open("sync_jvm", SETTINGS);
        JitBackend many = JitBackend.open("sync_jvm", perCore);
        JitBackend shared = JitBackend.open("jvm", perCore)) {
      assertThat(one.suggestedVirtualDevices()).isEqualTo(1);
      assertThat(many.suggestedVirtualDevices()).isEqualTo(cores);
      assertThat(shared.suggestedVirtualDevices() * shared.physicalDevices()).isEqualTo(cores);
    }
    assertThat(Settings.devices("per_core")).isEqualTo(VirtualDevices.PER_CORE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Settings.devices("several"))
        .withMessageContaining("-Drialto.jit.devices=several is not known; give one or per_core");
  }
}
