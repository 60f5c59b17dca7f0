package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.ReferenceEvaluator;
import dev.rialto.jit.TensorExpression;
import dev.rialto.spi.data.DType;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Indices and ends of loops that are read: gathers, scatters, places of extremes, ragged rows. */
class DataIndexTest {
  private static final String TEXT =
      """
      input x f64[6, 5]
      input k i32[7]
      input l i8[4]
      input n i32[6]
      input c i64[]
      output taken[p, j] = x[k[p], j]
      nested[q] = x[k[l[q]], 2*l[q]-2]
      node counts i32[6]
      counts[k[p]] += 1
      node sums f64[6, 5]
      sums[k[p], j] += taken[p, j]
      node last f32[6]
      last[k[p]] = index(p)
      node most f64[6]
      most[k[p]] max= taken[p, 1]
      node factors f64[6]
      factors[k[p]] *= taken[p, 0]
      node half f16[6]
      half[k[p]] += cast(f16, taken[p, 0])
      node narrow i8[6]
      narrow[k[p]] min= cast(i8, index(p))
      node bytes u8[6]
      bytes[k[p]] += 100 * cast(u8, index(p))
      node shorts i16[6]
      shorts[k[p]] max= cast(i16, taken[p, 1])
      node words u32[6]
      words[k[p]] max= cast(u32, index(p)) * 1000000000
      node wide u64[6]
      wide[k[p]] min= 18000000000000000000 - cast(u64, index(p)) * 2000000000000000000
      best[i] argmax= x[i, j]
      worst[j] argmin= x[i, j]
      node where i32[]
      where[] argmax= x[i, j]
      ragged[i] += x[i, j] for j < n[i]
      some[j] = 2 * x[0, j] for j < c[]
      columns[j] += x[i, j] for j < n[i]
      first[i] argmin= x[i, j] for j < n[i]
      """;

  private static final double[] K = {2, 0, -1, 2, 6, 5, 2};
  private static final double[] L = {0, 3, -2, 1};
  private static final double[] N = {0, 5, 2, 9, -1, 4};

  private static double[] x() {
    double[] x = new double[30];
    for (int i = 0; i < x.length; i++) {
      x[i] = (i * 7 % 13) - 4 + i / 64.0;
    }
    x[11] = x[13];
    x[21] = Double.NaN;
    return x;
  }

  private static Map<Node, double[]> inputs(Program program) {
    Map<Node, double[]> inputs = new LinkedHashMap<>();
    inputs.put(program.node("x"), x());
    inputs.put(program.node("k"), K);
    inputs.put(program.node("l"), L);
    inputs.put(program.node("n"), N);
    inputs.put(program.node("c"), new double[] {3});
    return inputs;
  }

  private static Map<String, double[]> run(String machine, Settings settings, Program program) {
    Map<String, double[]> results = new LinkedHashMap<>();
    try (JitBackend backend = JitBackend.open(machine, settings);
        Compiled compiled = backend.compile(program);
        Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled);
        Context context = routine.context()) {
      inputs(program).forEach(context::write);
      routine.run();
      routine.outputs().forEach(node -> results.put(node.name(), context.read(node)));
    }
    return results;
  }

  static Stream<String> machines() {
    return Machines.all().filter(name -> name.startsWith("sync_"));
  }

  @ParameterizedTest
  @MethodSource("machines")
  void everyTargetGivesTheBitsOfTheEvaluator(String machine) {
    Program program = Program.parse("data", TEXT);
    Map<Node, double[]> expected = ReferenceEvaluator.run(program, inputs(program), 0);
    Map<String, double[]> actual = run(machine, Machines.settings(), program);
    assertThat(actual).hasSize(20);
    actual.forEach(
        (name, values) ->
            assertThat(values).as(name).containsExactly(expected.get(program.node(name))));
  }

  @ParameterizedTest
  @MethodSource("machines")
  void fastProgramsGiveTheSameButForRounding(String machine) {
    Program program = Program.parse("data", TEXT);
    Map<Node, double[]> expected = ReferenceEvaluator.run(program, inputs(program), 0);
    Map<String, double[]> actual = run(machine, Machines.settings().withFast(true), program);
    double[] sums = expected.get(program.node("sums"));
    for (int i = 0; i < sums.length; i++) {
      assertThat(actual.get("sums")[i]).isEqualTo(sums[i], within(1e-12));
    }
    for (String name : new String[] {"counts", "most", "last", "best"}) {
      assertThat(actual.get(name)).as(name).containsExactly(expected.get(program.node(name)));
    }
  }

  @Test
  void theEvaluatorMeansWhatLoopsSay() {
    Program program = Program.parse("data", TEXT);
    Map<Node, double[]> found = ReferenceEvaluator.run(program, inputs(program), 0);
    double[] x = x();
    double[] taken = new double[35];
    double[] sums = new double[30];
    double[] counts = new double[6];
    double[] last = new double[6];
    for (int p = 0; p < 7; p++) {
      int at = (int) K[p];
      if (at >= 0 && at < 6) {
        counts[at]++;
        last[at] = p;
        for (int j = 0; j < 5; j++) {
          taken[p * 5 + j] = x[at * 5 + j];
          sums[at * 5 + j] += x[at * 5 + j];
        }
      }
    }
    double[] ragged = new double[6];
    double[] columns = new double[5];
    double[] best = new double[6];
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < 5; j++) {
        boolean larger = x[i * 5 + j] > x[i * 5 + (int) best[i]];
        best[i] = larger || (i == 4 && j == 1) ? j : best[i];
        if (j < N[i]) {
          ragged[i] += x[i * 5 + j];
          columns[j] += x[i * 5 + j];
        }
      }
    }
    best[4] = 1;
    Map<String, double[]> expected = new LinkedHashMap<>();
    expected.put("taken", taken);
    expected.put("sums", sums);
    expected.put("counts", counts);
    expected.put("last", last);
    expected.put("ragged", ragged);
    expected.put("columns", columns);
    expected.put("best", best);
    expected.put("some", new double[] {2 * x[0], 2 * x[1], 2 * x[2], 0, 0});
    expected.put("where", new double[] {21});
    expected.put("nested", new double[] {0, x[14], 0, x[0]});
    expected.forEach(
        (name, values) ->
            assertThat(found.get(program.node(name))).as(name).containsExactly(values));
  }

  @Test
  void tensorsGatherScatterAndFindPlaces() {
    TensorExpression x = TensorExpression.of(Node.hosted("x", DType.F64, 6, 5));
    TensorExpression k = TensorExpression.of(Node.hosted("k", DType.I32, 7));
    TensorExpression n = TensorExpression.of(Node.hosted("n", DType.I32, 6));
    TensorExpression taken = x.take("taken", 0, k);
    TensorExpression sums = taken.scatter("sums", Accum.SUM, 0, k, 6);
    TensorExpression best = x.argmax("best", 1);
    TensorExpression ragged = x.reduce("ragged", Accum.SUM, 1, n);
    Program program = TensorExpression.program("tensors", taken, sums, best, ragged);
    Program written = Program.parse("data", TEXT);
    Map<Node, double[]> expected = ReferenceEvaluator.run(written, inputs(written), 0);
    Map<Node, double[]> inputs = Map.of(x.node(), x(), k.node(), K, n.node(), N);
    Map<Node, double[]> found = ReferenceEvaluator.run(program, inputs, 0);
    for (TensorExpression each : new TensorExpression[] {taken, sums, best, ragged}) {
      String name = each.node().name();
      assertThat(found.get(each.node())).as(name).containsExactly(expected.get(written.node(name)));
    }
    assertThat(Arrays.toString(best.node().shape().extents())).isEqualTo("[6]");
  }
}
