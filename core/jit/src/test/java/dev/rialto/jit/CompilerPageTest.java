package dev.rialto.jit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.lower.LoopCost;
import dev.rialto.jit.lower.Lowered;
import dev.rialto.jit.lower.Options;
import dev.rialto.jit.lower.Pipeline;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.jit.lower.c.CPrinter;
import dev.rialto.jit.run.Compiled;
import dev.rialto.jit.run.Context;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.jit.run.Machines;
import dev.rialto.jit.run.Routine;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.data.DType;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Keeps the page on the compiler true: its programs run, and its dumps are what comes out. */
class CompilerPageTest {
  private static final Path PAGE = Path.of("../../docs/compiler.md");

  private static List<String> blocks(String language) throws IOException {
    Pattern block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL);
    return block
        .matcher(Files.readString(PAGE))
        .results()
        .map((MatchResult result) -> result.group(1))
        .toList();
  }

  @Test
  void theDumpsAreWhatThePipelineGives() throws IOException {
    Program program = Program.parse("center", blocks("rialto").getFirst());
    Lowered lowered = Pipeline.run(program, Options.strict(256));
    List<String> dumps = blocks("dump");
    for (String stage : List.of("inlined", "schedule", "modes", "loops")) {
      assertThat(dumps).contains(stage(lowered, stage));
    }
    assertThat(CPrinter.print(Dialect.GNU_C, lowered.procedures()))
        .contains(blocks("c").getFirst());
    LoopCost work = LoopCost.of(lowered.procedures());
    assertThat(blocks("work"))
        .containsExactly("operations %d, bytes %d\n".formatted(work.operations(), work.bytes()));
  }

  @Test
  void theSchedulesOfThePageCanBeUsed() throws IOException {
    Program program =
        Program.parse(
            "product",
            "input a f32[64, 64]\ninput b f32[64, 64]\noutput c[i, j] += a[i, k] * b[k, j]\n");
    Map<String, Schedule> schedules = Schedule.parseAll(blocks("schedules").getFirst());
    Lowered lowered = Pipeline.run(program, Options.strict(512).withSchedules(schedules));
    assertThat(stage(lowered, "schedule")).contains(schedules.get("c").toString());
  }

  private static String stage(Lowered lowered, String name) {
    return lowered.stages().stream()
        .filter(stage -> stage.name().equals(name))
        .map(Lowered.Stage::text)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void everyProgramOfThePageIsRight() throws IOException {
    for (String text : blocks("rialto")) {
      assertThat(Program.parse("page", text).assigns()).isNotEmpty();
    }
  }

  @Test
  void theJavaOfThePageIsTheCodeBelow() throws IOException {
    String source = Files.readString(Path.of("src/test/java/dev/rialto/jit/CompilerPageTest.java"));
    for (String block : blocks("java")) {
      assertThat(source.replaceAll("\\s+", " ")).contains(block.strip().replaceAll("\\s+", " "));
    }
  }

  @Test
  void everyOperationOfTheTableExistsAndIsTested() throws IOException {
    Pattern row =
        Pattern.compile("^\\| (`[^|]+) \\| [^|]+ \\| `(\\w+)\\.(\\w+)` \\|$", Pattern.MULTILINE);
    List<MatchResult> rows = row.matcher(Files.readString(PAGE)).results().toList();
    assertThat(rows).hasSizeGreaterThan(12);
    for (MatchResult each : rows) {
      for (String operation : each.group(1).replace("`", "").split(", ", -1)) {
        String[] parts = operation.split("\\.", -1);
        assertThat(methods("dev.rialto.jit.run." + parts[0])).contains(parts[1]);
      }
      assertThat(methods("dev.rialto.jit.run." + each.group(2))).contains(each.group(3));
    }
  }

  private static List<String> methods(String type) {
    try {
      return Arrays.stream(Class.forName(type).getDeclaredMethods()).map(Method::getName).toList();
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aLayerAndItsGradient() {
    try (JitBackend backend = Machines.open("jvm")) {
      TensorExpression x = TensorExpression.of(Node.hosted("x", DType.F32, 8, 3));
      TensorExpression w = TensorExpression.of(Node.hosted("w", DType.F32, 2, 3));
      TensorExpression loss =
          x.einsum("product", "b i, o i -> b o", w)
              .apply("hidden", Op.RELU)
              .einsum("loss", "b o -> ");
      Gradient gradient = loss.gradient("layer", java.util.Set.of(w.node()));

      try (Compiled compiled = backend.compile(gradient.program());
          Context empty = backend.newDevice(0).context();
          Routine routine = backend.link(empty, compiled);
          Context context = routine.context()) {
        context.write(w.node(), 1, 0, 0, 0, 1, -1);
        context.write(x.node(), new double[24]);
        routine.run();
        assertThat(context.read(loss.node())).containsExactly(0);
        assertThat(context.read(gradient.of().get(w.node()))).hasSize(6);
      }
    }
  }
}
