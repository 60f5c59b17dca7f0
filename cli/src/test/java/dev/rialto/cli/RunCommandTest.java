package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.io.NpyFile;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.World;
import dev.rialto.spi.device.Device;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The examples with small sizes, and what programs may do wrong. */
class RunCommandTest {
  private static final Path EXAMPLES = Path.of("..", "examples");

  private final StringWriter err = new StringWriter();
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  @TempDir private Path folder;

  /** Runs a program, which speaks to standard output. */
  private int run(String... args) {
    List<String> line = new ArrayList<>(List.of("run"));
    line.addAll(List.of(args));
    PrintStream before = System.out;
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      PrintWriter nothing = new PrintWriter(new StringWriter());
      return Main.run(nothing, new PrintWriter(err), false, line.toArray(String[]::new));
    } finally {
      System.setOut(before);
    }
  }

  private String example(String name, String... args) {
    List<String> line = new ArrayList<>(List.of(EXAMPLES.resolve(name).toString()));
    line.addAll(List.of(args));
    assertThat(run(line.toArray(String[]::new))).as(err.toString()).isZero();
    return said.toString(StandardCharsets.UTF_8);
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private Path program(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  @Test
  void heatSpreadsAsItMust() {
    for (Device device : Devices.list()) {
      String file = file("heat-" + device.name().replace(':', '-') + ".vti");
      String where = "--device=" + device.name();
      assertThat(
              example("Heat.java", "--points=12", "--steps=21", "--file", file, where, "--ranks=3"))
          .contains("12^3 points, 21 steps on " + device.name() + ": error");
      assertThat(Path.of(file)).isNotEmptyFile();
    }
  }

  @Test
  void heatIsAShortProgram() throws IOException {
    String text = Files.readString(EXAMPLES.resolve("Heat.java"));
    String code = text.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("//.*", "");
    assertThat(code.lines().filter(l -> !l.isBlank() && !l.startsWith("import ")).count())
        .isLessThanOrEqualTo(45);
  }

  @Test
  void vorticesKeepTheirSumAndLoseEnergy() {
    assertThat(example("Vortices.java", "32", "50", file("v.png"), "--ranks", "2"))
        .contains("2 ranks: energy 0.08", "vorticity kept to");
    assertThat(folder.resolve("v.png")).isNotEmptyFile();
  }

  @Test
  void aSystemFromAFileIsSolved() throws IOException {
    Path matrix =
        program(
            "a.mtx",
            """
            %%MatrixMarket matrix coordinate real symmetric
            3 3 4
            1 1 4
            2 2 5
            3 3 6
            2 1 1
            """);
    assertThat(example("Solve.java", matrix.toString(), file("x.mtx"))).contains("CONVERGED");
    assertThat(Files.readString(folder.resolve("x.mtx"))).contains("3 1");
  }

  @Test
  void anArrayGoesFromFileToKernelToModesToSolverToFile() throws IOException {
    assertThat(example("Screened.java", file("f.npy"), file("u.npy"), "--ranks=2"))
        .contains("48x64 points, 2 ranks: CONVERGED");
    assertThat(folder.resolve("u.npy")).isNotEmptyFile();
    try (var examples = Files.list(EXAMPLES)) {
      for (Path each : examples.filter(path -> path.toString().endsWith(".java")).toList()) {
        assertThat(each).content().doesNotContain("java.lang.foreign");
      }
    }
  }

  @Test
  void theArrayMayBeOnAnyDeviceThatIsHere() {
    for (Device device : Devices.list()) {
      String solution = device.name().replace(':', '-') + ".npy";
      assertThat(
              example(
                  "Screened.java",
                  file("source.npy"),
                  file(solution),
                  "--ranks=2",
                  "--device=" + device.name()))
          .contains("48x64 points, 2 ranks: CONVERGED", solution);
      assertThat(folder.resolve(solution)).isNotEmptyFile();
      said.reset();
    }
  }

  @Test
  void theNetworkIsTheSameOnAnyNumberOfRanks() {
    String one = example("Train.java", "20", "--ranks=1");
    said.reset();
    String three = example("Train.java", "20", "--ranks=3");
    assertThat(one).contains("1 ranks, 20 steps by sync_jvm: loss 1.868");
    assertThat(three.replace("3 ranks", "1 ranks")).isEqualTo(one);
  }

  /** The targets that are here, as options of a program. */
  private static Stream<Arguments> targets() {
    return JitBackend.targets().values().stream()
        .filter(target -> target.probe() instanceof Probe.Available)
        .map(
            target ->
                Arguments.of(
                    target.name(),
                    target.devices().isEmpty()
                        ? "--target=" + target.name()
                        : "--device=" + target.devices().getFirst().name()));
  }

  @ParameterizedTest
  @MethodSource("targets")
  void programsInTextRunOnAnyTarget(String name, String option) {
    assertThat(example("Train.java", "20", "--ranks=2", option))
        .contains("20 steps by " + (option.startsWith("--target") ? "sync_" : "") + name)
        .contains(": loss 1.868");
    assertThat(example("Edges.java", "40", file("e.png"), "--ranks=2", option))
        .contains("40 x 40 pixels by " + name + ": within");
    assertThat(folder.resolve("e.png")).isNotEmptyFile();
  }

  /** The host's cores, and the first device of OpenCL if there is one. */
  private static Stream<String> devices() {
    return Devices.list().stream()
        .map(Device::name)
        .filter(name -> name.equals("cpu:0") || name.equals("opencl:0"));
  }

  @ParameterizedTest
  @MethodSource("devices")
  void kernelsInJavaRunOnAnyDevice(String device) {
    assertThat(example("Median.java", "40", file("m.png"), "--device", device, "--ranks", "2"))
        .contains("40 x 40 pixels on " + device + ", as plain Java has them");
    assertThat(folder.resolve("m.png")).isNotEmptyFile();
    assertThat(example("Bodies.java", "150", "5", "--device", device, "--ranks", "2"))
        .contains("150 bodies, 5 steps on " + device);
    assertThat(example("SparseProduct.java", "20", "--device", device, "--ranks", "2"))
        .contains("400 rows, 1920 entries on " + device);
  }

  @Test
  void anImageComesFromAFileOfNumPy() throws IOException {
    Path image = folder.resolve("image.npy");
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                F64Array dots = team.f64(30, 20)) {
              dots.set((i, j) -> (i + j) % 7 == 0 ? 1 : 0);
              NpyFile.save(image, dots);
            }
          });
    }
    assertThat(example("Edges.java", image.toString(), file("e.png"), "--ranks=2"))
        .contains("30 x 20 pixels by jvm");
  }

  @Test
  void ranksMayBeProcesses() throws IOException, InterruptedException {
    assumeTrue(Backends.get("mpi").probe() instanceof Probe.Available, "no MPI library");
    Path output = folder.resolve("output");
    List<String> line =
        List.of(
            "run",
            EXAMPLES.resolve("Heat.java").toString(),
            "--points=8",
            "--steps=10",
            "--file=" + file("heat.vti"),
            "--ranks=2",
            "--comm=mpi");
    Process process =
        new ProcessBuilder(ShortLived.command(line))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor()).as(Files.readString(output)).isZero();
    assertThat(Files.readString(output)).contains("8^3 points, 10 steps on cpu:0: error");
  }

  @Test
  void argumentsPassThrough() throws IOException {
    Path echo =
        program(
            "Echo.java",
            """
            void main(String[] args) {
              System.out.println(String.join("|", args));
            }
            """);
    assertThat(run(echo.toString(), "a", "--own=1", "-x", "--ranks", "5", "b c")).isZero();
    assertThat(said.toString(StandardCharsets.UTF_8).strip())
        .isEqualTo("a|--own=1|-x|b c|--comm=local|--ranks=5");
  }

  @Test
  void whatDoesNotCompileShowsTheCompilersWords() throws IOException {
    Path wrong = program("Wrong.java", "class Wrong { int x = missing; }");
    assertThat(run(wrong.toString())).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(err.toString())
        .contains("Wrong.java:1: error: cannot find symbol", "missing", "does not compile");
  }

  @Test
  void whatAProgramThrowsIsShown() throws IOException {
    Path failing =
        program(
            "Failing.java",
            """
            class Failing {
              static void main(String[] args) {
                throw new IllegalStateException("out of luck");
              }
            }
            """);
    assertThat(run(failing.toString())).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .startsWith("java.lang.IllegalStateException: out of luck")
        .contains("at Failing.main(Failing.java:3)")
        .doesNotContain("dev.rialto.cli");
  }

  @Test
  void aFileIsNeededAndAMainMethod() throws IOException {
    assertThat(run()).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(run(file("Nowhere.java"))).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(run(program("Empty.java", "class Empty {}").toString()))
        .isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(err.toString()).contains("main method").doesNotContain("\tat ");
  }
}
