package dev.rialto.jit.lower;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.run.Interpreter;
import dev.rialto.jit.run.Machines;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Runs programs through the interpreter, after whatever passes the options ask for. */
final class Oracle {
  private Oracle() {}

  /** Returns everything that can be seen from outside after a run. */
  static Map<Node, double[]> run(Program program, Options options, Map<Node, double[]> inputs) {
    return run(program, options, inputs, UnaryOperator.identity());
  }

  /** Does so with one more pass over the loops of each procedure. */
  static Map<Node, double[]> run(
      Program program, Options options, Map<Node, double[]> inputs, UnaryOperator<Stmt> pass) {
    Lowered lowered = Pipeline.run(program, options);
    List<Procedure> procedures =
        lowered.procedures().stream()
            .map(
                p ->
                    new Procedure(
                        p.name(),
                        p.parameters(),
                        p.items(),
                        p.grain(),
                        p.begin(),
                        p.end(),
                        pass.apply(p.body())))
            .toList();
    Unit unit = new Unit("oracle", procedures, options.fast(), "");
    try (Arena arena = Arena.ofConfined();
        var code = new Interpreter().load(unit, new byte[0])) {
      Map<Node, MemorySegment> memory = new HashMap<>();
      for (Node node : program.nodes()) {
        MemorySegment segment = arena.allocate(Math.max(1, node.bytes()), 64);
        if (inputs.containsKey(node)) {
          Machines.write(node, segment, inputs.get(node));
        }
        memory.put(node, segment);
      }
      MemorySegment statics = arena.allocate(64, 64);
      for (int i = 0; i < lowered.procedures().size(); i++) {
        List<MemorySegment> buffers = new ArrayList<>();
        for (Lowered.Slot slot : lowered.slots().get(i)) {
          buffers.add(slot instanceof Lowered.Slot.OfNode(Node n) ? memory.get(n) : statics);
        }
        code.bind(i, buffers).run(0, lowered.procedures().get(i).items());
      }
      Map<Node, double[]> results = new LinkedHashMap<>();
      for (Node node : lowered.context().stream().filter(n -> !inputs.containsKey(n)).toList()) {
        results.put(node, Machines.read(node, memory.get(node)));
      }
      return results;
    }
  }

  /** Compares every bit, except that one NaN is like another. */
  static void assertSame(Map<Node, double[]> actual, Map<Node, double[]> expected, String what) {
    expected.forEach(
        (node, values) ->
            assertThat(actual.get(node)).as("%s of %s", node, what).containsExactly(values));
  }
}
