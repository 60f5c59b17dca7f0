package dev.rialto.cli;

import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.DeviceOption;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.option.FileChecks;
import dev.rialto.cli.option.MemoryCheck;
import dev.rialto.cli.option.SchemeOptions;
import dev.rialto.cli.solve.SolveChoices;
import dev.rialto.cli.solve.SolveJob;
import dev.rialto.io.Plot;
import dev.rialto.runtime.limits.MachineLimits;
import dev.rialto.runtime.trace.RunRecord;
import dev.rialto.sparse.io.MatrixMarket;
import dev.rialto.sparse.io.MatrixMarketException;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.problem.Problem;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.spi.World;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.system.files.WholeFile;
import dev.rialto.text.Json;
import dev.rialto.text.ProgressBar;
import dev.rialto.text.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rialto solve}: a linear system from a file or a generator. */
@Command(
    name = "solve",
    description = {
      "Solve a sparse linear system on several ranks.",
      "The system is " + SolveChoices.PROBLEMS + " (.mtx, .mtx.gz)."
    })
final class SolveCommand implements Callable<Integer> {
  private static final long ROW_BYTES = 64;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "SYSTEM", description = "A problem such as poisson3d:100, or a file.")
  private String input;

  @Option(
      names = "--solver",
      paramLabel = "NAME",
      defaultValue = "cg",
      description = "One of ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Method method;

  @Option(
      names = "--precond",
      paramLabel = "NAME",
      defaultValue = "none",
      description = SolveChoices.PRECONDITIONERS + " (default: ${DEFAULT-VALUE}).")
  private String preconditioner;

  @Mixin private RankOptions on;

  @Mixin private DeviceOption device;

  @Mixin private SchemeOptions travel;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      description = "One of ${COMPLETION-CANDIDATES}; by default the fastest is found by timing.")
  private @Nullable Format format;

  @Option(
      names = "--tol",
      paramLabel = "X",
      defaultValue = "1e-6",
      description = "The residual to reach, of the right-hand side's (default: ${DEFAULT-VALUE}).")
  private double tolerance;

  @Option(
      names = "--max-iterations",
      paramLabel = "N",
      defaultValue = "1000",
      description = "How many iterations at most (default: ${DEFAULT-VALUE}).")
  private int maxIterations;

  @Option(names = "--rhs", paramLabel = "FILE", description = "The right-hand side (.mtx or .npy).")
  private @Nullable Path rightHandSide;

  @Option(names = "--out", paramLabel = "FILE", description = "Where to write the solution.")
  private @Nullable Path out;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Where to draw the residual by iteration (PNG).")
  private @Nullable Path plot;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "For random problems (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    SolveOptions options = check();
    Optional<Integer> done = on.relaunch();
    if (done.isPresent()) {
      return done.get();
    }
    boolean quiet = Main.of(spec.commandLine()).quiet() || !on.leads();
    SolveJob.Outcome outcome;
    int ranks;
    try (World world = on.open();
        ProgressBar bar = ProgressBar.toStandardError("solve", 0, quiet)) {
      ranks = world.size();
      outcome =
          world
              .call(
                  ranked -> {
                    SolveOptions watched =
                        ranked.rank() == 0
                            ? options.withMonitor(
                                (iteration, residual) -> show(bar, iteration, residual))
                            : options;
                    return job(watched).run(ranked);
                  })
              .getFirst();
    } catch (CommunicationException e) {
      throw CommandFailure.ofRanks(e, "solve");
    }
    if (on.leads()) {
      report(outcome, ranks);
    }
    if (outcome.result().reason() == SolveResult.Reason.CANCELLED) {
      return ExitCode.INTERRUPTED;
    }
    return outcome.result().converged() ? ExitCode.DONE : ExitCode.NOT_CONVERGED;
  }

  private void show(ProgressBar bar, int iteration, double residual) {
    bar.update(iteration, String.format(Locale.ROOT, "residual %.3e", residual));
    Main.of(spec.commandLine())
        .reached(
            ProgressLine.clause(iteration, maxIterations, "iterations")
                + String.format(Locale.ROOT, ", residual %.1e", residual));
  }

  private SolveOptions check() {
    var _ = on.check();
    var _ = device.find();
    travel.check();
    FileChecks.writable("--out", out);
    FileChecks.writable("--plot", plot);
    FileChecks.readable("--rhs", rightHandSide);
    FileChecks.apart("--out", out, "--plot", plot);
    FileChecks.apart("--plot", plot, "--rhs", rightHandSide);
    try {
      SolveChoices.checkPreconditioner(preconditioner);
      if (out != null) {
        SolveChoices.checkSolution(out);
      }
      if (SolveChoices.problem(input, seed).isEmpty()) {
        FileChecks.apart("--out", out, "SYSTEM", Path.of(input));
        FileChecks.apart("--plot", plot, "SYSTEM", Path.of(input));
      }
      checkSize();
      if (SolveChoices.problem(input, seed).isEmpty() && !Files.isReadable(Path.of(input))) {
        throw CommandFailure.usage(
            "'" + input + "' is neither a problem nor a file that can be read.",
            "Give " + SolveChoices.PROBLEMS + ".");
      }
      return SolveOptions.standard()
          .withTolerance(tolerance)
          .withMaxIterations(maxIterations)
          .withCancellation(Main.of(spec.commandLine()).cancellation());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(e.getMessage() + ".", "See 'rialto solve --help'.");
    }
  }

  /** Each row has an entry at least, a value and two indices, and is in a few vectors. */
  private void checkSize() {
    Optional<Problem> problem = SolveChoices.problem(input, seed);
    try {
      if (problem.isPresent()) {
        MemoryCheck.requireHeap(input, problem.get().size(), ROW_BYTES);
      } else if (Files.isRegularFile(Path.of(input)) && on.leads()) {
        MemoryCheck.requireHeap(
            input, MatrixMarket.open(Path.of(input)).header().rows(), ROW_BYTES);
      }
    } catch (MatrixMarketException e) {
      throw CommandFailure.usage(e.getMessage() + ".", "Correct the file.");
    } catch (IOException e) {
      throw CommandFailure.usage(
          input + " cannot be read: " + e.getMessage() + ".", "Name a Matrix Market file.");
    }
  }

  private SolveJob job(SolveOptions options) {
    return new SolveJob(
        input,
        method,
        preconditioner,
        travel.scheme(),
        travel.effort(),
        Optional.ofNullable(format),
        options,
        Optional.ofNullable(rightHandSide),
        Optional.ofNullable(out),
        seed,
        device.isHost() ? Optional.empty() : Optional.of(device.find()),
        Main.of(spec.commandLine())::reached);
  }

  private void record(SolveJob.Outcome outcome, int ranks) {
    if (RunRecord.isOn()) {
      String name = method.name().toLowerCase(Locale.ROOT) + ", " + outcome.preconditioner();
      RunRecord.curve(name, outcome.result().history(), tolerance);
      RunRecord.measured(
          "matrix product, halos included",
          2.0 * outcome.entries() * outcome.products(),
          (double) outcome.productBytes() * outcome.products(),
          outcome.productSeconds());
      RunRecord.limits(MachineLimits.current());
      RunRecord.results(table(outcome, ranks));
    }
  }

  private void report(SolveJob.Outcome outcome, int ranks) {
    record(outcome, ranks);
    if (plot != null) {
      try {
        Plot curves = new Plot("convergence", "iteration", "residual").logarithmic();
        String name = method.name().toLowerCase(Locale.ROOT);
        curves.curve(name, outcome.result().history()).level("tolerance", tolerance);
        WholeFile.write(plot, curves.png(720, 420));
      } catch (IOException e) {
        throw CommandFailure.failed(e.getMessage() + ".", "Name another file with --plot.");
      }
    }
    if (json) {
      spec.commandLine().getOut().println(Json.writeIndented(document(outcome, ranks)));
    } else {
      spec.commandLine().getOut().print(table(outcome, ranks));
    }
  }

  private Map<String, Object> document(SolveJob.Outcome outcome, int ranks) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("system", input);
    document.put("rows", outcome.rows());
    document.put("entries", outcome.entries());
    document.put("ranks", ranks);
    document.put("comm", on.comm());
    document.put("solver", method.name().toLowerCase(Locale.ROOT));
    document.put("precond", outcome.preconditioner());
    document.put("converged", outcome.result().converged());
    document.put("reason", outcome.result().reason().name().toLowerCase(Locale.ROOT));
    document.put("detail", outcome.result().detail());
    document.put("iterations", outcome.result().iterations());
    document.put("residual", outcome.result().residual());
    document.put("trueResidual", outcome.result().trueResidual());
    document.put("seconds", outcome.solveSeconds());
    document.put("readSeconds", outcome.readSeconds());
    document.put("setupSeconds", outcome.setupSeconds());
    document.put("productSeconds", outcome.productSeconds());
    document.put("scheme", outcome.scheme());
    document.put("format", outcome.format().name().toLowerCase(Locale.ROOT));
    document.put("exchangedBytes", outcome.exchangedBytes());
    document.put("productBytesPerSecond", productRate(outcome));
    document.put("machineBytesPerSecond", outcome.machineBytesPerSecond());
    document.put("history", outcome.result().history());
    return document;
  }

  private static double productRate(SolveJob.Outcome outcome) {
    return outcome.productBytes() * (double) outcome.products() / outcome.productSeconds();
  }

  private Table table(SolveJob.Outcome outcome, int ranks) {
    Table table =
        Table.withoutHeader(2)
            .row(
                "System",
                "%s: %,d rows, %,d entries".formatted(input, outcome.rows(), outcome.entries()))
            .row("Ranks", ranks + ", " + on.describe() + "; halos by " + outcome.scheme())
            .row(
                "Solver",
                method.name().toLowerCase(Locale.ROOT)
                    + ", preconditioner "
                    + outcome.preconditioner()
                    + ", format "
                    + outcome.format())
            .row("Result", outcome.result().toString())
            .row(
                "Check",
                String.format(
                    Locale.ROOT, "|b - Ax| / |b| is %.3e", outcome.result().trueResidual()))
            .row(
                "Time",
                String.format(
                    Locale.ROOT,
                    "%.2f s reading, %.2f s setting up, %.2f s solving of which %.2f s products",
                    outcome.readSeconds(),
                    outcome.setupSeconds(),
                    outcome.solveSeconds(),
                    outcome.productSeconds()))
            .row(
                "Iteration",
                String.format(
                    Locale.ROOT,
                    "%.3f ms",
                    1e3 * outcome.solveSeconds() / Math.max(1, outcome.result().iterations())))
            .row(
                "Exchanged", String.format(Locale.ROOT, "%.2f MB", outcome.exchangedBytes() * 1e-6))
            .row(
                "Products",
                String.format(
                    Locale.ROOT,
                    "%.1f GB/s; the machine moves %.1f GB/s",
                    productRate(outcome) * 1e-9,
                    outcome.machineBytesPerSecond() * 1e-9));
    if (out != null) {
      table.row("Solution", out.toString());
    }
    if (plot != null) {
      table.row("Plot", plot.toString());
    }
    return table;
  }
}
