package dev.rialto.jit.lower;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.RandomProgram;
import dev.rialto.jit.loops.Cse;
import dev.rialto.jit.loops.Hoist;
import dev.rialto.jit.loops.IndexBounds;
import dev.rialto.jit.loops.Simplify;
import dev.rialto.jit.loops.Tidy;
import dev.rialto.jit.lower.program.DeadCode;
import dev.rialto.jit.lower.program.Inline;
import dev.rialto.jit.lower.program.Normalize;
import dev.rialto.spi.code.Stmt;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the passes do, together or each alone, the interpreter sees the same bits. */
class PassesTest {
  private static final Options PLAIN = new Options(false, false, 0, false, Map.of());
  private static final Map<String, UnaryOperator<Stmt>> ON_LOOPS =
      Map.of(
          "simplify", body -> Simplify.apply(body),
          "intervals", IndexBounds::apply,
          "common subexpressions", Cse::apply,
          "hoisting", Hoist::apply,
          "tidying", Tidy::apply);
  private static final Map<String, Function<Program, List<Assign>>> ON_PROGRAMS =
      Map.of(
          "normalizing", program -> Normalize.apply(program.assigns()),
          "inlining",
              program ->
                  Inline.apply(Normalize.apply(program.assigns()), program.inputs()).assigns(),
          "dead code",
              program -> DeadCode.apply(Normalize.apply(program.assigns()), program.inputs()));

  private interface Check {
    void of(Program program, Map<Node, double[]> inputs, Map<Node, double[]> plain, String what);
  }

  private static void forSeeds(int from, int to, Check check) {
    for (int seed = from; seed < to; seed++) {
      RandomProgram made = new RandomProgram(seed);
      Program program = made.program();
      Map<Node, double[]> plain = Oracle.run(program, PLAIN, made.inputs());
      check.of(program, made.inputs(), plain, " of seed " + seed + ":\n" + program);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 128, 256, 512})
  void passesKeepEveryBitOfRandomPrograms(int vectorBits) {
    forSeeds(
        0,
        40,
        (program, inputs, plain, what) ->
            Oracle.assertSame(
                Oracle.run(program, Options.strict(vectorBits), inputs), plain, "all" + what));
  }

  @Test
  void eachPassOnLoopsAloneKeepsEveryBit() {
    forSeeds(
        100,
        120,
        (program, inputs, plain, what) ->
            ON_LOOPS.forEach(
                (name, pass) -> {
                  for (Options options : List.of(PLAIN, Options.strict(256))) {
                    Oracle.assertSame(
                        Oracle.run(program, options, inputs, pass), plain, name + what);
                  }
                }));
  }

  @Test
  void eachPassOnProgramsAloneKeepsEveryBit() {
    forSeeds(
        200,
        230,
        (program, inputs, plain, what) ->
            ON_PROGRAMS.forEach(
                (name, pass) ->
                    Oracle.assertSame(
                        Oracle.run(new Program(program.name(), pass.apply(program)), PLAIN, inputs),
                        plain,
                        name + what)));
  }

  @Test
  void aThreadForEachElementKeepsEveryBitOfRandomPrograms() {
    forSeeds(
        0,
        120,
        (program, inputs, plain, what) ->
            Oracle.assertSame(
                Oracle.run(program, Options.threads(false), inputs), plain, "threads" + what));
  }
}
