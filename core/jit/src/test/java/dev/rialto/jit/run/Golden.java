package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.TensorExpression;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A program, what it is given, and what must come out, exactly.
 *
 * @param program the program
 * @param inputs what its inputs hold
 * @param result the node that is compared
 * @param expected its elements
 */
record Golden(Program program, Map<Node, double[]> inputs, Node result, List<Double> expected) {
  /** A tensor that needs no inputs. */
  static Golden of(String name, TensorExpression result, double... expected) {
    return new Golden(
        TensorExpression.program(name, result), Map.of(), result.node(), list(expected));
  }

  /** A text whose last assignment is compared; its inputs are given by name. */
  static Golden of(String name, String text, Map<String, double[]> inputs, double... expected) {
    Program program = Program.parse(name, text);
    Map<Node, double[]> given = new LinkedHashMap<>();
    inputs.forEach((input, values) -> given.put(program.node(input), values));
    return new Golden(program, given, program.assigns().getLast().target(), list(expected));
  }

  private static List<Double> list(double... values) {
    return Arrays.stream(values).boxed().toList();
  }

  /** Runs all as one batch, which takes a C compiler hardly longer than one program. */
  static void check(String machine, List<Golden> cases) {
    List<Program> programs = new ArrayList<>();
    cases.forEach(each -> programs.add(each.program()));
    try (JitBackend backend = Machines.open(machine)) {
      List<Optional<Compiled>> batch = backend.compileBatch("golden", programs, _ -> true);
      VirtualDevice device = backend.newDevice(0);
      for (int i = 0; i < cases.size(); i++) {
        Golden each = cases.get(i);
        try (Context root = device.context();
            Routine routine = backend.link(root, batch.get(i).orElseThrow());
            Context context = routine.context()) {
          each.inputs().forEach(context::write);
          routine.run();
          assertThat(context.read(each.result()))
              .as("%s on %s:%n%s", each.program().name(), machine, each.program())
              .containsExactly(each.expected().toArray(Double[]::new));
        }
      }
      batch.getFirst().orElseThrow().close();
    }
  }
}
