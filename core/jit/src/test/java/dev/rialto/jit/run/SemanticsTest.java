package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Program;
import dev.rialto.jit.lower.Schedule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Numbers at the edges mean the same on every target. */
class SemanticsTest {
  private static final double INF = Double.POSITIVE_INFINITY;
  private static final double NAN = Double.NaN;

  static Stream<String> machines() {
    return Machines.all();
  }

  private static Map<String, double[]> run(
      String machine, String text, Map<String, String> schedules, Map<String, double[]> inputs) {
    Program program = Program.parse("p", text);
    Map<String, Schedule> parsed = new HashMap<>();
    schedules.forEach((node, steps) -> parsed.put(node, Schedule.parse(steps)));
    Map<String, double[]> results = new HashMap<>();
    try (JitBackend backend = JitBackend.open(machine, Machines.settings().withSchedules(parsed));
        Compiled compiled = backend.compile(program);
        Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled);
        Context context = routine.context()) {
      inputs.forEach((name, numbers) -> context.write(program.node(name), numbers));
      routine.run();
      routine.outputs().forEach(node -> results.put(node.name(), context.read(node)));
    }
    return results;
  }

  private static double[] run(String machine, String text, Map<String, double[]> inputs) {
    return run(machine, text, Map.of(), inputs).get("y");
  }

  @ParameterizedTest
  @MethodSource("machines")
  void castsSaturateAndNaNBecomesZero(String machine) {
    double[] x = {NAN, INF, -INF, 1e30, -1e30, 2147483647.5, -2147483648.5, 9.3e18, -3.9, 300};
    StringBuilder text = new StringBuilder("input x64 f64[10]\ninput x32 f32[10]\n");
    Map<String, double[]> expected = new HashMap<>();
    for (int bits : new int[] {32, 64}) {
      double[] i8 = new double[x.length];
      double[] i16 = new double[x.length];
      double[] u8 = new double[x.length];
      double[] u16 = new double[x.length];
      double[] u32 = new double[x.length];
      double[] u64 = new double[x.length];
      double[] i32 = new double[x.length];
      double[] i64 = new double[x.length];
      for (int i = 0; i < x.length; i++) {
        double value = bits == 32 ? (float) x[i] : x[i];
        i8[i] = (byte) value;
        i16[i] = (short) value;
        u8[i] = (int) value & 0xff;
        u16[i] = (char) value;
        u32[i] = Math.clamp((long) value, 0, 0xffffffffL);
        // What is at most a double's last place from the greatest is it when it is read as one.
        u64[i] = value > 0 ? Math.min(Math.floor(value), 0x1p64) : 0;
        i32[i] = (int) value;
        i64[i] = (long) value;
      }
      Map.of(
              "i8", i8, "i16", i16, "i32", i32, "i64", i64, "u8", u8, "u16", u16, "u32", u32, "u64",
              u64)
          .forEach(
              (type, values) -> {
                String name = "y" + bits + type;
                text.append("%s[i] = cast(%s, x%d[i])%n".formatted(name, type, bits));
                expected.put(name, values);
              });
    }
    Map<String, double[]> actual =
        run(machine, text.toString(), Map.of(), Map.of("x64", x, "x32", x));
    expected.forEach(
        (name, values) -> assertThat(actual.get(name)).as(name).containsExactly(values));
  }

  @ParameterizedTest
  @MethodSource("machines")
  void remaindersAndShiftsOfIntegersAreJavas(String machine) {
    for (String type : List.of("i32", "i64")) {
      boolean wide = type.equals("i64");
      long least = wide ? Long.MIN_VALUE : Integer.MIN_VALUE;
      double[] x = {least, least, least, 17, -17, 17, -17, 0, -1, -1, 5, -9};
      double[] y = {-1, 0, 1, 5, 5, -5, -5, 0, 1, 31, 33, 64};
      double[] rem = new double[x.length];
      double[] up = new double[x.length];
      double[] down = new double[x.length];
      double[] logical = new double[x.length];
      for (int i = 0; i < x.length; i++) {
        long a = (long) x[i];
        long b = (long) y[i];
        rem[i] = b == 0 ? a : a % b;
        up[i] = wide ? a << b : (int) a << (int) b;
        down[i] = wide ? a >> b : (int) a >> (int) b;
        logical[i] = wide ? a >>> b : (int) a >>> (int) b;
      }
      String text =
          """
          input x TYPE[12]
          input y TYPE[12]
          rem[i] = rem(x[i], y[i])
          up[i] = shl(x[i], y[i])
          down[i] = shr(x[i], y[i])
          logical[i] = ushr(x[i], y[i])
          """
              .replace("TYPE", type);
      Map<String, double[]> actual = run(machine, text, Map.of(), Map.of("x", x, "y", y));
      Map.of("rem", rem, "up", up, "down", down, "logical", logical)
          .forEach((name, values) -> assertThat(actual.get(name)).as(name).containsExactly(values));
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void signsOfZeroAndNaNStay(String machine) {
    double[] x = {NAN, 1, -0.0, 0, -2, 3, NAN, -0.0};
    double[] y = {1, NAN, -0.0, -0.0, NAN, 2, NAN, 0};
    Map<String, double[]> z =
        run(
            machine,
            """
            input x f32[8]
            input y f32[8]
            larger[i] = max(x[i], y[i])
            smaller[i] = min(x[i], y[i])
            down[i] = floor(x[i] + y[i])
            largest[] max= x[i] + 0 * y[i]
            fresh[i] += x[i] + 0 * y[i]
            """,
            Map.of(),
            Map.of("x", x, "y", y));
    assertThat(z.get("larger")).containsExactly(NAN, NAN, -0.0, 0, NAN, 3, NAN, 0);
    assertThat(z.get("smaller")).containsExactly(NAN, NAN, -0.0, -0.0, NAN, 2, NAN, -0.0);
    assertThat(z.get("down")).containsExactly(NAN, NAN, -0.0, 0, NAN, 5, NAN, 0);
    assertThat(z.get("largest")).containsExactly(NAN);
    assertThat(z.get("fresh")).containsExactly(NAN, NAN, 0, 0, NAN, 3, NAN, 0);
  }

  @ParameterizedTest
  @MethodSource("machines")
  void narrowNumbersAreSummedInBinary32WhateverTheSchedule(String machine) {
    double[] ones = new double[4096];
    java.util.Arrays.fill(ones, 1);
    for (String type : new String[] {"bf16", "f16"}) {
      Map<String, double[]> sums =
          run(
              machine,
              """
              input x %s[1024, 4]
              input z %s[4096]
              node h %s[2]
              automatic[j] += x[i, j]
              plain[j] += x[i, j]
              rows[j] += x[i, j]
              columns[j] += x[i, j]
              h[0*i] += z[i]
              """
                  .replace("%s", type),
              Map.of("plain", "", "rows", "unroll i 8", "columns", "parallel j; unroll j 4"),
              Map.of("x", ones, "z", ones));
      for (String name : new String[] {"automatic", "plain", "rows", "columns"}) {
        assertThat(sums.get(name)).as("%s of %s", name, type).containsOnly(1024);
      }
      assertThat(sums.get("h")).containsExactly(4096, 0);
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void integersKeepAllBits(String machine) {
    String text = "input x i64[2]\ny[i] = cast(f64, x[i] + 9007199254740993 - 9007199254740992)";
    assertThat(run(machine, text, Map.of("x", new double[] {0, 5}))).containsExactly(1, 6);
  }

  @ParameterizedTest
  @MethodSource("machines")
  void integersWithoutASignKeepAllBits(String machine) {
    String text =
        """
        input n u64[5]
        input d u64[5]
        input m u32[5]
        quotient[i] = n[i] / d[i]
        rest[i] = rem(n[i], d[i])
        low[i] = cast(u64, (n[i] - 18446744073709551615) * 3)
        wide[i] = cast(u64, m[i]) * 4294967295
        single[i] = cast(f32, n[i] + 549755813889)
        most[] max= m[i]
        least[] min= n[i]
        """;
    double[] n = {0x1p63, 0x1.8p63, 0x1p63, 7, 0x1p63 + 0x1p11};
    double[] d = {3, 0x1p63, 0, 9, 0x1p63};
    double[] m = {0, 1, 0x1p31, 0xffffffffL, 5};
    Map<String, double[]> all = run(machine, text, Map.of(), Map.of("n", n, "d", d, "m", m));
    assertThat(all.get("quotient")).containsExactly(0x1p63 / 3, 1, 0, 0, 1);
    assertThat(all.get("rest")).containsExactly(2, 0x1p62, 0x1p63, 7, 0x1p11);
    assertThat(all.get("low"))
        .containsExactly(0x1p63 + 3, 0x1p62 + 3, 0x1p63 + 3, 24, 0x1p63 + 6147);
    assertThat(all.get("wide"))
        .containsExactly(
            0, 0xffffffffL, 0x1p31 * 0xffffffffL, 0x1p64 - 0x1p33 + 1, 5.0 * 0xffffffffL);
    assertThat(all.get("single")).startsWith(0x1.000002p63);
    assertThat(all.get("most")).containsExactly(0xffffffffL);
    assertThat(all.get("least")).containsExactly(7);
  }

  @ParameterizedTest
  @MethodSource("machines")
  void aNodeMayBeCalledLikeTheStaticIndices(String machine) {
    String text = "static n 3\ninput statics f32[3, 2]\ny[i] = statics[n, i]";
    assertThat(run(machine, text, Map.of("statics", new double[] {1, 2, 3, 4, 5, 6})))
        .containsExactly(1, 2);
  }

  @ParameterizedTest
  @MethodSource("machines")
  void largeAnglesAreReducedInEveryLane(String machine) {
    double[] x = new double[37];
    double[] expected = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      x[i] = i % 5 == 0 ? 1e22 * (i - 7) : i;
      expected[i] = StrictMath.sin(x[i]);
    }
    double[] actual = run(machine, "input x f64[37]\ny[i] = sin(x[i])", Map.of("x", x));
    for (int i = 0; i < x.length; i++) {
      assertThat(Math.abs(actual[i] - expected[i])).isLessThan(4 * Math.ulp(1.0));
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void oneLargeAngleChangesNoOther(String machine) {
    double[] x = new double[10_000];
    for (int i = 0; i < x.length; i++) {
      x[i] = i * 0.37;
    }
    String text = "input x f64[10000]\ny[i] = sin(cos(x[i]) + x[i])";
    double[] expected = run(machine, text, Map.of("x", x));
    x[4321] = 1e22;
    expected[4321] = StrictMath.sin(1e22 + StrictMath.cos(1e22));
    double[] actual = run(machine, text, Map.of("x", x));
    assertThat(Math.abs(actual[4321] - expected[4321])).isLessThan(4 * Math.ulp(1.0));
    actual[4321] = expected[4321];
    assertThat(actual).isEqualTo(expected);
  }
}
