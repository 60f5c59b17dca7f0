package dev.rialto.cli;

import static java.util.Objects.requireNonNull;

import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.option.FileChecks;
import dev.rialto.cli.option.MpiOption;
import dev.rialto.cli.option.OneDevice;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.system.files.WholeFile;
import dev.rialto.tck.ConformanceKit;
import dev.rialto.tck.ConformanceOptions;
import dev.rialto.tck.ConformanceReport;
import dev.rialto.text.ProgressBar;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rialto conform}: whether a backend does what it declares. */
@Command(
    name = "conform",
    description = {
      "Run the conformance kit on a backend; exit code 1 if a requirement fails.",
      "Backends of others are found on the class path that RIALTO_CLASSPATH names."
    })
final class ConformCommand implements Callable<Integer>, Main.OwnPage {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "BACKEND",
      description = "Its name, as '${ROOT-COMMAND-NAME} info' lists it.")
  private String backend;

  @Option(
      names = "--ranks",
      split = ",",
      paramLabel = "N",
      description = "Worlds of how many ranks to test with (default: 1 to 8).")
  private @Nullable List<Integer> ranks;

  @Mixin private MpiOption mpi;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      description = "Test this one of the backend's devices, such as cuda:1 (default: the first).")
  private @Nullable String device;

  @Option(names = "--seed", paramLabel = "N", description = "Repeat the random cases of a report.")
  private @Nullable Long seed;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Run so many rounds of random programs (default: 1, about a minute).")
  private @Nullable Integer effort;

  @Option(
      names = "--only",
      paramLabel = "ID",
      description = "Only requirements whose number starts so, such as P2P or MEM-001.")
  private @Nullable String only;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() {
    ConformanceOptions options = options();
    Main main = Main.of(spec.commandLine());
    Path report = main.report();
    FileChecks.writable("--report", report);
    main.reached(ProgressLine.clause(0, 0, "requirements"));
    ConformanceReport result;
    try (ProgressBar bar = ProgressBar.toStandardError("conform " + backend, 0, main.quiet())) {
      result =
          ConformanceKit.run(
              options.withProgress(
                  (done, total, what) -> {
                    bar.update(done, what);
                    main.reached(ProgressLine.clause(done, total, "requirements"));
                  }));
    }
    boolean interrupted = main.cancellation().isCancelled();
    if (result.results().isEmpty() && !interrupted) {
      throw CommandFailure.usage(
          "No requirement's number starts with '" + only + "'.",
          "Leave --only out to see them all.");
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? result.toJson() : result.toText());
    if (report != null) {
      write(report, result.toHtml());
    }
    if (interrupted) {
      main.cancellation().check();
    }
    return result.passed() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private ConformanceOptions options() {
    String asked = requireNonNull(mpi.backend(backend));
    mpi.choose();
    ConformanceOptions options = ConformanceOptions.of(provider(Backends.get(asked)));
    if (ranks != null) {
      for (int count : ranks) {
        if (count < 1) {
          throw CommandFailure.usage("--ranks " + count + " is too few.", "Give at least 1.");
        }
      }
      options = options.withRanks(ranks);
    }
    if (seed != null) {
      options = options.withSeed(seed);
    }
    if (effort != null) {
      if (effort < 1) {
        throw CommandFailure.usage("--rounds " + effort + " is too little.", "Give at least 1.");
      }
      options = options.withEffort(effort);
    }
    String prefix = only == null ? "" : only;
    Cancellation cancellation = Main.of(spec.commandLine()).cancellation();
    return options.only(id -> id.startsWith(prefix) && !cancellation.isCancelled());
  }

  /** Returns the backend, with the device that was named as its only one. */
  private BackendProvider provider(BackendProvider found) {
    String name = device;
    if (name == null) {
      return found;
    }
    return found.devices().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .map(each -> OneDevice.of(found, each))
        .orElseThrow(
            () ->
                CommandFailure.usage(
                    "Backend " + found.name() + " has no device '" + name + "'.",
                    "It has "
                        + (found.devices().isEmpty()
                            ? "none"
                            : found.devices().stream()
                                .map(Device::name)
                                .collect(Collectors.joining(", ")))
                        + "."));
  }

  private static void write(Path file, String text) {
    try {
      WholeFile.write(file, text);
    } catch (IOException e) {
      throw CommandFailure.failed(e.getMessage() + ".", "Name another file with --report.");
    }
  }
}
