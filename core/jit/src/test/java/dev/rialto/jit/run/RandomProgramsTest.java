package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.RandomProgram;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The oracle of plain loops and every target give the same bits. */
class RandomProgramsTest {
  private static final int PROGRAMS = 30;

  static Stream<String> machines() {
    // Schedulers change nothing here; one per target is enough.
    return Machines.compiled().stream().filter(name -> !name.startsWith("sync_"));
  }

  @ParameterizedTest
  @MethodSource("machines")
  void everyTargetAgreesWithTheInterpreterOnPlainLoops(String machine) {
    List<RandomProgram> made = new ArrayList<>();
    List<Program> programs = new ArrayList<>();
    for (int seed = 0; seed < PROGRAMS; seed++) {
      made.add(new RandomProgram(1000 + seed));
      programs.add(new Program("random" + seed, made.get(seed).program().assigns()));
    }
    Settings plain = Settings.fromProperties().withCache(Optional.empty()).withOptimize(false);
    try (JitBackend oracle = JitBackend.open("sync_interpreter", plain);
        JitBackend backend = Machines.open(machine)) {
      List<Optional<Compiled>> batch = backend.compileBatch("randoms", programs, _ -> true);
      for (int seed = 0; seed < PROGRAMS; seed++) {
        Program program = programs.get(seed);
        Map<Node, double[]> inputs = made.get(seed).inputs();
        Map<Node, double[]> expected;
        try (Compiled compiled = oracle.compile(program)) {
          expected = run(oracle, compiled, inputs);
        }
        Map<Node, double[]> actual = run(backend, batch.get(seed).orElseThrow(), inputs);
        for (Node node : program.assigned().stream().filter(expected::containsKey).toList()) {
          assertThat(actual.get(node))
              .as("%s of seed %d:%n%s", node, 1000 + seed, program)
              .containsExactly(expected.get(node));
        }
      }
      batch.getFirst().orElseThrow().close();
    }
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
      compiled.lowered().context().forEach(node -> results.put(node, context.read(node)));
      return results;
    }
  }
}
