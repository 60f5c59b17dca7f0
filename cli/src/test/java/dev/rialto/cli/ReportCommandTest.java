package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.cli.option.ExitCode;
import dev.rialto.runtime.trace.Phase;
import dev.rialto.runtime.trace.RunRecord;
import dev.rialto.runtime.trace.Trace;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.text.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --report} of commands, and {@code rialto report} of the traces they write. */
class ReportCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  private int run(String... args) {
    return Main.run(new PrintWriter(out), new PrintWriter(err), false, args);
  }

  private static List<String> headings(Path page) throws IOException {
    return Files.readAllLines(page).stream()
        .filter(line -> line.contains("<h2"))
        .map(line -> line.replaceFirst(".*<h2[^>]*>([^<]*)</h2>.*", "$1"))
        .toList();
  }

  @Test
  void aRunsTraceBecomesAPage() throws IOException {
    Path trace = folder.resolve("solve.json");
    Path page = folder.resolve("solve.html");
    int code =
        run(
            "solve",
            "poisson3d:8",
            "-q",
            "--scheme=tuned",
            "--effort=estimate",
            "--trace=" + trace);
    assertThat(code).as(err.toString()).isZero();
    assertThat(run("report", trace.toString(), "-o", page.toString())).as(err.toString()).isZero();
    assertThat(out.toString()).contains("The report is in " + page);
    assertThat(headings(page))
        .containsSubsequence(
            "Results",
            "Timeline",
            "Communication",
            "Schemes",
            "Roofline",
            "Convergence",
            "Environment");
  }

  @Test
  void aPageIsMadeAtTheEndOfAnyCommandAndNothingElseIsLeft() throws IOException {
    Path page = folder.resolve("info.html");
    assertThat(run("info", "--json", "--report", page.toString())).as(err.toString()).isZero();
    assertThat(Json.read(out.toString())).isInstanceOf(Map.class);
    assertThat(err.toString()).isEqualTo("The report is in %s.%n".formatted(page));
    assertThat(headings(page)).contains("Environment");
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(page);
    }
  }

  @Test
  void aRunThatDoesNotConvergeHasAPageToo() throws IOException {
    Path page = folder.resolve("solve.html");
    int code = run("solve", "poisson3d:8", "--max-iterations=2", "-q", "--report=" + page);
    assertThat(code).isEqualTo(ExitCode.NOT_CONVERGED);
    assertThat(headings(page)).contains("Convergence");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void ranksThatAreProcessesAreOnOnePage() throws IOException, InterruptedException {
    assumeTrue(Backends.get("mpi").probe() instanceof Probe.Available, "mpi cannot be used here");
    Path page = folder.resolve("mpi.html");
    Path output = folder.resolve("output");
    List<String> command =
        List.of("solve", "poisson3d:6", "-q", "--ranks=2", "--comm=mpi", "--report", "" + page);
    Process process =
        new ProcessBuilder(ShortLived.command(command))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    assertThat(headings(page)).contains("Timeline", "Communication", "Convergence");
    assertThat(Files.readString(page)).contains("{\"rank\":0,", "{\"rank\":1,");
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactlyInAnyOrder(page, output);
    }
  }

  /** The program of the guide, and its commands on a smaller problem. */
  @Test
  void theGuideIsRight() throws IOException {
    String guide = Files.readString(Path.of("..", "docs", "reports.md"));
    Path file = folder.resolve("run.json");
    try (Trace _ = Trace.start(file, OptionalInt.empty())) {
      try (Phase _ = RunRecord.phase("solve")) {
        RunRecord.curve("cg", new double[] {1, 0.1, 1e-3, 1e-7}, 1e-6);
      }
      RunRecord.measured("matrix product", 2e6, 1.2e7, 1e-3);
      RunRecord.limits("2 cores", 1.6e10, 6e10);
      RunRecord.result("Residual", "1.0e-7");
    }
    assertThat(run("report", file.toString(), "-qo", folder.resolve("run.html").toString()))
        .as(err.toString())
        .isZero();
    assertThat(headings(folder.resolve("run.html")))
        .containsSubsequence("Results", "Timeline", "Roofline", "Convergence");
    List<String> commands =
        guide.lines().filter(line -> line.startsWith("    ./rialto ")).map(String::strip).toList();
    assertThat(commands).hasSize(4);
    for (String command : commands) {
      String small =
          command
              .replace("./rialto ", "")
              .replace("poisson3d:40", "poisson3d:5 -q --effort estimate")
              .replaceAll("([a-z]+\\.(json|html))", folder + "/$1");
      assertThat(run(small.split(" ", -1))).as("%s: %s", command, err).isZero();
    }
    assertThat(headings(folder.resolve("compare.html"))).contains("Convergence");
  }

  @Test
  void whatCannotBeReadOrWrittenIsSaidInASentence() throws IOException {
    Path broken = Files.writeString(folder.resolve("broken.json"), "{\"traceEvents\":[");
    String nowhere = folder.resolve("no/such/folder/x.html").toString();
    assertThat(run("report", folder.resolve("none.json").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("none.json does not exist.", "--trace");
    assertThat(run("report", broken.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("broken.json is no trace, or not all of one");
    assertThat(run("report", broken.toString(), "-o", nowhere)).isEqualTo(2);
    assertThat(err.toString()).contains("--out " + nowhere + " cannot be written.");
    assertThat(run("info", "--report", nowhere)).isEqualTo(2);
    assertThat(err.toString()).contains("--report " + nowhere + " cannot be written.");
    assertThat(run("report")).isEqualTo(2);
    assertThat(err.toString()).doesNotContain("\tat ");
    assertThat(out.toString()).isEmpty();
  }
}
