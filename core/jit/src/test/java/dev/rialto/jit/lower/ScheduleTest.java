package dev.rialto.jit.lower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.nest.LoopOrder;
import dev.rialto.jit.lower.threads.ThreadTiles;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {
  private static final String PRODUCT =
      """
      input a f32[13, 9]
      input b f32[9, 37]
      c[i, j] += a[i, k] * b[k, j]
      """;

  private static Map<Node, double[]> inputs(Program program) {
    Map<Node, double[]> inputs = new LinkedHashMap<>();
    for (Node node : program.inputs()) {
      double[] values = new double[(int) node.shape().count()];
      java.util.Arrays.setAll(values, i -> Math.sin(i + 1));
      inputs.put(node, values);
    }
    return inputs;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "parallel i",
        "parallel j; vector j 8",
        "parallel i; vector j 4; unroll j 2; unroll i 3",
        "block j 16; block i 5; vector j 4",
        "reorder j i k; unroll i 4",
        "reorder i k j; vector j 8",
        "reorder k i j",
        "parallel j; reorder k j i; unroll i 2",
        "block k 4; unroll k 3",
        "block k 4; block j 16; parallel i; vector j 4; unroll j 2",
        "parallel j; cache b; vector j 8; unroll j 2; unroll i 4"
      })
  void anyScheduleKeepsEveryBit(String text) {
    Program program = Program.parse("product", PRODUCT);
    Map<Node, double[]> inputs = inputs(program);
    Options plain = new Options(false, false, 0, false, Map.of());
    Schedule schedule = Schedule.parse(text);
    Options scheduled = new Options(true, false, 0, false, Map.of("c", schedule));
    assertThat(Schedule.parse(schedule.toString())).isEqualTo(schedule);
    Oracle.assertSame(
        Oracle.run(program, scheduled, inputs), Oracle.run(program, plain, inputs), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "unroll i 4",
        "unroll j 4; unroll k 3",
        "block i 8; block j 16",
        "block i 6; block j 4; unroll i 3; unroll j 2",
        "reorder j i k; block j 5",
        "parallel i; reorder k i j; unroll j 8; unroll i 2",
      })
  void aScheduleOfThreadsKeepsEveryBit(String text) {
    Program program = Program.parse("product", PRODUCT);
    Map<Node, double[]> inputs = inputs(program);
    Options plain = new Options(false, false, 0, false, Map.of());
    Options threads = Options.threads(false).withSchedules(Map.of("c", Schedule.parse(text)));
    Oracle.assertSame(
        Oracle.run(program, threads, inputs), Oracle.run(program, plain, inputs), text);
    Lowered lowered = Pipeline.run(program, threads);
    assertThat(lowered.procedures().getFirst().items())
        .isNotEqualTo(
            Pipeline.run(program, threads.withSchedules(Map.of())).procedures().getFirst().items());
  }

  @Test
  void whatThreadsCannotDoIsRefused() {
    Assign a = Program.parse("product", PRODUCT).assigns().getFirst();
    Assign chain = Program.parse("chain", "input x f32[9]\nx[i+1] = x[i]").assigns().getFirst();
    Map.of(
            "vector j 4", "have no vectors",
            "cache b", "no arrays of their own",
            "block k 4", "is summed over",
            "reorder i j", "names each of")
        .forEach(
            (text, why) ->
                assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> ThreadTiles.of(a, Schedule.parse(text), false))
                    .withMessageContaining(why));
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> ThreadTiles.of(chain, Schedule.parse("block i 2"), true))
        .withMessageContaining("depend on one another");
  }

  @Test
  void candidatesForThreadsAreTilesThatKeepEveryBit() {
    Program program = Program.parse("product", PRODUCT);
    Map<Node, double[]> inputs = inputs(program);
    Options threads = Options.threads(false);
    Map<Node, double[]> plain = Oracle.run(program, threads, inputs);
    List<Schedule> candidates = ScheduleCandidates.of(program, threads).get("c");
    assertThat(candidates).hasSize(27).startsWith(Schedule.PLAIN);
    for (Schedule each : List.of(candidates.get(13), candidates.getLast())) {
      assertThat(each.toString()).contains("block i", "block j", "unroll");
      Options options = threads.withSchedules(Map.of("c", each));
      Oracle.assertSame(Oracle.run(program, options, inputs), plain, each.toString());
    }
  }

  @Test
  void aScheduleThatDoesNotFitIsRefused() {
    Program program = Program.parse("product", PRODUCT);
    Options wrong = new Options(true, false, 0, false, Map.of("c", Schedule.parse("parallel k")));
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Pipeline.run(program, wrong))
        .withMessageContaining("it is summed over");
    Map<String, String> refused =
        Map.of(
            "vector i 4", "would not load and store neighbours",
            "vector k 4", "would not load and store neighbours",
            "reorder i j", "names each of [i, j, k] once",
            "parallel l", "names axis l");
    refused.forEach(
        (text, why) ->
            assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(
                    () -> LoopOrder.of(program.assigns().getFirst(), Schedule.parse(text), false))
                .withMessageContaining(why));
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Schedule.parse("fold i"))
        .withMessageContaining("unroll AXIS N");
  }

  @Test
  void orderOfSumsChangesOnlyInFastPrograms() {
    Assign sums =
        Program.parse("sums", "input x f32[3, 4, 5]\ns[i] += x[i, j, k]").assigns().getFirst();
    for (String text : List.of("reorder k j i", "block k 2", "vector k 4")) {
      Schedule schedule = Schedule.parse(text);
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> LoopOrder.of(sums, schedule, false))
          .withMessageContaining("only fast programs may do that");
      assertThat(LoopOrder.of(sums, schedule, true).outer()).isNotEmpty();
    }
    assertThat(LoopOrder.of(sums, Schedule.parse("block j 2; reorder j i k"), false).inMemory())
        .isTrue();
    Assign chain = Program.parse("chain", "input x f32[9]\nx[i+1] = x[i]").assigns().getFirst();
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> LoopOrder.of(chain, Schedule.parse("unroll i 2"), true))
        .withMessageContaining("depend on one another");
  }

  /** Steps drawn blindly: most schedules are nonsense. */
  private static Schedule anySchedule(Assign a, RandomGenerator random) {
    List<String> axes = new ArrayList<>(a.loops().stream().map(Iter::name).toList());
    List<Schedule.Step> steps = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      String axis = axes.get(random.nextInt(axes.size()));
      steps.add(
          switch (random.nextInt(6)) {
            case 0 -> new Schedule.Parallel(axis);
            case 1 -> new Schedule.Block(axis, 1 + random.nextInt(9));
            case 2 -> new Schedule.Unroll(axis, 1 + random.nextInt(5));
            case 3 -> new Schedule.Vector(axis, 1 << (1 + random.nextInt(3)));
            default -> {
              Collections.shuffle(axes, new Random(random.nextLong()));
              yield new Schedule.Reorder(axes);
            }
          });
    }
    return new Schedule(steps);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "input a f32[6, 5]\ninput b f32[5, 19]\nc[i, j] += a[i, k] * b[k, j]",
        "input x f64[7, 9]\ninput w f64[3, 2]\nc[i, j] += x[i+k, j+l] * w[k, l]",
        "input x f32[4, 5, 6]\nc[k, i, j] = exp(x[i, j, k])",
        "input x i32[5, 7]\ninput c i32[5]\nc[i] max= x[i, j]",
        "input x f32[5, 17]\nm[i] max= x[i, j]\noutput c[i, j] = x[i, j] - m[i]"
      })
  void anyScheduleIsRefusedOrKeepsEveryBit(String text) {
    Program program = Program.parse("any", text);
    Assign assign = program.assigns().getLast();
    Map<Node, double[]> inputs = inputs(program);
    Options plain = new Options(false, false, 0, false, Map.of());
    Map<Node, double[]> expected = Oracle.run(program, plain, inputs);
    int accepted = 0;
    for (int seed = 0; seed < 150; seed++) {
      Schedule schedule = anySchedule(assign, new SplittableRandom(seed));
      assertThat(Schedule.parse(schedule.toString())).isEqualTo(schedule);
      try {
        LoopOrder.of(assign, schedule, false);
      } catch (IllegalArgumentException e) {
        continue;
      }
      accepted++;
      Options scheduled = new Options(true, false, 0, false, Map.of("c", schedule));
      Oracle.assertSame(
          Oracle.run(program, scheduled, inputs), expected, "seed " + seed + ", " + schedule);
    }
    assertThat(accepted).isGreaterThan(20);
  }

  @Test
  void fastSumsAreCloseToStrictOnes() {
    Program program = Program.parse("sums", "input x f32[3, 100]\ns[i] += x[i, j]");
    Map<Node, double[]> inputs = inputs(program);
    Map<Node, double[]> fast = Oracle.run(program, Options.fast(256), inputs);
    Map<Node, double[]> strict = Oracle.run(program, Options.strict(256), inputs);
    Node s = program.node("s");
    assertThat(fast.get(s))
        .containsExactly(strict.get(s), org.assertj.core.data.Offset.offset(1e-4));
    assertThat(Pipeline.run(program, Options.fast(256)).stages().toString()).contains("vector j 8");
  }
}
