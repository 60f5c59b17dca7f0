package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Program;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Products and sums that targets may tile: strict ones to the bit, fast ones nearly. */
@Tag("gpu")
class TilesTest {
  static Stream<String> machines() {
    return Machines.compiled().stream().filter(name -> !name.startsWith("sync_"));
  }

  private static double[] random(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] values = new double[count];
    Arrays.setAll(values, _ -> (float) random.nextDouble(-1, 1));
    return values;
  }

  /** The product, summed in order; operands as they lie, or turned. */
  private static double[] product(
      int m, int n, int k, double[] a, boolean turnA, double[] b, boolean turnB, boolean single) {
    double[] c = new double[m * n];
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int l = 0; l < k; l++) {
          double x = turnA ? a[l * m + i] : a[i * k + l];
          double y = turnB ? b[j * k + l] : b[l * n + j];
          sum = single ? (float) sum + (float) x * (float) y : sum + x * y;
        }
        c[i * n + j] = sum;
      }
    }
    return c;
  }

  private static void check(
      String machine, String type, int m, int n, int k, boolean turnA, boolean turnB) {
    String text =
        "input a %s[%s]\ninput b %s[%s]\nc[i, j] += a[%s] * b[%s]"
            .formatted(
                type,
                turnA ? k + ", " + m : m + ", " + k,
                type,
                turnB ? n + ", " + k : k + ", " + n,
                turnA ? "k, i" : "i, k",
                turnB ? "j, k" : "k, j");
    double[] a = random(m * k, 1);
    double[] b = random(k * n, 2);
    Program program = Program.parse("product", text);
    try (JitBackend backend = Machines.open(machine)) {
      double[] c =
          Machines.run(
              backend,
              program,
              Map.of(program.node("a"), a, program.node("b"), b),
              program.node("c"));
      assertThat(c)
          .as("%s on %s", text, machine)
          .containsExactly(product(m, n, k, a, turnA, b, turnB, type.equals("f32")));
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void strictProductsAreThoseOfPlainLoops(String machine) {
    check(machine, "f32", 128, 256, 64, false, false);
    check(machine, "f32", 70, 50, 33, false, false);
    check(machine, "f32", 132, 36, 40, true, false);
    check(machine, "f32", 33, 129, 41, false, true);
    check(machine, "f64", 64, 64, 48, false, false);
    check(machine, "f64", 65, 34, 37, true, true);
  }

  @ParameterizedTest
  @MethodSource("machines")
  void fastSumsAreNearlyThoseOfPlainLoops(String machine) {
    double[] x = random(1 << 16, 3);
    Program program =
        Program.parse(
            "sums", "input x f64[256, 256]\ns[] += x[i, j]\nr[i] += x[i, j]\nm[j] max= x[i, j]");
    Settings fast = Settings.fromProperties().withCache(Optional.empty()).withFast(true);
    try (JitBackend backend = JitBackend.open(machine, fast)) {
      Map<dev.rialto.jit.Node, double[]> inputs = Map.of(program.node("x"), x);
      double[] s = Machines.run(backend, program, inputs, program.node("s"));
      double[] r = Machines.run(backend, program, inputs, program.node("r"));
      double[] m = Machines.run(backend, program, inputs, program.node("m"));
      assertThat(s[0]).isCloseTo(Arrays.stream(x).sum(), org.assertj.core.data.Offset.offset(1e-9));
      for (int i = 0; i < 256; i++) {
        double most = Double.NEGATIVE_INFINITY;
        for (int row = 0; row < 256; row++) {
          most = Math.max(most, x[256 * row + i]);
        }
        assertThat(r[i])
            .isCloseTo(
                Arrays.stream(x, 256 * i, 256 * (i + 1)).sum(),
                org.assertj.core.data.Offset.offset(1e-10));
        assertThat(m[i]).isEqualTo(most);
      }
    }
  }
}
