package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Node;
import dev.rialto.jit.Op;
import dev.rialto.jit.Program;
import dev.rialto.jit.RandomProgram;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The oracle of plain loops and every target give the same bits, in every type. */
@Tag("gpu")
@Timeout(1200)
class RandomProgramsTest {
  private static final int PER_TYPE = 2;

  private static final List<Program> PROGRAMS = new ArrayList<>();
  private static final List<Map<Node, double[]>> INPUTS = new ArrayList<>();
  private static final List<Map<Node, double[]>> EXPECTED = new ArrayList<>();

  static Stream<String> machines() {
    // Schedulers change nothing here; one per target is enough.
    return Machines.compiled().stream().filter(name -> !name.startsWith("sync_"));
  }

  @BeforeAll
  static void makeProgramsAndAskTheOracle() {
    Settings plain = Settings.fromProperties().withCache(Optional.empty()).withOptimize(false);
    try (JitBackend oracle = JitBackend.open("sync_interpreter", plain)) {
      for (DType type : DType.values()) {
        for (int i = 0; i < PER_TYPE; i++) {
          int seed = 1006 + PROGRAMS.size();
          RandomProgram made = new RandomProgram(seed, type);
          Program program = new Program("seed" + seed, made.program().assigns());
          PROGRAMS.add(program);
          INPUTS.add(made.inputs());
          try (Compiled compiled = oracle.compile(program)) {
            EXPECTED.add(run(oracle, compiled, made.inputs()));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void everyTargetAgreesWithTheInterpreterOnPlainLoops(String machine) {
    try (JitBackend backend = Machines.open(machine)) {
      List<Optional<Compiled>> batch = backend.compileBatch("randoms", PROGRAMS, _ -> true);
      for (int i = 0; i < PROGRAMS.size(); i++) {
        Program program = PROGRAMS.get(i);
        Map<Node, double[]> actual = run(backend, batch.get(i).orElseThrow(), INPUTS.get(i));
        EXPECTED
            .get(i)
            .forEach(
                (node, values) ->
                    assertThat(actual.get(node))
                        .as("%s of %s:%n%s", node, program.name(), program)
                        .containsExactly(values));
      }
      batch.getFirst().orElseThrow().close();
    }
  }

  @Test
  void theProgramsUseEveryTypeAndEveryOperator() {
    Map<DType, Set<Op>> used = new EnumMap<>(DType.class);
    Set<DType> stored = EnumSet.noneOf(DType.class);
    for (Program program : PROGRAMS) {
      program.assigns().forEach(assign -> note(assign.body(), used));
      EXPECTED.get(PROGRAMS.indexOf(program)).keySet().forEach(node -> stored.add(node.type()));
    }
    assertThat(stored).containsExactlyInAnyOrder(DType.values());
    assertThat(used.keySet()).containsExactlyInAnyOrder(DType.values());
    Set<Op> ops = EnumSet.noneOf(Op.class);
    used.values().forEach(ops::addAll);
    assertThat(ops).containsExactlyInAnyOrder(Op.values());
    used.forEach((type, some) -> assertThat(some).as("of %s", type).hasSizeGreaterThan(4));
  }

  private static void note(ScalarExpression scalar, Map<DType, Set<Op>> used) {
    if (scalar instanceof ScalarExpression.Apply(Op op, List<ScalarExpression> _, DType _)) {
      used.computeIfAbsent(scalar.type(), _ -> EnumSet.noneOf(Op.class)).add(op);
    }
    scalar.parts().forEach(part -> note(part, used));
  }

  private static Map<Node, double[]> run(
      JitBackend backend, Compiled compiled, Map<Node, double[]> inputs) {
    try (Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled);
        Context context = routine.context()) {
      inputs.forEach(
          (node, values) -> {
            if (context.holds(node)) {
              context.write(node, values);
            }
          });
      compiled.program().statics().forEach(index -> routine.bind(index, 1));
      routine.run();
      Map<Node, double[]> results = new LinkedHashMap<>();
      compiled.program().assigned().stream()
          .filter(context::holds)
          .forEach(node -> results.put(node, context.read(node)));
      return results;
    }
  }
}
