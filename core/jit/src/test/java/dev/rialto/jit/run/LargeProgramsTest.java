package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.ReferenceEvaluator;
import dev.rialto.jit.TensorExpression;
import dev.rialto.jit.lower.Options;
import dev.rialto.jit.lower.Pipeline;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.data.DType;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.CodeAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs of many operations, and of deep ones, give what plain evaluation gives. */
class LargeProgramsTest {
  /** The bytes of a method beyond which the JVM does not compile it. */
  private static final int MOST_COMPILED = 8000;

  static Stream<String> backends() {
    return Machines.all().filter(name -> name.startsWith("sync_"));
  }

  /** Assignments that use one another across the whole program, and nodes that are kept. */
  private static Program chain(int assigns) {
    StringBuilder text = new StringBuilder("input x f64[20]\nn0[i] = x[i] + 1\n");
    for (int k = 1; k < assigns; k++) {
      text.append(k % 50 == 0 ? "output n" : "n")
          .append("%d[i] = n%d[i] * 0.5 + n%d[i] * x[i]\n".formatted(k, k - 1, k / 2));
    }
    return Program.parse("chain", text.toString());
  }

  @ParameterizedTest
  @MethodSource("backends")
  void hundredsOfAssignmentsAreWhatTheyAreOneByOne(String name) {
    compare(name, chain(300));
  }

  @Test
  void tenThousandAssignmentsAreWhatTheyAreOneByOne() {
    compare("sync_jvm", chain(10_000));
  }

  private static void compare(String name, Program program) {
    Node x = program.node("x");
    double[] values = new double[20];
    for (int i = 0; i < values.length; i++) {
      values[i] = i * 0.02;
    }
    Map<Node, double[]> expected = ReferenceEvaluator.run(program, Map.of(x, values), 0);
    JitBackend backend = Machines.open(name);
    try (Compiled compiled = backend.compile(program);
        Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled);
        Context context = routine.context()) {
      context.write(x, values);
      routine.run();
      for (Node node : routine.outputs()) {
        assertThat(context.read(node)).as("%s", node).containsExactly(expected.get(node));
      }
      assertThat(routine.outputs()).hasSizeGreaterThan(program.assigns().size() / 60);
    }
  }

  @Test
  void aChainOfTensorsOfAnyLengthBecomesAProgram() {
    TensorExpression tensor = TensorExpression.of(Node.hosted("x", DType.I64, 1));
    int length = 20_000;
    for (int k = 0; k < length; k++) {
      tensor = tensor.add("n" + k, tensor);
    }
    Program program = TensorExpression.program("long", tensor);
    assertThat(program.assigns()).hasSize(length);
    assertThat(program.assigns().getFirst().target().name()).isEqualTo("n0");
    assertThat(program.assigns().getLast().target()).isSameAs(tensor.node());
  }

  @ParameterizedTest
  @ValueSource(strings = {"sync_interpreter", "sync_jvm"})
  void anExpressionOfAHundredThousandOperatorsIsWhatALoopComputes(String name) {
    int depth = 50_000;
    String body = "(".repeat(depth) + "x[i]";
    StringBuilder text = new StringBuilder("input x i64[9]\ny[i] = " + body);
    for (int k = 0; k < depth; k++) {
      text.append("* x[i] + ").append(k % 7).append(')');
    }
    Program program = Program.parse("deep", text.toString());
    double[] x = {-4, -3, -2, -1, 0, 1, 2, 3, 4};
    double[] y = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      long value = (long) x[i];
      for (int k = 0; k < depth; k++) {
        value = value * (long) x[i] + k % 7;
      }
      y[i] = value;
    }
    JitBackend backend = Machines.open(name);
    Map<Node, double[]> inputs = Map.of(program.node("x"), x);
    assertThat(Machines.run(backend, program, inputs, program.node("y"))).containsExactly(y);
  }

  /** A body with values that live long, in vectors and comparisons: all kinds cross methods. */
  private static Program wide(String type) {
    StringBuilder text = new StringBuilder("input x %s[100]\ny[i] = 0".formatted(type));
    for (int k = 0; k < 300; k++) {
      text.append(
          " + where(lt(x[i], %d), max(x[i], %d), x[i] * x[i] + %d)"
              .formatted(k % 100, k % 9, k % 11));
    }
    return Program.parse("wide", text.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"f64", "f32", "i64", "i32", "i8", "f16"})
  void methodsOfTheJvmAreAllSmallEnoughToBeCompiled(String type) throws IOException {
    methodsAreSmallEnough(wide(type));
  }

  @Test
  void methodsOfManyAssignmentsAreAllSmallEnoughToBeCompiled() throws IOException {
    methodsAreSmallEnough(chain(3_000));
  }

  private static void methodsAreSmallEnough(Program program) throws IOException {
    for (int bits : new int[] {0, 128, 256, 512}) {
      List<Procedure> procedures = Pipeline.run(program, Options.strict(bits)).procedures();
      List<Integer> sizes = sizes(procedures);
      assertThat(sizes).hasSizeGreaterThan(4).allMatch(size -> size <= MOST_COMPILED);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"f64", "f32", "i64", "i32", "i8", "f16"})
  void whatSeveralMethodsComputeIsWhatOneDoes(String type) {
    Program program = wide(type);
    double[] x = new double[100];
    for (int i = 0; i < x.length; i++) {
      x[i] = i - 40;
    }
    Map<Node, double[]> inputs = Map.of(program.node("x"), x);
    Node y = program.node("y");
    double[] expected = ReferenceEvaluator.run(program, inputs, 0).get(y);
    assertThat(Machines.run(Machines.open("sync_jvm"), program, inputs, y))
        .containsExactly(expected);
  }

  private static List<Integer> sizes(List<Procedure> procedures) throws IOException {
    Unit unit = new Unit("sizes", procedures, false, "");
    byte[] image = JitBackend.targets().get("jvm").build(unit);
    List<Integer> sizes = new ArrayList<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(image))) {
      for (int i = 0; i < procedures.size(); i++) {
        ClassFile.of()
            .parse(in.readNBytes(in.readInt()))
            .methods()
            .forEach(
                method ->
                    method
                        .code()
                        .ifPresent(code -> sizes.add(((CodeAttribute) code).codeLength())));
      }
    }
    return sizes;
  }

  @Test
  void stepsOfLoweringGrowWithTheProgram() {
    long small = statements(chain(400));
    long large = statements(chain(3_200));
    assertThat(large).isBetween(6 * small, 10 * small);
  }

  private static long statements(Program program) {
    long[] count = new long[1];
    for (Procedure procedure : Pipeline.run(program, Options.strict(256)).procedures()) {
      dev.rialto.jit.loops.Ir.walk(procedure.body(), _ -> count[0]++);
    }
    return count[0];
  }
}
