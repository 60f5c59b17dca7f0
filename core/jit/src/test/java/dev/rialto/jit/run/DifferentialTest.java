package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.RandomProgram;
import dev.rialto.jit.ReferenceEvaluator;
import dev.rialto.jit.lower.Options;
import dev.rialto.jit.lower.RandomSchedule;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.spi.data.DType;
import dev.rialto.system.JavaCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random programs with random schedules, on every target and scheduler, give the bits of the
 * evaluator that shares nothing with them. {@code -Drialto.fuzz.seed=N} begins elsewhere, {@code
 * -Drialto.fuzz.rounds=N} goes on for longer; a failure names its seed.
 */
@Timeout(1200)
class DifferentialTest {
  private static final long SEED = Long.getLong("rialto.fuzz.seed", 1);
  private static final int ROUNDS = Integer.getInteger("rialto.fuzz.rounds", 1);
  private static final int PROGRAMS = 28;
  private static final List<DType> TYPES = List.of(DType.values());

  /** A program, what it is given, and what it must give. */
  private record Case(
      long seed, Program program, Map<Node, double[]> inputs, Map<Node, double[]> expected) {
    static Case of(long seed) {
      DType type = TYPES.get((int) (seed % TYPES.size()));
      RandomProgram made = new RandomProgram(seed, type, true, "s" + seed);
      Program program = new Program("seed" + seed, made.program().assigns());
      Map<Node, double[]> expected = ReferenceEvaluator.run(program, made.inputs(), 1);
      return new Case(seed, program, made.inputs(), expected);
    }
  }

  private static List<Case> cases(long first) {
    List<Case> cases = new ArrayList<>();
    for (long seed = first; seed < first + PROGRAMS; seed++) {
      cases.add(Case.of(seed));
    }
    return cases;
  }

  static Stream<String> machines() {
    return Machines.all();
  }

  @ParameterizedTest
  @MethodSource("machines")
  void everyTargetGivesTheBitsOfTheEvaluator(String machine) {
    for (int round = 0; round < ROUNDS; round++) {
      List<Case> cases = cases(SEED + (long) round * PROGRAMS);
      check(machine, cases, false);
      check(machine, cases, true);
    }
  }

  /** Runs all cases, compiled together, with the automatic or with random schedules. */
  private static void check(String machine, List<Case> cases, boolean scheduled) {
    Map<String, Schedule> schedules = new LinkedHashMap<>();
    if (scheduled) {
      Options options;
      try (JitBackend backend = Machines.open(machine)) {
        options = backend.options();
      }
      cases.forEach(c -> schedules.putAll(RandomSchedule.of(c.program(), options, c.seed())));
    }
    Settings settings = Machines.settings().withSchedules(schedules);
    try (JitBackend backend = JitBackend.open(machine, settings)) {
      List<Program> programs = cases.stream().map(Case::program).toList();
      List<Optional<Compiled>> batch = backend.compileBatch("batch", programs, _ -> true);
      for (int i = 0; i < cases.size(); i++) {
        compare(backend, batch.get(i).orElseThrow(), cases.get(i), schedules);
      }
      batch.getFirst().orElseThrow().close();
    }
  }

  private static void compare(
      JitBackend backend, Compiled compiled, Case c, Map<String, Schedule> schedules) {
    try (Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled);
        Context context = routine.context()) {
      c.inputs()
          .forEach(
              (node, values) -> {
                if (context.holds(node)) {
                  context.write(node, values);
                }
              });
      c.program().statics().forEach(index -> routine.bind(index, 1));
      routine.run();
      for (Node node : c.program().assigned()) {
        if (context.holds(node)) {
          assertThat(bits(context.read(node)))
              .as(
                  "%s by %s, seed %d:%n%s%n%s",
                  node, backend.name(), c.seed(), c.program(), of(c, schedules))
              .isEqualTo(bits(c.expected().get(node)));
        }
      }
    }
  }

  private static Map<String, Schedule> of(Case c, Map<String, Schedule> schedules) {
    Map<String, Schedule> own = new LinkedHashMap<>(schedules);
    own.keySet().retainAll(c.program().nodes().stream().map(Node::name).toList());
    return own;
  }

  /** Numbers as they print, for zeros have signs and one NaN is like another. */
  private static List<String> bits(double[] values) {
    return Arrays.stream(values).mapToObj(Double::toHexString).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 32, 64})
  void theJvmTargetIsRightWhateverTheWidthOfVectors(int bytes) throws Exception {
    List<String> command =
        new ArrayList<>(JavaCommand.like(DifferentialTest.class, List.of("jvm", "sync_jvm")));
    command.add(1, "-XX:MaxVectorSize=" + bytes);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said).contains("vectors of " + 8 * bytes + " bits agree");
  }

  /** Checks the machines that are named, in a JVM whose vectors are of another width. */
  public static void main(String[] machines) throws IOException {
    for (String machine : machines) {
      new DifferentialTest().everyTargetGivesTheBitsOfTheEvaluator(machine);
    }
    int bits = JitBackend.targets().get("jvm").vectorBits();
    System.out.println("vectors of " + bits + " bits agree");
  }

  @Test
  void theEvaluatorKnowsEveryTypeAndSchedulesAreNotAllRefused() {
    List<Case> cases = cases(SEED);
    long types =
        cases.stream()
            .flatMap(c -> c.program().assigned().stream())
            .map(Node::type)
            .distinct()
            .count();
    assertThat(types).isEqualTo(DType.values().length);
    Map<String, Schedule> schedules = new LinkedHashMap<>();
    cases.forEach(
        c -> schedules.putAll(RandomSchedule.of(c.program(), Options.strict(256), c.seed())));
    assertThat(schedules).hasSizeGreaterThan(PROGRAMS);
  }
}
