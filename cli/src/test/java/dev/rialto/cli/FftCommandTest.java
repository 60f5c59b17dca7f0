package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.cli.option.ExitCode;
import dev.rialto.io.NpyFile;
import dev.rialto.spi.data.DType;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files against those that NumPy wrote for the same arrays. */
class FftCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  private int run(String... args) {
    return Main.run(new PrintWriter(out), new PrintWriter(err), false, args);
  }

  /** Checks transforms there and back, in a folder, in a JVM that runs no tests. */
  static void checkIn(Path folder) throws IOException {
    FftCommandTest test = new FftCommandTest();
    test.folder = folder;
    test.check("complex.npy", "complex-fftn.npy", "--ranks=2");
    test.check("real.npy", "real-rfftn.npy", "--real", "--ranks=1");
  }

  private Path golden(String name) throws IOException {
    Path file = folder.resolve(name);
    try (InputStream stream = FftCommandTest.class.getResourceAsStream(name)) {
      Files.copy(stream, file);
    }
    return file;
  }

  private void check(String in, String expected, String... options) throws IOException {
    Path result = folder.resolve("result.npy");
    String[] args = new String[options.length + 4];
    args[0] = "fft";
    args[1] = golden(in).toString();
    args[2] = result.toString();
    args[3] = "--quiet";
    System.arraycopy(options, 0, args, 4, options.length);
    assertThat(run(args)).as(err.toString()).isZero();
    try (Arena arena = Arena.ofConfined()) {
      NpyFile actual = NpyFile.open(result, arena);
      NpyFile wanted = NpyFile.open(golden(expected), arena);
      assertThat(actual.type()).isEqualTo(wanted.type());
      assertThat(actual.shape()).isEqualTo(wanted.shape());
      boolean doubles = actual.type() == DType.C128 || actual.type() == DType.F64;
      MemorySegment found = actual.read(arena);
      MemorySegment right = wanted.read(arena);
      long numbers = found.byteSize() / (doubles ? 8 : 4);
      for (long i = 0; i < numbers; i++) {
        double difference =
            doubles
                ? found.getAtIndex(ValueLayout.JAVA_DOUBLE, i)
                    - right.getAtIndex(ValueLayout.JAVA_DOUBLE, i)
                : found.getAtIndex(ValueLayout.JAVA_FLOAT, i)
                    - right.getAtIndex(ValueLayout.JAVA_FLOAT, i);
        assertThat(difference)
            .as("number %d", i)
            .isBetween(-tolerance(doubles), tolerance(doubles));
      }
    }
  }

  private static double tolerance(boolean doubles) {
    return doubles ? 1e-14 : 1e-6;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void complexArraysAreTransformedAsByFftn(int ranks) throws IOException {
    check("complex.npy", "complex-fftn.npy", "--ranks=" + ranks);
  }

  @Test
  void oneAxisIsTransformedAsByFft() throws IOException {
    check("complex.npy", "complex-fft-axis1.npy", "--axes=1", "--ranks=2");
  }

  @Test
  void theInverseIsThatOfFftn() throws IOException {
    check("complex-fftn.npy", "complex.npy", "--inverse", "--ranks=2");
  }

  @Test
  void realArraysAreTransformedAsByFftnOrRfftn() throws IOException {
    check("real.npy", "real-fftn.npy", "--ranks=2");
    Files.delete(folder.resolve("real.npy"));
    check("real.npy", "real-rfftn.npy", "--real", "--ranks=2");
  }

  @Test
  void halfSpectraAreTransformedBack() throws IOException {
    check("real-rfftn.npy", "real.npy", "--real", "--inverse", "--odd", "--ranks=3");
  }

  @Test
  void tunedSettingsAreUsedFromAFile() throws IOException {
    Path settings = folder.resolve("settings");
    try (Arena arena = Arena.ofConfined()) {
      String shape = NpyFile.open(golden("complex.npy"), arena).shape().toString();
      assertThat(
              run(
                  "tune",
                  "fft",
                  "--shape=" + shape,
                  "--seconds=30",
                  "--json",
                  "--settings=" + settings))
          .as(err.toString())
          .isZero();
    }
    assertThat(out.toString()).contains("\"winner\"", "\"candidates\"", "fused", "all-to-all");
    Files.delete(folder.resolve("complex.npy"));
    check("complex.npy", "complex-fftn.npy", "--ranks=2", "--settings=" + settings);
  }

  @Test
  void whatIsNotAnArrayIsRefused() throws IOException {
    Path text = Files.writeString(folder.resolve("a.npy"), "not an array at all");
    assertThat(run("fft", text.toString(), folder.resolve("b.npy").toString()))
        .isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(err.toString()).contains("numpy.save");
  }
}
