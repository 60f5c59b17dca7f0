package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.array.F32Array;
import dev.rialto.array.F64Array;
import dev.rialto.array.I32Array;
import dev.rialto.array.I64Array;
import dev.rialto.array.Team;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.vector.VectorApi;
import dev.rialto.system.JavaCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Loops with vectors of other widths than those of the processor at hand: as on ARM (16 bytes), on
 * x86 before AVX, with AVX2, and with AVX-512. Each width is a JVM of its own.
 */
class VectorWidthsTest {
  private static final int ELEMENTS = 1_003;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-XX:UseAVX=2",
        "-XX:UseAVX=0",
        "-XX:MaxVectorSize=16",
        "-XX:MaxVectorSize=32",
        "-XX:MaxVectorSize=64"
      })
  void resultsAreRightWithVectorsOfAnyWidth(String option) throws Exception {
    List<String> command = new ArrayList<>(JavaCommand.like(VectorWidthsTest.class, List.of()));
    // Processors that are not x86 have no AVX to leave out. Vectors are the second compiler's.
    command.addAll(
        command.indexOf("--class-path"),
        List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:TieredStopAtLevel=4", option));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said).containsPattern("vectors of \\d+ bits are right");
    if (option.endsWith("=16") || option.endsWith("AVX=0")) {
      assertThat(said).doesNotContainPattern("vectors of (256|512) bits");
    }
  }

  /** Checks arrays, transforms and sparse systems in this JVM; throws what is wrong. */
  public static void main(String[] args) throws IOException {
    try (World world = World.local(2)) {
      world.run(VectorWidthsTest::checkArrays);
    }
    FftCommandTest.checkIn(Files.createTempDirectory(Path.of("target"), "vectors"));
    for (String format : List.of("csr", "ell", "sell", "dia")) {
      StringWriter out = new StringWriter();
      StringWriter err = new StringWriter();
      int code =
          Main.run(
              new PrintWriter(out),
              new PrintWriter(err),
              false,
              ("solve poisson3d:7 -q --json --ranks=1 --scheme=shared --tol=1e-10 --format="
                      + format)
                  .split(" "));
      assertThat(code).as(format + ": " + out + err).isZero();
    }
    System.out.println("vectors of " + VectorApi.bits() + " bits are right");
  }

  private static void checkArrays(Communicator comm) {
    double sum = ELEMENTS * (ELEMENTS - 1) / 2.0;
    double squares = (ELEMENTS - 1.0) * ELEMENTS * (2 * ELEMENTS - 1) / 6;
    try (Team team = Team.on(comm);
        F64Array f64 = team.f64(ELEMENTS);
        F32Array f32 = team.f32(ELEMENTS);
        I64Array i64 = team.i64(ELEMENTS);
        I32Array i32 = team.i32(ELEMENTS)) {
      f64.set(i -> i);
      f32.set(i -> i % 7);
      i64.set(i -> -i);
      i32.set(i -> i % 5);
      assertThat(f64.sum()).isEqualTo(sum);
      assertThat(f64.dot(f64)).isEqualTo(squares);
      assertThat(f64.max()).isEqualTo(ELEMENTS - 1.0);
      assertThat(f32.sum()).isEqualTo(143 * 21 + 1.0);
      assertThat(f32.max()).isEqualTo(6);
      assertThat(i64.sum()).isEqualTo((long) -sum);
      assertThat(i64.min()).isEqualTo(1 - ELEMENTS);
      assertThat(i32.sum()).isEqualTo(200 * 10 + 3);
    }
  }
}
