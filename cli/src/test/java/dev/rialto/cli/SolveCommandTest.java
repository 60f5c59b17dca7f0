package dev.rialto.cli;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.cli.option.ExitCode;
import dev.rialto.io.NpyFile;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.text.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SolveCommandTest {
  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int solve(String... args) {
    List<String> line = new ArrayList<>(List.of("solve", "--quiet"));
    line.addAll(List.of(args));
    return Main.run(new PrintWriter(out), new PrintWriter(err), false, line.toArray(String[]::new));
  }

  @Test
  void jsonSaysWhatTheContractAsksFor() {
    int code = solve("poisson3d:8", "--ranks", "2", "--format", "csr", "--json");
    assertThat(code).isZero();
    Map<?, ?> document = (Map<?, ?>) Json.read(out.toString());
    assertThat(document.get("converged")).isEqualTo(true);
    assertThat(document.get("format")).isEqualTo("csr");
    assertThat(document.get("residual")).isInstanceOf(Double.class);
    assertThat(document.containsKey("iterations")).isTrue();
    assertThat(document.containsKey("seconds")).isTrue();
    assertThat(document.containsKey("scheme")).isTrue();
  }

  @Test
  void aFileIsSolvedAndTheSolutionWritten() throws IOException {
    Path file = folder.resolve("a.mtx");
    Files.writeString(
        file,
        """
        %%MatrixMarket matrix coordinate real symmetric
        3 3 4
        1 1 4
        2 2 5
        3 3 6
        2 1 1
        """);
    Path solution = folder.resolve("x.mtx");
    Path plot = folder.resolve("plot.png");
    int code =
        solve(
            file.toString(),
            "--solver",
            "gmres",
            "--precond",
            "ilu:1",
            "--scheme",
            "tuned",
            "--effort",
            "estimate",
            "--out",
            solution.toString(),
            "--plot",
            plot.toString());
    assertThat(code).as(err.toString()).isZero();
    // The right-hand side is A times ones, so the solution is ones.
    assertThat(Files.readAllLines(solution).subList(2, 5))
        .allSatisfy(line -> assertThat(Double.parseDouble(line)).isBetween(0.999, 1.001));
    assertThat(plot).isNotEmptyFile();
    assertThat(out.toString()).contains("CONVERGED", "GB/s");
  }

  @Test
  void theRightHandSideMayBeAFile() throws IOException {
    Path right = folder.resolve("b.mtx");
    Path solution = folder.resolve("x.mtx");
    Files.writeString(right, "%%MatrixMarket matrix array real general\n1 1\n12\n");
    // One point, whose coefficient is six times 1/80 over h squared, a quarter.
    int code =
        solve("poisson3d:1", "--rhs", right.toString(), "--out", solution.toString(), "--json");
    assertThat(code).as(err.toString()).isZero();
    assertThat(Double.parseDouble(Files.readAllLines(solution).get(2))).isBetween(39.999, 40.001);
  }

  @Test
  void theRightHandSideMayBeOfNumpy() throws IOException {
    Path right = folder.resolve("b.npy");
    Path solution = folder.resolve("x.mtx");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment numbers = arena.allocateFrom(JAVA_DOUBLE, 12);
      NpyFile.save(right, DType.F64, Shape.of(1), numbers);
      int code =
          solve("poisson3d:1", "--rhs", right.toString(), "--out", solution.toString(), "--json");
      assertThat(code).as(err.toString()).isZero();
      assertThat(Double.parseDouble(Files.readAllLines(solution).get(2))).isBetween(39.999, 40.001);
      assertThat(solve("poisson3d:2", "--rhs", right.toString())).isEqualTo(ExitCode.FAILED);
      assertThat(err.toString()).contains("b.npy").contains("a vector of 8 is needed");
      NpyFile.save(right, DType.C64, Shape.of(1), numbers);
      assertThat(solve("poisson3d:1", "--rhs", right.toString())).isEqualTo(ExitCode.FAILED);
      assertThat(err.toString()).contains("complex").contains("the matrix is real");
    }
  }

  @Test
  void notReachingTheToleranceIsExitCodeThree() {
    assertThat(solve("poisson3d:8", "--max-iterations", "2")).isEqualTo(ExitCode.NOT_CONVERGED);
    assertThat(out.toString()).contains("ITERATION_LIMIT");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "poisson3d:0",
        "poisson3d",
        "nowhere.mtx",
        "poisson3d:4 --precond magic",
        "poisson3d:4 --precond ilu:x",
        "poisson3d:4 --scheme teleport",
        "poisson3d:4 --ranks 0",
        "poisson3d:4 --solver oracle",
        "poisson3d:4 --comm nothing",
        "poisson3d:4 --tol -1"
      })
  void wrongUsageIsExitCodeTwo(String line) {
    assertThat(solve(line.split(" ", -1))).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(err.toString()).isNotBlank();
  }

  @Test
  void aWrongFileIsNamedWithItsLine() throws IOException {
    Path file = folder.resolve("bad.mtx");
    Files.writeString(file, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 7 1\n");
    assertThat(solve(file.toString())).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(err.toString()).contains("line 3").contains("column 7 is not from 1 to 2");
  }
}
