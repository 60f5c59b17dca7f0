package dev.rialto.cli;

import dev.rialto.bench.BenchReport;
import dev.rialto.bench.Suite;
import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.DeviceOption;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.option.FileChecks;
import dev.rialto.cli.option.MpiOption;
import dev.rialto.spi.Backends;
import dev.rialto.system.files.WholeFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rialto bench}: Rialto's speed against its peers', in one run. */
@Command(
    name = "bench",
    description = {
      "Measure Rialto against its peers, interleaved in one run.",
      "A ratio is Rialto's time as a part of the peer's: lower is better."
    })
final class BenchCommand implements Callable<Integer> {
  private static final String ALL = "all";
  private static final String LOCAL = "local";

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "SUITE",
      description =
          "What to measure: comm, runtime, exchange, fft, sparse, kernels, language, cuda, or all.")
  private String suite;

  @Option(names = "--quick", description = "A rough answer in seconds.")
  private boolean quick;

  @Option(names = "--json", paramLabel = "FILE", description = "Also write the result as JSON.")
  private @Nullable Path json;

  @Option(
      names = "--comm",
      paramLabel = "NAME",
      description = "Measure ranks that are processes, linked by mpi (default: local).")
  private @Nullable String comm;

  @Mixin private MpiOption mpi;

  @Mixin private DeviceOption device;

  @Option(
      names = "--ranks",
      split = ",",
      paramLabel = "N",
      description = "For --comm mpi: measure with so many ranks (default: 2).")
  private @Nullable List<Integer> ranks;

  @Override
  public Integer call() {
    List<Suite> suites = suites();
    Optional<Suite> there =
        suites.size() > 1 || device.isHost()
            ? Optional.empty()
            : suites.getFirst().on(device.name());
    if (there.isPresent()) {
      suites = List.of(there.get());
    } else {
      checkDevice(suites);
    }
    Optional<Path> file = Optional.ofNullable(json);
    if (file.isPresent() && suites.size() > 1) {
      throw CommandFailure.usage(
          "--json " + file.get() + " holds one suite and 'all' is several.",
          "Run the suites one by one.");
    }
    FileChecks.writable("--json", json);
    PrintWriter out = spec.commandLine().getOut();
    for (Suite each : suites) {
      if (each.missing().isPresent()) {
        out.println(each.name() + " is left out: " + each.missing().get());
        continue;
      }
      BenchReport report;
      try (ProgressLine bar = ProgressLine.of(spec, "bench " + each.name(), "steps", 0, true)) {
        report = each.run(quick, bar);
      }
      out.print(report.toText());
      out.flush();
      file.ifPresent(path -> write(path, report));
      if (report.interrupted()) {
        return ExitCode.INTERRUPTED;
      }
    }
    return ExitCode.DONE;
  }

  /** A suite that is about a device is of no use without it; the others are about the host. */
  private void checkDevice(List<Suite> suites) {
    Suite only = suites.getFirst();
    if (suites.size() == 1 && only.missing().isPresent()) {
      throw CommandFailure.usage(
          "There is nothing that 'bench "
              + suite
              + "' could measure here: "
              + only.missing().get()
              + ".",
          "Run it where 'rialto info' shows a GPU.");
    }
    if (suites.size() > 1 || !only.name().equals(device.backend())) {
      device.requireHost("rialto bench " + suite);
    } else if (!device.find().name().equals(only.name() + ":0")) {
      throw CommandFailure.usage(
          "'bench " + suite + "' does not measure --device " + device.name() + ".",
          "It measures the first one: leave the option out.");
    }
  }

  private List<Suite> suites() {
    List<Suite> known = known();
    List<Suite> chosen =
        known.stream().filter(s -> suite.equals(ALL) || suite.equals(s.name())).toList();
    if (chosen.isEmpty()) {
      throw CommandFailure.usage(
          "There is no suite '" + suite + "' of such ranks.",
          "Those there are: "
              + known.stream().map(Suite::name).collect(Collectors.joining(", "))
              + ", all.");
    }
    return chosen;
  }

  private List<Suite> known() {
    String linked = mpi.backend(comm);
    if (linked == null || linked.equals(LOCAL)) {
      if (ranks != null) {
        throw CommandFailure.usage("--ranks is for ranks that are processes.", "Add --comm mpi.");
      }
      return Suite.all();
    }
    List<Integer> counts = ranks == null ? List.of(2) : ranks;
    for (int count : counts) {
      if (count < 2) {
        throw CommandFailure.usage("--ranks " + count + " is too few.", "Give at least 2.");
      }
    }
    mpi.choose();
    return Suite.of(Backends.get(linked).name(), counts);
  }

  private static void write(Path file, BenchReport report) {
    try {
      WholeFile.write(file, report.toJson() + "\n");
    } catch (IOException e) {
      throw CommandFailure.failed(e.getMessage() + ".", "What was measured is above.");
    }
  }
}
