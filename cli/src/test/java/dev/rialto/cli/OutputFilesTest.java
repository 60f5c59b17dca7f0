package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.cli.option.ExitCode;
import dev.rialto.io.NpyFile;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that commands read and write, above all where they are the same. */
class OutputFilesTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  @BeforeEach
  void writeInputs() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      double[] impulse = new double[16];
      impulse[0] = 1;
      NpyFile.save(
          folder.resolve("x.npy"),
          DType.C128,
          Shape.of(4, 2),
          arena.allocateFrom(ValueLayout.JAVA_DOUBLE, impulse));
    }
    Files.createSymbolicLink(folder.resolve("link.npy"), Path.of("x.npy"));
    Files.createLink(folder.resolve("hard.npy"), folder.resolve("x.npy"));
    Files.writeString(
        folder.resolve("a.mtx"),
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n");
    Files.writeString(
        folder.resolve("b.mtx"), "%%MatrixMarket matrix array real general\n2 1\n2\n8\n");
    Files.writeString(folder.resolve("k.rialto"), "input x f32[4]\ny[i] = 2 * x[i]\n");
    assertThat(run("info --quiet --trace DIR/t.json")).isZero();
  }

  private int run(String line) {
    String[] words =
        Arrays.stream(line.split(" "))
            .map(word -> word.replace("DIR", folder.toString()))
            .toArray(String[]::new);
    return Main.run(new PrintWriter(out), new PrintWriter(err), false, words);
  }

  private double[] array(String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      return NpyFile.open(folder.resolve(name), arena).read(arena).toArray(ValueLayout.JAVA_DOUBLE);
    }
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x.npy", "link.npy", "hard.npy", "../DIRNAME/./x.npy"})
  void aTransformMayReplaceItsInput(String name) throws IOException {
    String output = name.replace("DIRNAME", folder.getFileName().toString());
    List<String> before = names();
    assertThat(run("fft DIR/x.npy DIR/" + output + " --quiet --ranks 3")).as(err + "").isZero();

    double[] ones = new double[16];
    for (int i = 0; i < 16; i += 2) {
      ones[i] = 1;
    }
    assertThat(array(output)).containsExactly(ones);
    assertThat(folder.resolve("link.npy")).isSymbolicLink();
    assertThat(names()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fft DIR/x.npy DIR/y.npy --trace DIR/x.npy",
        "fft DIR/x.npy DIR/y.npy --trace DIR/y.npy",
        "fft DIR/x.npy DIR/y.npy --report DIR/link.npy",
        "fft DIR/x.npy DIR/t.json --settings DIR/t.json",
        "solve DIR/a.mtx --out DIR/a.mtx",
        "solve DIR/a.mtx --plot DIR/a.mtx",
        "solve DIR/a.mtx --rhs DIR/b.mtx --plot DIR/b.mtx",
        "solve DIR/a.mtx --out DIR/s.mtx --plot DIR/s.mtx",
        "solve DIR/a.mtx --trace DIR/a.mtx",
        "info --trace DIR/new --report DIR/./new",
        "report DIR/t.json --out DIR/t.json",
        "kernel bench DIR/k.rialto --schedule-out DIR/k.rialto",
        "kernel run DIR/k.rialto --trace DIR/k.rialto",
      })
  void anOutputThatWouldDestroyAnotherFileIsRefusedBeforeAnythingIsTouched(String line)
      throws IOException {
    List<String> before = names();
    byte[][] contents = new byte[before.size()][];
    for (int i = 0; i < contents.length; i++) {
      contents[i] = Files.readAllBytes(folder.resolve(before.get(i)));
    }

    assertThat(run(line)).as(out + "" + err).isEqualTo(ExitCode.WRONG_USAGE);

    assertThat(err.toString()).contains("is the same file as");
    assertThat(names()).isEqualTo(before);
    for (int i = 0; i < contents.length; i++) {
      assertThat(folder.resolve(before.get(i))).hasBinaryContent(contents[i]);
    }
  }

  @Test
  void aSolutionMayReplaceItsRightHandSide() throws IOException {
    assertThat(run("solve DIR/a.mtx --rhs DIR/b.mtx --out DIR/b.mtx --quiet"))
        .as(err + "")
        .isZero();
    assertThat(Files.readAllLines(folder.resolve("b.mtx")).subList(2, 4))
        .containsExactly("1.0", "2.0");
  }

  @Test
  void aSolutionIsWrittenInNumpysFormat() throws IOException {
    assertThat(run("solve DIR/a.mtx --rhs DIR/b.mtx --out DIR/s.npy --quiet"))
        .as(err + "")
        .isZero();
    assertThat(array("s.npy")).containsExactly(1, 2);
  }

  @Test
  void aTraceReplacesAnOlderOneOnlyWhenItIsWhole() throws IOException {
    Path trace = folder.resolve("t.json");
    Files.writeString(trace, "old");
    assertThat(run("solve DIR/nowhere.mtx --trace DIR/t.json")).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(trace).content().contains("traceEvents");
    assertThat(names()).noneMatch(name -> name.endsWith(".part"));
  }
}
