package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Gradient;
import dev.rialto.jit.Node;
import dev.rialto.jit.Op;
import dev.rialto.jit.Program;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.TensorExpression;
import dev.rialto.spi.data.DType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Small programs whose results are known exactly. */
@Tag("gpu")
class GoldenTest {
  static Stream<String> machines() {
    return Machines.all();
  }

  private static TensorExpression iota(long... extents) {
    return TensorExpression.range("iota", DType.F32, extents);
  }

  /**
   * Runs steps of gradient descent, and returns for each the result, the slopes and what the inputs
   * became.
   */
  private static List<Map<String, Double>> descend(
      String machine, String text, Map<String, Double> inputs, double rate, int steps) {
    Program forward = Program.parse("forward", text);
    Node result = forward.assigns().getLast().target();
    Set<Node> wanted = forward.inputs();
    Gradient gradient = Gradient.of(forward, result, wanted);
    List<Assign> updates =
        wanted.stream()
            .map(
                node ->
                    Assign.of(
                        node,
                        List.of(),
                        Accum.SUM,
                        false,
                        ScalarExpression.apply(
                            Op.MUL,
                            new ScalarExpression.Const(node.type(), -rate),
                            new ScalarExpression.Read(gradient.of().get(node), List.of(), false))))
            .toList();
    Program step = forward.then(gradient.program()).then(new Program("update", updates));
    List<Map<String, Double>> found = new java.util.ArrayList<>();
    try (JitBackend backend = Machines.open(machine);
        Compiled compiled = backend.compile(step);
        Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled);
        Context context = routine.context()) {
      inputs.forEach((name, value) -> context.write(forward.node(name), value));
      for (int i = 0; i < steps; i++) {
        routine.run();
        Map<String, Double> now = new LinkedHashMap<>();
        now.put("result", context.read(result)[0]);
        for (Node node : wanted) {
          now.put("d" + node.name(), context.read(gradient.of().get(node))[0]);
          now.put(node.name(), context.read(node)[0]);
        }
        found.add(now);
      }
    }
    return found;
  }

  private static void assertClose(
      Map<String, Double> found, Map<String, Double> expected, double error) {
    expected.forEach((n, v) -> assertThat(found.get(n)).as(n).isEqualTo(v, within(error)));
  }

  @ParameterizedTest
  @MethodSource("machines")
  void micrograd(String machine) {
    String text =
        """
        input a f64[]
        input b f64[]
        c = a + b
        d = a * b + pow(b, 3)
        c2 = c + c + 1
        c3 = c2 + 1 + c2 - a
        d2 = d + d * 2 + relu(b + a)
        d3 = d2 + 3 * d2 + relu(b - a)
        e = c3 - d3
        f = pow(e, 2)
        g = f / 2 + 10 / f
        """;
    var found = descend(machine, text, Map.of("a", -4.0, "b", 2.0), 0, 1).getFirst();
    assertClose(found, Map.of("result", 24.7041, "da", 138.8338, "db", 645.5773), 1e-4);
  }

  @ParameterizedTest
  @MethodSource("machines")
  void gradientsFollowStepsOfDescent(String machine) {
    String text =
        """
        input a f64[]
        input b f64[]
        input c f64[]
        input f f64[]
        l = (a * b + c) * f
        """;
    var steps = descend(machine, text, Map.of("a", 2.0, "b", -3.0, "c", 10.0, "f", -2.0), 0.1, 2);
    assertClose(
        steps.get(0), Map.of("result", -8.0, "da", 6.0, "db", -4.0, "dc", -2.0, "df", 4.0), 0);
    assertClose(steps.get(0), Map.of("a", 1.4, "b", -2.6, "c", 10.2, "f", -2.4), 1e-12);
    assertClose(
        steps.get(1),
        Map.of("result", -15.744, "da", 6.24, "db", -3.36, "dc", -2.4, "df", 6.56),
        1e-12);
  }

  @ParameterizedTest
  @MethodSource("machines")
  void aParabola(String machine) {
    String text = "input x f64[]\nf = 3 * pow(x, 2) - 4 * x + 5";
    var found = descend(machine, text, Map.of("x", 5.0), 0, 1).getFirst();
    assertClose(found, Map.of("result", 60.0, "dx", 26.0), 0);
  }

  /** Weights from a generator of 32 bits, as data from outside. */
  @ParameterizedTest
  @MethodSource("machines")
  void aLayerWithImportedWeights(String machine) {
    double[] weights = new double[6];
    int state = 1;
    for (int i = 0; i < weights.length; i++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      weights[i] = Math.floorMod(state, 10_000) / 10_000.0;
    }
    assertThat(weights)
        .containsExactly(new double[] {.0369, .469, .817, .970, .194, .550}, within(5e-4));
    Program program =
        Program.parse(
            "layer",
            """
            input hey f32[3, 2]
            input x f32[2]
            input b f32[3]
            output y[i] += hey[i, j] * x[j]
            y[i] += b[i]
            """);
    try (JitBackend backend = Machines.open(machine)) {
      double[] y =
          Machines.run(
              backend,
              program,
              Map.of(
                  program.node("hey"), weights,
                  program.node("x"), new double[] {2, 3},
                  program.node("b"), new double[] {4, 5, 6}),
              program.node("y"));
      assertThat(y).containsExactly(new double[] {5.48, 9.54, 8.04}, within(5e-3));
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void windowsDiagonalsAndConcatenation(String machine) {
    TensorExpression image = iota(4, 4);
    TensorExpression kernel = TensorExpression.range("kernel", DType.F32, 2, 2);
    TensorExpression ones = TensorExpression.constant("ones", DType.F32, 1, 2, 2);
    TensorExpression zeros = TensorExpression.constant("zeros", DType.F32, 0, 2, 2);
    String window = "2*i+k 2*j+l, k l -> i j";
    Golden.check(
        machine,
        List.of(
            Golden.of(
                "tropical", image.einsum("y", window, Accum.MAX, Op.ADD, kernel), 8, 10, 16, 18),
            Golden.of("pooled", image.einsum("y", window, Accum.MAX, Op.ADD, zeros), 5, 7, 13, 15),
            Golden.of(
                "dilated", image.einsum("y", "i+2*k j+2*l, k l -> i j", ones), 20, 24, 36, 40),
            Golden.of("diagonal", iota(3).einsum("y", "i -> i i"), 0, 0, 0, 0, 1, 0, 0, 0, 2),
            Golden.of(
                "aboveDiagonal",
                iota(3).einsum("d", "i -> i i").add("y", 1),
                1,
                1,
                1,
                1,
                2,
                1,
                1,
                1,
                3),
            Golden.of(
                "partlyDiagonal",
                iota(2, 3).einsum("d", "i j -> i j i").add("y", 1),
                1,
                1,
                2,
                1,
                3,
                1,
                1,
                4,
                1,
                5,
                1,
                6),
            Golden.of("column", iota(2).einsum("y", "i -> i 1"), 0, 0, 0, 1),
            Golden.of(
                "both",
                iota(2, 2).concat("y", 1, TensorExpression.constant("nines", DType.F32, 9, 2, 1)),
                0,
                1,
                9,
                2,
                3,
                9)));
  }
}
