package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.cli.option.ExitCode;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.text.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo",
        "fft a.npy b.npy",
        "solve poisson3d:8",
        "tune transpose",
        "tune halo",
        "tune fft",
        "bench runtime",
        "kernel run PROGRAM",
        "conform cpu",
        "run PROGRAM",
        "info"
      })
  void devicesThatAreNotThereAreWrongUsage(String command) throws IOException {
    Path program = Files.writeString(folder.resolve("p"), "input x f32[4]\ny[i] = x[i] + 1\n");
    String[] args = command.replace("PROGRAM", program.toString()).split(" ", -1);
    for (String device : command.startsWith("conform") ? ONE_BACKEND : ANY) {
      List<String> all = new ArrayList<>(List.of(args));
      all.addAll(List.of("--device", device));
      assertThat(run(all.toArray(String[]::new))).as(device).isEqualTo(2);
      assertThat(err.toString()).contains(device).contains("cpu:0");
      err.getBuffer().setLength(0);
    }
  }

  private static final List<String> ONE_BACKEND = List.of("cpu:7", "cpu:-1");
  private static final List<String> ANY = List.of("gpu:7", "cpu:7", "cuda:99", "cpu:", "cpu:x");

  @Test
  void aDeviceMayBeNamedWithItsNumber() {
    assertThat(run("info", "--device", "cpu:0", "--json")).as(err.toString()).isZero();
    assertThat(out.toString()).contains("\"name\": \"cpu:0\"");
    assertThat(run("conform", "cpu", "--device", "cpu:0", "--only", "DEV")).isZero();
    assertThat(run("bench", "runtime", "--device", "cuda:99")).isEqualTo(2);
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
        new ProcessBuilder(ShortLived.command(command))
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
        "solve poisson2d:8 --ranks 5000",
        "solve poisson2d:99999999",
        "run pom.xml",
        "bench nothing",
        "bench all comm",
        "new class",
        "new Heat",
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
