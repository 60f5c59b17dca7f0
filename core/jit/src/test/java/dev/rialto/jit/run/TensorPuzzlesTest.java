package dev.rialto.jit.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Library functions as index maps, broadcasts, comparisons and sums, one or two lines each. */
@Tag("gpu")
class TensorPuzzlesTest {
  private static final List<Golden> PUZZLES = new ArrayList<>();

  private static double[] values(double... values) {
    return values;
  }

  private static void puzzle(
      String name, String text, Map<String, double[]> inputs, double... expected) {
    PUZZLES.add(Golden.of(name, text, inputs, expected));
  }

  static {
    double[] four = values(1, 2, 3, 4);
    double[] range3 = values(0, 1, 2);
    puzzle("ones", "node y f32[4]\ny[i] = 1", Map.of(), 1, 1, 1, 1);
    puzzle("sum", "input a f32[4]\ny[0] += a[i]", Map.of("a", values(0, 1, 2, 3)), 6);
    puzzle(
        "outer",
        "input a f32[3]\ninput b f32[4]\ny[j, i] = a[i] * b[j]",
        Map.of("a", range3, "b", values(0, 1, 2, 3)),
        values(0, 0, 0, 0, 1, 2, 0, 2, 4, 0, 3, 6));
    puzzle(
        "diag",
        "input m f32[3, 3]\ny[i] = m[i, i]",
        Map.of("m", values(0, 1, 2, 3, 4, 5, 6, 7, 8)),
        values(0, 4, 8));
    puzzle(
        "eye",
        "node y f32[3, 3]\ny[i, j] = eq(index(i), index(j))",
        Map.of(),
        1,
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        1);
    puzzle(
        "triu",
        "node y f32[3, 3]\ny[i, j] = 1 - lt(index(j), index(i))",
        Map.of(),
        values(1, 1, 1, 0, 1, 1, 0, 0, 1));
    puzzle(
        "cumsum",
        "input a f32[4]\nnode y f32[4]\ny[o] += a[i] * (1 - lt(index(o), index(i)))",
        Map.of("a", four),
        values(1, 3, 6, 10));
    puzzle(
        "diff",
        "input a f32[5]\ny[i] = a[i+1] - a[i]",
        Map.of("a", values(0, 1, 3, 6, 10)),
        1,
        2,
        3,
        4);
    puzzle(
        "vstack",
        "input a f32[3]\ninput b f32[3]\nnode y f32[2, 3]\ny[0, i] = a[i]\ny[1, i] = b[i]",
        Map.of("a", range3, "b", values(10, 20, 30)),
        values(0, 1, 2, 10, 20, 30));
    puzzle(
        "roll",
        "input a f32[4]\nnode y f32[4]\ny[i] = where(lt(index(i), 3), pad(a[i+1]), a[0])",
        Map.of("a", four),
        values(2, 3, 4, 1));
    puzzle("flip", "input a f32[4]\nnode y f32[4]\ny[i] = a[3-i]", Map.of("a", four), 4, 3, 2, 1);
    puzzle(
        "compress",
        """
        input a f32[4]
        input keep f32[4]
        node y f32[4]
        before[o] += keep[i] * lt(index(i), index(o)) + 0 * keep[o]
        y[k] += a[i] * keep[i] * eq(before[i], index(k))
        """,
        Map.of("a", four, "keep", values(0, 1, 0, 1)),
        values(2, 4, 0, 0));
    puzzle(
        "padTo",
        "input a f32[3]\nnode y f32[5]\ny[i] = pad(a[i])",
        Map.of("a", values(1, 2, 3)),
        1,
        2,
        3,
        0,
        0);
    puzzle("cutTo", "input a f32[4]\nnode y f32[3]\ny[i] = pad(a[i])", Map.of("a", four), 1, 2, 3);
    puzzle(
        "sequenceMask",
        "input v f32[2, 3]\ninput n f32[2]\ny[i, j] = where(lt(index(j), n[i]), v[i, j], 0)",
        Map.of("v", values(0, 1, 2, 3, 4, 5), "n", values(2, 1)),
        values(0, 1, 0, 3, 0, 0));
    puzzle(
        "bincount",
        "input a f32[5]\nnode y f32[4]\ny[k] += eq(a[i], index(k))",
        Map.of("a", values(2, 1, 0, 2, 2)),
        values(1, 1, 3, 0));
    puzzle(
        "scatterAdd",
        "input v f32[4]\ninput to f32[4]\nnode y f32[3]\ny[k] += v[j] * eq(to[j], index(k))",
        Map.of("v", four, "to", values(2, 0, 2, 0)),
        values(6, 0, 4));
    puzzle(
        "flatten",
        "input a f32[2, 3]\nnode y f32[6]\ny[3*i+j] = a[i, j]",
        Map.of("a", values(10, 20, 30, 40, 50, 60)),
        values(10, 20, 30, 40, 50, 60));
    puzzle("linspace", "node y f32[5]\ny[i] = 2 + 8 * index(i) / 4", Map.of(), 2, 4, 6, 8, 10);
    puzzle(
        "heaviside",
        "input a f32[3]\ninput b f32[3]\ny[i] = where(eq(a[i], 0), b[i], lt(0, a[i]))",
        Map.of("a", values(-1, 0, 2), "b", values(5, 5, 5)),
        values(0, 5, 1));
    puzzle(
        "repeat",
        "input a f32[3]\nnode y f32[3, 3]\ny[d, i] = a[i]",
        Map.of("a", range3),
        values(0, 1, 2, 0, 1, 2, 0, 1, 2));
    puzzle(
        "bucketize",
        "input v f32[3]\ninput b f32[3]\ny[i] += 1 - lt(v[i], b[j])",
        Map.of("v", values(0.5, 2.5, 5), "b", values(1, 3, 5)),
        values(0, 1, 3));
  }

  static Stream<String> machines() {
    return Machines.all();
  }

  @ParameterizedTest
  @MethodSource("machines")
  void everyPuzzle(String machine) {
    Golden.check(machine, PUZZLES);
  }
}
