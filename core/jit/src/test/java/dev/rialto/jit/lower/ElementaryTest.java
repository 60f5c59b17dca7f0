package dev.rialto.jit.lower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.spi.data.DType;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ElementaryTest {
  private static DoubleUnaryOperator exact(String function) {
    return switch (function) {
      case "exp" -> StrictMath::exp;
      case "log" -> StrictMath::log;
      case "sin" -> StrictMath::sin;
      case "cos" -> StrictMath::cos;
      case "tanh" -> StrictMath::tanh;
      default -> StrictMath::floor;
    };
  }

  private static double[] apply(String function, String type, double[] values) {
    Program program =
        Program.parse(
            "f", "input x %s[%d]\ny[i] = %s(x[i])".formatted(type, values.length, function));
    Map<Node, double[]> results =
        Oracle.run(program, Options.strict(0), Map.of(program.node("x"), values));
    return results.get(program.node("y"));
  }

  @ParameterizedTest
  @CsvSource({
    "exp, -80, 80",
    "log, 0.0001, 1000",
    "sin, -1000, 1000",
    "cos, -1000, 1000",
    "tanh, -20, 20",
    "tanh, -0.2, 0.2",
    "floor, -9, 9"
  })
  void functionsAreExactToAFewUnitsInTheLastPlace(String function, double low, double high) {
    double[] values = new double[1001];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) (low + (high - low) * i / (values.length - 1));
    }
    double[] single = apply(function, "f32", values);
    double[] twice = apply(function, "f64", values);
    for (int i = 0; i < values.length; i++) {
      double exact = exact(function).applyAsDouble(values[i]);
      assertThat(Math.abs(single[i] - exact))
          .as("%s(%s) in f32", function, values[i])
          .isLessThanOrEqualTo(2.0 * Math.ulp((float) exact));
      assertThat(Math.abs(twice[i] - exact))
          .as("%s(%s) in f64", function, values[i])
          .isLessThanOrEqualTo(8 * Math.ulp(exact) + 1e-16);
    }
  }

  /** Signs, zeros, infinities and what is neither, and exponents of all sizes. */
  private static double[] anything() {
    java.util.SplittableRandom random = new java.util.SplittableRandom(5);
    double[] values = new double[3000];
    for (int i = 0; i < values.length; i++) {
      double value = Math.scalb(random.nextDouble(1, 2), random.nextInt(-300, 1000));
      values[i] = random.nextBoolean() ? value : -value;
    }
    values[0] = 1e22;
    values[1] = 1e300;
    values[2] = Double.MAX_VALUE;
    values[3] = 0x1.6ac5b262ca1ffp849; // the double that is nearest to a multiple of a quarter turn
    values[4] = -0x1p17;
    values[5] = 1e30f;
    return values;
  }

  @ParameterizedTest
  @CsvSource({"sin, 0", "cos, 0", "sin, 128", "cos, 256", "sin, 512"})
  void anglesOfAnySizeAreReduced(String function, int vectorBits) {
    double[] values = anything();
    Program program = Program.parse("f", "input x f64[3000]\ny[i] = %s(x[i])".formatted(function));
    double[] actual =
        Oracle.run(program, Options.strict(vectorBits), Map.of(program.node("x"), values))
            .get(program.node("y"));
    for (int i = 0; i < values.length; i++) {
      double exact = exact(function).applyAsDouble(values[i]);
      assertThat(Math.abs(actual[i] - exact))
          .as("%s(%s)", function, values[i])
          .isLessThanOrEqualTo(4 * Math.ulp(exact));
    }
    assertThat(apply(function, "f32", new double[] {1e30f})[0])
        .isCloseTo(exact(function).applyAsDouble(1e30f), within(2e-7));
  }

  @Test
  void powersHaveTheSpecialCasesOfJava() {
    double inf = Double.POSITIVE_INFINITY;
    double[] some = {
      0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 3, 17, -17, 1.5, -1.5, 1e300, inf, -inf, Double.NaN
    };
    double[] x = new double[some.length * some.length];
    double[] y = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      x[i] = some[i / some.length];
      y[i] = some[i % some.length];
    }
    Program program =
        Program.parse("f", "input x f64[289]\ninput y f64[289]\nz[i] = pow(x[i], y[i])");
    double[] actual =
        Oracle.run(program, Options.strict(0), Map.of(program.node("x"), x, program.node("y"), y))
            .get(program.node("z"));
    for (int i = 0; i < x.length; i++) {
      double exact = Math.pow(x[i], y[i]);
      if (Double.isNaN(exact) || Double.isInfinite(exact) || exact == 0) {
        assertThat(actual[i]).as("pow(%s, %s)", x[i], y[i]).isEqualTo(Double.valueOf(exact));
      } else {
        double error = (4 + 2 * Math.abs(Math.log(Math.abs(exact)))) * Math.ulp(exact);
        assertThat(actual[i]).as("pow(%s, %s)", x[i], y[i]).isCloseTo(exact, within(error));
      }
    }
  }

  @Test
  void constantExponentsMayBeAnyWholeNumber() {
    Program program =
        Program.parse(
            "f",
            """
            input x f64[2]
            input k i64[2]
            a[i] = pow(x[i], 17)
            b[i] = pow(x[i], -3)
            c[i] = pow(k[i], 39)
            """);
    Map<Node, double[]> results =
        Oracle.run(
            program,
            Options.strict(0),
            Map.of(
                program.node("x"), new double[] {-1, 2}, program.node("k"), new double[] {3, -1}));
    assertThat(results.get(program.node("a"))[0]).isEqualTo(-1);
    assertThat(results.get(program.node("b"))).containsExactly(-1, 0.125);
    assertThat(results.get(program.node("c"))).containsExactly((double) 4052555153018976267L, -1);
  }

  @Test
  void limitsAreThoseOfTheStandard() {
    double inf = Double.POSITIVE_INFINITY;
    double[] values = {0, -0.0, inf, -inf, Double.NaN, 1000, -1000, -1};
    assertThat(apply("exp", "f64", values))
        .containsExactly(1, 1, inf, 0, Double.NaN, inf, 0, Math.exp(-1));
    assertThat(apply("log", "f64", values))
        .startsWith(-inf, -inf, inf, Double.NaN, Double.NaN)
        .endsWith(Double.NaN);
    assertThat(apply("tanh", "f32", values)).startsWith(0, -0.0, 1, -1, Double.NaN, 1, -1);
  }

  @Test
  void halfFormatsRoundAsTheJdkDoes() {
    double[] values = new double[4000];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) ((i % 2 == 0 ? 1 : -1) * Math.exp(i / 90.0 - 18) * (1 + i * 1e-4));
    }
    values[0] = Double.NaN;
    values[1] = Double.POSITIVE_INFINITY;
    values[2] = 65520;
    values[3] = 65519.99;
    Program program =
        Program.parse(
            "h", "input x f32[4000]\nh[i] = cast(f16, x[i])\noutput y[i] = cast(f32, h[i])");
    double[] rounded =
        Oracle.run(program, Options.strict(0), Map.of(program.node("x"), values))
            .get(program.node("y"));
    for (int i = 0; i < values.length; i++) {
      float expected = Float.float16ToFloat(Float.floatToFloat16((float) values[i]));
      assertThat(rounded[i]).as("%s", values[i]).isEqualTo(Double.valueOf(expected));
    }
    assertThat(program.node("h").type()).isEqualTo(DType.F16);
  }
}
