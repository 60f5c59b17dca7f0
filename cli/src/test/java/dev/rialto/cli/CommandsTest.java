package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.spi.Backends;
import dev.rialto.spi.JavaCommand;
import dev.rialto.spi.Probe;
import dev.rialto.text.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandsTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  private int run(String... args) {
    return Main.run(new PrintWriter(out), new PrintWriter(err), false, args);
  }

  @Test
  void demoChecksItselfAndWritesAPicture() {
    Path picture = folder.resolve("heat.png");
    int code = run("demo", "--grid=20", "--ranks=3", "--steps=20", "--quiet", "--out=" + picture);
    assertThat(code).as(err.toString()).isZero();
    assertThat(out.toString()).contains("exact answer").contains(picture.toString());
    assertThat(picture).isNotEmptyFile();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"demo", "fft a.npy b.npy", "solve poisson3d:8", "tune halo", "bench runtime"})
  void devicesThatAreNotThereAreWrongUsage(String command) {
    String[] args = (command + " --device gpu:7").split(" ", -1);
    assertThat(run(args)).isEqualTo(2);
    assertThat(err.toString()).contains("gpu:7").contains("cpu:0");
  }

  @Test
  void benchOfAGpuThatIsNotThereSaysWhy() {
    assumeTrue(
        Backends.all().stream()
            .filter(backend -> backend.name().equals("cuda"))
            .allMatch(backend -> backend.probe() instanceof Probe.Unavailable),
        "a GPU is there");
    assertThat(run("bench", "cuda", "--quick")).isEqualTo(2);
    assertThat(err.toString()).contains("bench cuda").contains("libcuda");
  }

  @Test
  void demoAsJsonIsOneDocument() {
    int code =
        run("demo", "--grid=9", "--steps=4", "-q", "--json", "--out=" + folder.resolve("a.png"));
    assertThat(code).as(err.toString()).isZero();
    assertThat(Json.read(out.toString()))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("right", true)
        .containsKeys("seconds", "schemeError", "error");
  }

  @Test
  void anyCommandWritesATrace() throws IOException {
    Path trace = folder.resolve("trace.json");
    assertThat(run("info", "--trace=" + trace)).as(err.toString()).isZero();
    assertThat(Json.read(Files.readString(trace)))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsKey("traceEvents");
    assertThat(run("info", "--trace=" + folder.resolve("nowhere/trace.json"))).isEqualTo(2);
    assertThat(err.toString()).contains("cannot be written");
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "mpi"})
  void aTraceHasAllRanks(String comm) throws IOException, InterruptedException {
    assumeTrue(
        Backends.get(comm).probe() instanceof Probe.Available, comm + " cannot be used here");
    Path trace = folder.resolve("trace.json");
    List<String> command =
        List.of("solve", "poisson3d:6", "-q", "--ranks=2", "--comm=" + comm, "--trace=" + trace);
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(JavaCommand.like(Main.class, command))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor()).as(Files.readString(output)).isZero();
    Map<?, ?> document = (Map<?, ?>) Json.read(Files.readString(trace));
    assertThat((List<?>) document.get("traceEvents"))
        .<Map<?, ?>>extracting(Map.class::cast)
        .filteredOn(event -> "Exchange".equals(event.get("cat")))
        .extracting(event -> ((Number) event.get("pid")).intValue())
        .contains(0, 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kernel explain no/such/file",
        "kernel paint x",
        "demo --ranks 0",
        "demo --ranks two",
        "demo --grid 1",
        "demo --grid 4 --ranks 5",
        "demo --steps 0",
        "demo --out no/such/folder/x.png",
        "bench nothing",
        "bench all comm",
        "bench comm --json no/such/folder/x.json",
        "bench comm --ranks 4",
        "bench comm --comm abacus",
        "bench comm --comm mpi --ranks 1",
        "bench comm --comm local --mpi mpich",
        "conform local --mpi mpich",
        "conform abacus",
        "conform local --ranks 0",
        "conform local --ranks",
        "conform local --only XYZ",
        "frobnicate"
      })
  void wrongUsageIsOneSentenceAndARemedy(String line) {
    assertThat(run(line.split(" "))).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString().lines().toList())
        .hasSizeBetween(1, 2)
        .noneMatch(text -> text.contains("Exception") || text.startsWith("\tat "))
        .first(InstanceOfAssertFactories.STRING)
        .startsWith("rialto: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"info", "demo", "conform", "bench", "test", "format", "package"})
  void everyCommandHasHelp(String command) {
    assertThat(run(command, "--help")).isZero();
    assertThat(out.toString()).contains("rialto " + command);
  }

  @Test
  void conformPrintsEachRequirementAndWritesTheReport() throws Exception {
    Path report = folder.resolve("report.html");
    int code = run("conform", "cpu", "--only", "MEM-00", "-q", "--report", report.toString());
    assertThat(code).as(out + "" + err).isZero();
    assertThat(out.toString()).contains("MEM-001");
    assertThat(Files.readString(report)).contains("MEM-001").contains("</html>");
  }

  @Test
  void conformAsJsonIsOneDocument() {
    assertThat(run("conform", "cpu", "--only", "MEM-001", "-q", "--json")).isZero();
    assertThat(Json.read(out.toString()))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("backend", "cpu");
  }
}
