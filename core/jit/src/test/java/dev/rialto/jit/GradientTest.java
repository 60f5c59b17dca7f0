package dev.rialto.jit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Derivatives are those that differences show, or are refused with the assignment. */
class GradientTest {
  private static final String INPUTS =
      "input a f64[4]\ninput b f64[4]\ninput m f64[4, 3]\ninput f f32[4]\n";

  private static Program program(String text) {
    return Program.parse("p", INPUTS + text.replace("; ", "\n"));
  }

  private static Map<Node, double[]> inputs(Program program) {
    SplittableRandom random = new SplittableRandom(7);
    Map<Node, double[]> inputs = new HashMap<>();
    for (Node node : program.inputs()) {
      double[] values = random.doubles(node.shape().count(), -2, 2).toArray();
      for (int i = 0; i < values.length; i++) {
        values[i] = Math.rint(values[i] * 16) / 16;
      }
      inputs.put(node, values);
    }
    return inputs;
  }

  private static double loss(Program program, Map<Node, double[]> inputs) {
    return ReferenceEvaluator.run(program, inputs, 0).get(program.node("loss"))[0];
  }

  private static void check(Program program, Map<Node, double[]> inputs) {
    Set<Node> wanted = new HashSet<>(inputs.keySet());
    Gradient gradient = Gradient.of(program, program.node("loss"), wanted);
    Program both = program.then(gradient.program());
    Map<Node, double[]> results = ReferenceEvaluator.run(both, inputs, 0);
    inputs.forEach(
        (node, values) -> {
          double[] actual =
              gradient.of().containsKey(node)
                  ? results.get(gradient.of().get(node))
                  : new double[values.length];
          for (int i = 0; i < values.length; i++) {
            double step = 0x1p-10;
            Map<Node, double[]> more = new HashMap<>(inputs);
            more.put(node, values.clone());
            more.get(node)[i] += step;
            Map<Node, double[]> less = new HashMap<>(inputs);
            less.put(node, values.clone());
            less.get(node)[i] -= step;
            double slope = (loss(program, more) - loss(program, less)) / (2 * step);
            assertThat(actual[i])
                .as("by %s[%d] of%n%s%n%s", node, i, program, gradient.program())
                .isCloseTo(slope, within(2e-3 * (1 + Math.abs(slope))));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "t[i] += a[i]; t[i] += b[i] * a[i]; loss[] += t[i] * t[i]",
        "t[i] = a[i]; t[i] += b[i] * b[i]; loss[] += 3 * t[i]",
        "t[i] = a[i] * b[i]; t[i] = b[i]; loss[] += t[i] * a[i]",
        "y[i] = m[i, j] * 2; loss[] += y[i] * a[i]",
        "loss[] *= a[i] + 2.5",
        "p[i] *= m[i, j] * a[i]; loss[] += p[i]",
        "c[i] = cast(f64, cast(i32, a[i] + 0.25)) * b[i]; loss[] += c[i]",
        "d[i] = cast(f64, f[i]) * a[i]; loss[] += d[i] * d[i]",
        "loss[] += 5 * a[i]; a[i] = b[i]",
        "a[i] = 2 * a[i] + b[i]; loss[] += a[i]",
        "a[i] += b[i] * b[i]; loss[] += a[i]",
        "node t f64[8]; t[2*i] = a[i]; t[2*i+1] = b[i] * b[i]; loss[] += t[k] * index(k)",
        "h[i+j] += a[i] * b[j]; loss[] += h[k] * h[k]",
        "loss[] max= a[i] * b[i]",
        "q[i] = pow(a[i], 3) + pow(b[i], 0) + sqrt(a[i] * a[i] + 1); loss[] += q[i]",
        "q[i] = max(a[i], b[i]) + min(a[i], 0.5) + relu(b[i]) + abs(a[i]); loss[] += q[i]",
        "q[i] = where(lt(a[i], b[i]), a[i] * b[i], a[i] / (b[i] * b[i] + 1)); loss[] += q[i]",
        "loss[] += a[i] + m[i, j]",
        "node k i32[6]; k[p] = rem(3 * index(p), 7) - 1; g[p, j] = m[k[p], j] * m[k[p], j] *"
            + " a[k[p]]; loss[] += g[p, j]",
        "node k i32[4]; k[i] = index(i) / 2; node h f64[3]; h[k[i]] += a[i] * b[i]; loss[] += h[q]"
            + " * h[q]",
        "node k i32[4]; k[i] = index(i) / 2; node h f64[2]; h[k[i]] max= a[i] * b[i]; loss[] +="
            + " h[q] * index(q)",
        "node n i32[4]; n[i] = index(i); s[i] += m[i, j] * m[i, j] * a[i] for j < n[i]; loss[] +="
            + " s[i] * b[i]",
        "node n i32[]; n[] = 2; t[i] = a[i] * b[i] for i < n[]; loss[] += t[i] * t[i]",
        "q[i] = rem(5 * a[i] + 0.013, b[i] * b[i] + 1) + and(ge(a[i], b[i] + 0.013), 2) * a[i];"
            + " loss[] += q[i]",
        "q[i] = fma(a[i], b[i], a[i]) + recip(a[i] * a[i] + 2) + floor(b[i] + 0.03); loss[] +="
            + " q[i]",
      })
  void derivativesAreThoseThatDifferencesShow(String text) {
    Program program = program(text);
    check(program, inputs(program));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void factorsOfAProductWithZerosGetTheProductOfTheOthers(int zeros) {
    Program program = program("p[i] *= m[i, j]; loss[] += p[i] * a[i]");
    Map<Node, double[]> inputs = inputs(program);
    for (int i = 0; i < zeros; i++) {
      inputs.get(program.node("m"))[i] = 0;
    }
    check(program, inputs);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "t[i] += a[i]; t[i] *= b[i]; loss[] += t[i]",
        "t[i] = a[i]; t[i] max= b[i]; loss[] += t[i]",
        "t[i] = a[i] * a[i]; a[i] = b[i]; loss[] += t[i] + a[i]",
        "s[i] = a[i]; t[i] = s[i] * s[i]; s[i] = b[i]; loss[] += t[i]",
        "a[i] = a[i] * a[i]; loss[] += a[i]",
        "h[i+j] = a[i] * b[j]; loss[] += h[k]",
        "node t f64[4]; t[i] = pad(a[i-1]); loss[] += t[i] * b[i]",
        "node k i32[4]; k[i] = 1; node h f64[3]; h[k[i]] = a[i]; loss[] += h[q]",
        "node k i32[4]; k[i] = 1; node h f64[3]; h[k[i]] *= a[i]; loss[] += h[q]",
        "node k i32[4]; k[i] = 1; t[i] = a[k[i]]; k[i] = 2; loss[] += t[i]",
        "node n i32[]; n[] = 2; p[] *= a[i] for i < n[]; loss[] += p[]",
      })
  void whatWouldNeedOverwrittenValuesIsRefusedWithTheAssignment(String text) {
    Program program = program(text);
    Set<Node> wanted = program.inputs();
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Gradient.of(program, program.node("loss"), wanted))
        .withMessageMatching("line \\d+: .* cannot be differentiated: .*");
  }

  @ParameterizedTest
  @ValueSource(strings = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"})
  void integersHaveNoGradients(String type) {
    Program program =
        Program.parse(
            "p",
            "input k %s[4]\ninput a f64[4]\nloss[] += a[i] * cast(f64, k[i])\nmost[] max= k[i]"
                .formatted(type));
    Node k = program.node("k");
    Node a = program.node("a");
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Gradient.of(program, program.node("loss"), Set.of(a, k)))
        .withMessageContaining("k is of " + k.type() + "; cast to f32 or f64");
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Gradient.of(program, program.node("most"), Set.of(a)))
        .withMessageContaining("most is of " + k.type());
    assertThat(Gradient.of(program, program.node("loss"), Set.of(a)).of())
        .containsOnlyKeys(a, program.node("loss"));
  }
}
