package dev.rialto.cli;

import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.option.FileChecks;
import dev.rialto.cli.report.ReportPage;
import dev.rialto.cli.report.TraceException;
import dev.rialto.cli.report.TraceFile;
import dev.rialto.system.files.WholeFile;
import dev.rialto.text.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rialto report}: a page about runs, of the traces they wrote. */
@Command(
    name = "report",
    description = {
      "Make one HTML page of traces, which any browser shows without a network.",
      "Traces of ranks of one run are put together, those of several runs are compared."
    })
final class ReportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "TRACE",
      arity = "1..*",
      description = "Files that commands wrote with --trace.")
  private List<Path> traces;

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FILE",
      defaultValue = "rialto-report.html",
      description = "Where to write the page (default: ${DEFAULT-VALUE}).")
  private Path out;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() {
    FileChecks.writable("--out", out);
    traces.forEach(trace -> FileChecks.apart("--out", out, "TRACE", trace));
    write(traces, out);
    if (json) {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("report", out.toString());
      document.put("traces", traces.stream().map(Path::toString).toList());
      spec.commandLine().getOut().println(Json.writeIndented(document));
    } else if (!Main.of(spec.commandLine()).quiet()) {
      spec.commandLine().getOut().println("The report is in " + out + ".");
    }
    return ExitCode.DONE;
  }

  static void write(List<Path> traces, Path page) {
    List<TraceFile> read = new ArrayList<>();
    for (Path each : traces) {
      try {
        read.add(TraceFile.read(each));
      } catch (TraceException e) {
        throw CommandFailure.usage(
            e.getMessage() + ".", "Name files that a command wrote with --trace.");
      }
    }
    try {
      WholeFile.write(page, ReportPage.of(read));
    } catch (IOException e) {
      throw CommandFailure.failed(e.getMessage() + ".", "");
    }
  }
}
