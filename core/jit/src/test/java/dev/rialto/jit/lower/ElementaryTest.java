package dev.rialto.jit.lower;

import static org.assertj.core.api.Assertions.assertThat;

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
