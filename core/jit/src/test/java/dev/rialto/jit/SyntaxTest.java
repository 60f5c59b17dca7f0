package dev.rialto.jit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.jit.lower.Options;
import dev.rialto.jit.lower.Pipeline;
import dev.rialto.jit.lower.Schedule;
import java.util.Map;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs and schedules are read, or refused in a sentence with the line. */
class SyntaxTest {
  private static ThrowableAssertAlternative<SyntaxException> refused(String text) {
    return assertThatExceptionOfType(SyntaxException.class)
        .isThrownBy(() -> Program.parse("p", text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"(", "abs(", "-", "cast(f32, ", "x[i] * (x[i] + ", "max(2, "})
  void expressionsOfAnyDepthAreReadLoweredAndPrinted(String opening) {
    int depth = 20_000;
    String close = opening.contains("(") ? ")" : "";
    String deep = opening.repeat(depth) + "x[i]" + close.repeat(depth);
    Program program = Program.parse("p", "input x f32[4]\ny[i] = " + deep);
    assertThat(program.toString()).startsWith("y[i] = ");
    assertThat(Pipeline.run(program, Options.strict(0)).procedures()).hasSize(1);
  }

  @Test
  void aMistakeInADeepExpressionIsRefusedBriefly() {
    refused("input x f32[4]\n\ny[i] = " + "(".repeat(20_000) + "x[i]" + ")".repeat(19_999))
        .withMessageContaining("line 3")
        .satisfies(e -> assertThat(e.line()).isEqualTo(3))
        .withMessageContaining("ends too early");
    refused("input x f32[4]\ny[i] = " + "exp(".repeat(20_000) + "x[i], 2" + ")".repeat(20_000))
        .withMessageContaining("takes 1 operand");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "y[i] = x[i] + 0.5",
        "y[i] = x[i] + 3000000000",
        "y[i] = x[i] + 1e400",
        "node z i32[4]\nz[i] = random(7) + 0 * x[i]",
        "y[i] = cast(f99, x[i])",
        "y[i] = random(q) + x[i]",
        "static n 99999999999999999999",
        "input w f64[4000000000, 4000000000, 4000000000]",
        "input s i32[]\ns[] += s[] * x[i]",
        "y[i] = pow(x[i]",
        "y[i] = x[99999999999999999999*i]",
        "y[i] = x[i+9223372036854775807+9223372036854775807+2]",
        "y[i] = x[4294967296*i*4294967296+1]",
        "input z i32[5]\ny[i] = x[4611686018427387904*i] + z[i]",
        "input z i32[5]\ny[i] = z[i] + x[i-9223372036854775807]",
      })
  void whatCannotBeComputedIsRefusedWithItsLine(String line) {
    refused("input x i32[4]\n" + line).withMessageContaining("line ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          h[k[i]] += x[i]                | nothing says how long the axis of h is that k[i] indexes
          y[i] = x[x[i]]                 | x[i] is of type F32, but an index is made of it
          y[i] = x[q[i]]                 | there is no node q yet
          y[i] = x[k[i, i]]              | k[i, i] has 2 indices, but k has shape 4
          y[i] = x[k[i]                  | has no ]
          y[i] = x[i] for i < x[0]       | x[0] is of type F32, but axis i ends there
          y[i] = x[i] for i < k[i]       | say before that where i ends
          y[i] = x[i] for j < k[i]       | no index has the axis j
          y[i] = x[i] for i < 3          | does not say where an axis ends
          k[k[i]] = k[i]                 | k is read to find where it is assigned
          y[] argmax= cast(c64, x[i])    | found among real numbers
          x[] argmax= x[i]               | x has shape 4
          z[] argmax= x[i]               | begins anew
          """)
  void placesThatAreReadAreChecked(String statement, String message) {
    String text = "input x f32[4]\ninput k i32[4]\ninput z i32[]\n" + statement;
    assertThatExceptionOfType(SyntaxException.class)
        .isThrownBy(() -> Program.parse("p", text))
        .withMessageContaining("line 4")
        .withMessageContaining(message);
  }

  @Test
  void bitsAreOfIntegersAlone() {
    assertThatExceptionOfType(SyntaxException.class)
        .isThrownBy(() -> Program.parse("p", "input x f32[4]\ny[i] = bit_and(x[i], 3)"))
        .withMessageContaining("line 2")
        .withMessageContaining("bit_and is of integers, but is given F32");
  }

  @Test
  void integersKeepAllTheirBits() {
    Program program =
        Program.parse(
            "p",
            """
            input x i64[4]
            y[i] = x[i] + 9007199254740993
            z[i] = x[i] + -9223372036854775808
            """);
    assertThat(program.toString())
        .contains("add(x[i], 9007199254740993)")
        .contains("add(x[i], -9223372036854775808)");
  }

  @Test
  void constantsFitTheirType() {
    Program program =
        Program.parse(
            "p",
            """
            input x u64[4]
            input b u8[4]
            y[i] = x[i] + 18446744073709551615
            z[i] = b[i] + 255
            """);
    assertThat(program.toString()).contains("add(x[i], 18446744073709551615)").contains("255)");
    Map.of("u8", "256", "u16", "-1", "i16", "32768", "u32", "4294967296", "u64", "-1")
        .forEach(
            (type, constant) ->
                assertThatExceptionOfType(SyntaxException.class)
                    .isThrownBy(
                        () ->
                            Program.parse(
                                "p",
                                "input x %s[4]\ny[i] = max(x[i], %s)".formatted(type, constant)))
                    .withMessageContaining(constant + " does not fit type ")
                    .withMessageContaining("line 2"));
    assertThatExceptionOfType(SyntaxException.class)
        .isThrownBy(() -> Program.parse("p", "input x u64[4]\ny[i] = x[i] + 18446744073709551616"))
        .withMessageContaining("does not fit type U64");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "unroll i 1000000",
        "unroll i 0",
        "block i 0",
        "block i -4",
        "vector i 3",
        "vector i 128",
        "vector i",
        "parallel",
        "block i many",
        "turn i 3",
      })
  void stepsOfASchedulesFileAreCheckedWithTheirLine(String step) {
    assertThatExceptionOfType(SyntaxException.class)
        .isThrownBy(() -> Schedule.parseAll("# mine\n\ny: " + step))
        .withMessageContaining("line 3")
        .satisfies(e -> assertThat(e.line()).isEqualTo(3));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "unroll i 64; unroll j 64; unroll k 64",
        "vector j 16",
        "cache s",
        "cache q",
        "unroll q 4",
        "reorder i j",
      })
  void schedulesThatDoNotFitAreRefused(String schedule) {
    Program program =
        Program.parse(
            "p",
            """
            input a f64[64, 64]
            input b f64[64, 64]
            input s f64[]
            y[i, j] += a[i, k] * b[k, j] * s[]
            """);
    String whole = schedule.startsWith("cache") ? "parallel j; vector j 4; " + schedule : schedule;
    Options options = Options.strict(256).withSchedules(Map.of("y", Schedule.parse(whole)));
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Pipeline.run(program, options));
  }
}
