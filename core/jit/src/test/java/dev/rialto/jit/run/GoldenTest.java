package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Gradient;
import dev.rialto.jit.Node;
import dev.rialto.jit.Op;
import dev.rialto.jit.Program;
import dev.rialto.jit.Tensor;
import dev.rialto.spi.data.DType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Small programs whose results are known exactly. */
class GoldenTest {
  static Stream<String> machines() {
    return Stream.of("sync_interpreter", "jvm", "sync_cc", "sync_gccjit")
        .filter(m -> Machines.all().toList().contains(m));
  }

  private static double[] run(String machine, Tensor result) {
    try (JitBackend backend = Machines.open(machine)) {
      return Machines.run(backend, Tensor.program("golden", result), Map.of(), result.node());
    }
  }

  private static Tensor iota(long... extents) {
    return Tensor.range("iota", DType.F32, extents);
  }

  private static Map<String, Double> derivatives(
      String machine, String text, Map<String, Double> inputs, String result) {
    Program forward = Program.parse("forward", text);
    Set<Node> wanted = forward.inputs();
    Gradient gradient = Gradient.of(forward, forward.node(result), wanted);
    try (JitBackend backend = Machines.open(machine);
        Compiled compiled = backend.compile(forward.then(gradient.program()));
        Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled);
        Context context = routine.context()) {
      inputs.forEach((name, value) -> context.write(forward.node(name), value));
      routine.run();
      Map<String, Double> found = new LinkedHashMap<>();
      found.put(result, context.read(forward.node(result))[0]);
      wanted.forEach(n -> found.put(n.name(), context.read(gradient.of().get(n))[0]));
      return found;
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void micrograd(String machine) {
    Map<String, Double> found =
        derivatives(
            machine,
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
            """,
            Map.of("a", -4.0, "b", 2.0),
            "g");
    assertThat(found.get("g")).isEqualTo(24.7041, within(1e-4));
    assertThat(found.get("a")).isEqualTo(138.8338, within(1e-4));
    assertThat(found.get("b")).isEqualTo(645.5773, within(1e-4));
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
    Map<String, Double> first =
        derivatives(machine, text, Map.of("a", 2.0, "b", -3.0, "c", 10.0, "f", -2.0), "l");
    assertThat(first).isEqualTo(Map.of("l", -8.0, "a", 6.0, "b", -4.0, "c", -2.0, "f", 4.0));
    Map<String, Double> next =
        derivatives(machine, text, Map.of("a", 1.4, "b", -2.6, "c", 10.2, "f", -2.4), "l");
    Map<String, Double> expected =
        Map.of("l", -15.744, "a", 6.24, "b", -3.36, "c", -2.4, "f", 6.56);
    expected.forEach((n, v) -> assertThat(next.get(n)).as(n).isEqualTo(v, within(1e-12)));
  }

  @ParameterizedTest
  @MethodSource("machines")
  void aParabola(String machine) {
    Map<String, Double> found =
        derivatives(machine, "input x f64[]\nf = 3 * pow(x, 2) - 4 * x + 5", Map.of("x", 5.0), "f");
    assertThat(found).isEqualTo(Map.of("f", 60.0, "x", 26.0));
  }

  @ParameterizedTest
  @MethodSource("machines")
  void einsumTables(String machine) {
    Tensor hey = iota(2, 4, 3);
    assertThat(run(machine, hey.einsum("sum", "b o i -> b i")))
        .containsExactly(18, 22, 26, 66, 70, 74);
    assertThat(run(machine, hey.einsum("swap", "b o i -> i b o")))
        .startsWith(0, 3, 6, 9, 12, 15, 18, 21, 1, 4);
    assertThat(run(machine, hey.einsum("fixed", "b 1 i -> b i")))
        .containsExactly(3, 4, 5, 15, 16, 17);
    assertThat(run(machine, hey.einsum("rest", "... i -> ...")))
        .containsExactly(3, 12, 21, 30, 39, 48, 57, 66);
    Tensor a = iota(2, 3);
    assertThat(run(machine, a.einsum("product", "i k, j k -> i j", a)))
        .containsExactly(5, 14, 14, 50);
    assertThat(run(machine, a.einsum("outer", "i j, k l -> i l", a)))
        .containsExactly(3 * 3, 3 * 5, 3 * 7, 12 * 3, 12 * 5, 12 * 7);
    assertThat(run(machine, iota(3).einsum("diagonal", "i -> i i")))
        .containsExactly(0, 0, 0, 0, 1, 0, 0, 0, 2);
    assertThat(run(machine, iota(3, 3).einsum("trace", "i i -> "))).containsExactly(12);
    assertThat(run(machine, iota(3).einsum("place", "i -> i 0"))).containsExactly(0, 1, 2);
    assertThat(run(machine, iota(2).einsum("column", "i -> i 1"))).containsExactly(0, 0, 0, 1);
  }

  @ParameterizedTest
  @MethodSource("machines")
  void windowsOverAnImage(String machine) {
    Tensor image = iota(4, 4);
    Tensor zeros = Tensor.constant("zeros", DType.F32, 0, 2, 2);
    assertThat(
            run(
                machine,
                image.einsum("tropical", "2*i+k 2*j+l, k l -> i j", Accum.MAX, Op.ADD, zeros)))
        .containsExactly(5, 7, 13, 15);
    Tensor kernel = Tensor.range("kernel", DType.F32, 2, 2);
    assertThat(
            run(
                machine,
                image.einsum("best", "2*i+k 2*j+l, k l -> i j", Accum.MAX, Op.ADD, kernel)))
        .containsExactly(8, 10, 16, 18);
    Tensor ones = Tensor.constant("ones", DType.F32, 1, 2, 2);
    assertThat(run(machine, image.einsum("dilated", "i+2*k j+2*l, k l -> i j", ones)))
        .containsExactly(20, 24, 36, 40);
  }

  @ParameterizedTest
  @MethodSource("machines")
  void tensorPuzzles(String machine) {
    Map<String, double[]> puzzles = new LinkedHashMap<>();
    puzzles.put("ones[i] = 1 + 0 * a[i]", new double[] {1, 1, 1, 1});
    puzzles.put("sum[] += a[i]", new double[] {6});
    puzzles.put(
        "outer[i, j] = a[i] * a[j]", new double[] {0, 0, 0, 0, 0, 1, 2, 3, 0, 2, 4, 6, 0, 3, 6, 9});
    puzzles.put("diag[i] = m[i, i]", new double[] {0, 5, 10, 15});
    puzzles.put("eye[i, j] = eq(index(i), index(j)) + 0 * m[i, j]", eye());
    puzzles.put(
        "triu[i, j] = 1 - lt(index(j), index(i)) + 0 * m[i, j]",
        new double[] {1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1});
    puzzles.put(
        "cumsum[i] += where(lt(index(i), index(j)), 0 * a[i], a[j])", new double[] {0, 1, 3, 6});
    puzzles.put("diff[i] = a[i] - pad(a[i-1]) + 0 * a[i]", new double[] {0, 1, 1, 1});
    puzzles.put(
        "vstack[k, i] = where(eq(index(k), 0), a[i], 2 * a[i]) + 0 * two[k]",
        new double[] {0, 1, 2, 3, 0, 2, 4, 6});
    puzzles.put(
        "roll[i] += a[j] * eq(index(j), where(eq(index(i), 3), 0 * a[i], index(i+1)))",
        new double[] {1, 2, 3, 0});
    puzzles.put("flip[i] = a[3-i] + 0 * a[i]", new double[] {3, 2, 1, 0});
    puzzles.put("heaviside[i] = lt(0, a[i])", new double[] {0, 1, 1, 1});
    puzzles.put("repeat[k, i] = a[i] + 0 * two[k]", new double[] {0, 1, 2, 3, 0, 1, 2, 3});
    puzzles.put("bucketize[i] += lt(two[k], a[i])", new double[] {0, 1, 2, 2});
    String declared = "input a f32[4]\ninput m f32[4, 4]\ninput two f32[2]\n";
    try (JitBackend backend = Machines.open(machine)) {
      puzzles.forEach(
          (text, expected) -> {
            Program program = Program.parse("puzzle", declared + text);
            Map<Node, double[]> inputs = new LinkedHashMap<>();
            for (Node node : program.inputs()) {
              double[] values = new double[(int) node.shape().count()];
              java.util.Arrays.setAll(values, i -> i);
              inputs.put(node, values);
            }
            Node result = program.assigned().iterator().next();
            assertThat(Machines.run(backend, program, inputs, result))
                .as(text)
                .containsExactly(expected);
          });
    }
  }

  private static double[] eye() {
    double[] eye = new double[16];
    List.of(0, 5, 10, 15).forEach(i -> eye[i] = 1);
    return eye;
  }

  @ParameterizedTest
  @MethodSource("machines")
  void concatenation(String machine) {
    Tensor a = iota(2, 2);
    Tensor b = Tensor.constant("nines", DType.F32, 9, 2, 1);
    assertThat(run(machine, a.concat("both", 1, b))).containsExactly(0, 1, 9, 2, 3, 9);
  }
}
