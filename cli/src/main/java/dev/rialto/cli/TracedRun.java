package dev.rialto.cli;

import static java.util.Objects.requireNonNull;

import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.option.FileChecks;
import dev.rialto.runtime.trace.RunRecord;
import dev.rialto.runtime.trace.Trace;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.text.Machine;
import dev.rialto.text.Version;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;

/**
 * A command of which {@code --trace} or {@code --report} wants to know: it is traced, what it ran
 * on is recorded with it, and a page is made of the trace at the end, also where the command fails.
 *
 * <p>Without {@code --trace} the trace lies beside the page until that is made: ranks that are
 * processes must find it by its name.
 */
final class TracedRun {
  private static final String TRACE = "--trace";
  private static final String REPORT = "--report";
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("d MMMM uuuu, HH:mm z", Locale.ENGLISH);

  private final CommandLine command;
  private final Path file;
  private final boolean kept;
  private final @Nullable Path report;
  private final Trace trace;

  private TracedRun(CommandLine command, Path file, boolean kept, @Nullable Path report) {
    this.command = command;
    this.file = file;
    this.kept = kept;
    this.report = report;
    try {
      this.trace = Trace.start(file, RankOptions.launchedRank());
    } catch (UncheckedIOException e) {
      throw CommandFailure.usage(
          (kept ? TRACE : REPORT) + " " + e.getMessage() + ".",
          "Name a file in a folder that can be written.");
    }
  }

  private static Path traceOf(Path report) {
    return report.resolveSibling(report.getFileName() + ".trace");
  }

  /** Starts one, with one of the files at least. */
  static TracedRun start(
      CommandLine command, List<String> arguments, @Nullable Path asked, @Nullable Path report) {
    try {
      OptionalInt rank = RankOptions.launchedRank();
      if (report != null && rank.isPresent()) {
        throw CommandFailure.usage(
            REPORT + " " + report + ": no rank knows when the last one has written its part.",
            "Give --trace FILE here, and make the page of it with 'rialto report FILE'.");
      }
      if (report != null) {
        FileChecks.writable(REPORT, report);
      }
      Path file = asked != null ? asked : traceOf(requireNonNull(report));
      TracedRun run = new TracedRun(command, file, asked != null, report);
      recordEnvironment(arguments);
      return run;
    } catch (CommandFailure e) {
      throw new ExecutionException(command, "", e);
    }
  }

  private static void recordEnvironment(List<String> arguments) {
    Machine machine = Machine.current();
    RunRecord.environment(
        "Command", "rialto " + String.join(" ", without(without(arguments, TRACE), REPORT)));
    RunRecord.environment("Date", DATE.format(ZonedDateTime.now(ZoneId.systemDefault())));
    RunRecord.environment("Rialto", Version.current());
    RunRecord.environment("Processor", machine.cpu());
    RunRecord.environment("Cores", Integer.toString(machine.cores()));
    RunRecord.environment("Memory", Machine.bytes(machine.memoryBytes()));
    RunRecord.environment("Java heap", Machine.bytes(Runtime.getRuntime().maxMemory()));
    RunRecord.environment("System", machine.os());
    RunRecord.environment("Java", machine.jdk());
    for (BackendProvider backend : Backends.all()) {
      RunRecord.environment("Backend " + backend.name(), state(backend.probe()));
    }
  }

  private static String state(Probe probe) {
    return switch (probe) {
      case Probe.Available(List<String> devices, List<Probe.Library> libraries) ->
          libraries.isEmpty()
              ? String.join(", ", devices)
              : libraries.stream()
                  .map(library -> library.name() + " " + library.version())
                  .collect(Collectors.joining(", "));
      case Probe.Unavailable(String reason, _) -> "not here: " + reason;
    };
  }

  /** Leaves the trace to ranks, and returns the arguments that make them write it. */
  List<String> handOver(List<String> arguments) {
    trace.handOver();
    List<String> forRanks = new ArrayList<>(without(without(arguments, TRACE), REPORT));
    forRanks.add(TRACE + "=" + file);
    return forRanks;
  }

  /** Returns arguments without an option and its value. */
  private static List<String> without(List<String> arguments, String option) {
    List<String> rest = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      if (arguments.get(i).equals(option)) {
        i++;
      } else if (!arguments.get(i).startsWith(option + "=")) {
        rest.add(arguments.get(i));
      }
    }
    return rest;
  }

  /** Runs the command, and ends the trace with it. */
  int run(IntSupplier body) {
    int code;
    try {
      code = body.getAsInt();
    } catch (RuntimeException e) {
      try {
        finish();
      } catch (RuntimeException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
    try {
      finish();
    } catch (RuntimeException e) {
      if (code == ExitCode.DONE) {
        throw new ExecutionException(command, "", e);
      }
      command.getErr().println("rialto: " + e.getMessage());
    }
    return code;
  }

  private void finish() {
    trace.close();
    if (report != null) {
      ReportCommand.write(List.of(file), report);
      say("The report is in " + report + ".");
    }
    if (!kept) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** To standard error, for what the command prints is its result. */
  private void say(String sentence) {
    if (!Main.of(command).quiet()) {
      command.getErr().println(sentence);
      command.getErr().flush();
    }
  }
}
