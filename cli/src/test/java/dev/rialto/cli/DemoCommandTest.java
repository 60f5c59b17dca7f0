package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.cli.option.ExitCode;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.exec.Cancellation;
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

class DemoCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  private int demo(Cancellation cancellation, String... options) {
    return Main.run(
        new PrintWriter(out),
        new PrintWriter(err),
        false,
        new Interruption(cancellation),
        arguments(options));
  }

  private String[] arguments(String... options) {
    List<String> all = new ArrayList<>(List.of("demo", "--quiet", "--out=" + folder));
    all.addAll(List.of(options));
    return all.toArray(String[]::new);
  }

  @Test
  void aGridThatDoesNotResolveTheChargesIsSaidToBeTooCoarse() {
    assertThat(demo(new Cancellation(), "--grid=8", "--scheme=shared")).as(err.toString()).isZero();
    assertThat(out.toString()).contains("does not resolve the charges", "--grid 32");
    out.getBuffer().setLength(0);
    assertThat(demo(new Cancellation(), "--grid=32", "--scheme=shared")).isZero();
    assertThat(out.toString()).doesNotContain("resolve the charges");
  }

  @Test
  void itComparesBothWaysAndWritesAPictureATraceAndAReport() throws IOException {
    int code = demo(new Cancellation(), "--grid=12", "--ranks=3", "--effort=estimate");
    assertThat(code).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains("12^3 points", "3 ranks", "from the exact solution", "CG from FFT")
        .contains("rialto-demo.png");
    assertThat(folder.resolve("rialto-demo.png")).isNotEmptyFile();
    assertThat(Files.readString(folder.resolve("rialto-demo.html")))
        .contains("</html>", "CG from FFT", "Poisson");
    assertThat(Json.read(Files.readString(folder.resolve("rialto-demo.trace.json"))))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsKey("traceEvents");
  }

  @Test
  void traceAndReportGoWhereTheyAreSent() {
    Path trace = folder.resolve("t.json");
    Path report = folder.resolve("r.html");
    int code =
        demo(
            new Cancellation(),
            "--grid=8",
            "--ranks=1",
            "--effort=estimate",
            "--trace=" + trace,
            "--report=" + report);
    assertThat(code).as(err.toString()).isZero();
    assertThat(trace).isNotEmptyFile();
    assertThat(report).isNotEmptyFile();
    assertThat(folder.resolve("rialto-demo.html")).doesNotExist();
    assertThat(out.toString()).contains(trace.toString(), report.toString());
  }

  @Test
  void asJsonItIsOneDocument() {
    int code =
        demo(
            new Cancellation(),
            "--grid=9",
            "--json",
            "--scheme=shared",
            "--engine=java",
            "--seed=7");
    assertThat(code).as(err.toString()).isZero();
    Map<?, ?> document = (Map<?, ?>) Json.read(out.toString());
    assertThat(document.get("agrees")).isEqualTo(true);
    assertThat(document.get("gradients"))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("converged", true)
        .containsEntry("scheme", "shared")
        .containsKeys("iterations", "residual", "seconds", "format", "ofBandwidth");
    assertThat(document.get("transforms"))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("engine", "java")
        .containsKeys("grid", "order", "error", "ofBandwidth");
  }

  @Test
  void ranksMayBeProcesses() throws IOException, InterruptedException {
    assumeTrue(Backends.get("mpi").probe() instanceof Probe.Available, "no MPI library");
    Path output = folder.resolve("output");
    Process process = start(output, "--grid=8", "--comm=mpi", "--effort=estimate", "--json");
    assertThat(process.waitFor()).as(Files.readString(output)).isZero();
    assertThat(Files.readString(output)).contains("\"agrees\": true");
    assertThat(Files.readString(folder.resolve("rialto-demo.html"))).contains("</html>");
  }

  private Process start(Path output, String... options) throws IOException {
    return new ProcessBuilder(ShortLived.command(List.of(arguments(options))))
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  @Test
  void stoppedItTellsWhatWasReached() {
    Cancellation cancelled = new Cancellation();
    cancelled.cancel();
    assertThat(demo(cancelled, "--grid=8", "--effort=estimate")).isEqualTo(ExitCode.INTERRUPTED);
    assertThat(out.toString()).contains("Interrupted: this is what was reached.");
    assertThat(err.toString()).startsWith("rialto: Interrupted");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--grid 3",
        "--grid 2000",
        "--grid x",
        "--grid 4 --ranks 5",
        "--grid 1024 --ranks 1",
        "--scheme carrier-pigeon",
        "--scheme shared/slowly",
        "--engine steam",
        "--device gpu:7",
        "--tol 0",
        "--tol 2",
        "--effort heroic",
        "--comm abacus",
        "--out no/such/folder"
      })
  void whatIsWrongIsOneSentenceAndARemedy(String options) {
    assertThat(demo(new Cancellation(), options.split(" "))).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString().lines().toList()).hasSizeBetween(1, 2);
    assertThat(err.toString()).startsWith("rialto: ").doesNotContain("Exception");
    assertThat(folder).isEmptyDirectory();
  }
}
