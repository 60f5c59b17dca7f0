package dev.rialto.cli;

import dev.rialto.cli.demo.DemoPicture;
import dev.rialto.cli.demo.DemoText;
import dev.rialto.cli.demo.PoissonJob;
import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.DeviceOption;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.fft.Engines;
import dev.rialto.runtime.limits.MachineLimits;
import dev.rialto.runtime.trace.RunRecord;
import dev.rialto.spi.World;
import dev.rialto.spi.error.BackendException;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.system.files.WholeFile;
import dev.rialto.text.Json;
import dev.rialto.text.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rialto demo}: Poisson's equation on several ranks, solved twice and compared. */
@Command(
    name = "demo",
    description = {
      "Solve Poisson's equation in a periodic cube on several ranks.",
      "It is solved by Fourier transforms and by conjugate gradients; both are compared with the"
          + " exact solution, and what they took is told."
    })
final class DemoCommand implements Callable<Integer>, AlwaysRecorded {
  private static final int SMALLEST = 4;
  private static final int LARGEST = 1024;

  /** Assembling a matrix takes so much of the heap for each point, for a while. */
  private static final long HEAP_PER_POINT = 700;

  @Spec private CommandSpec spec;

  @Option(
      names = "--grid",
      paramLabel = "N",
      defaultValue = "128",
      description = "Points along each edge of the cube (default: ${DEFAULT-VALUE}).")
  private int grid;

  @Mixin private RankOptions on;

  @Mixin private DeviceOption device;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      description = "What transforms lines, such as java or fftw (default: java).")
  private @Nullable String engine;

  @Option(
      names = "--scheme",
      paramLabel = "NAME",
      defaultValue = PoissonJob.TUNED,
      description = "How data moves between ranks, such as shared (default: ${DEFAULT-VALUE}).")
  private String scheme;

  @Option(
      names = "--effort",
      paramLabel = "NAME",
      defaultValue = "measure",
      description = "What tuning may take: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Effort effort;

  @Option(
      names = "--tol",
      paramLabel = "X",
      defaultValue = "1e-8",
      description = "The residual that conjugate gradients reach (default: ${DEFAULT-VALUE}).")
  private double tolerance;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Where the charges are (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = ".",
      description = "The folder for picture, trace and report (default: the current one).")
  private Path out;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public void check() {
    check(on.check());
  }

  @Override
  public Path defaultTrace() {
    return out.resolve("rialto-demo.trace.json").normalize();
  }

  @Override
  public Path defaultReport() {
    return out.resolve("rialto-demo.html").normalize();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Main.of(spec.commandLine()).reached("while measuring what the processor can do");
    // Measured before ranks start, which would disturb it; afterwards it is known.
    MachineLimits limits = MachineLimits.of(cores(Math.max(1, on.check())));
    Optional<Integer> code = on.relaunch();
    return code.isPresent() ? code.get() : runOnRanks(limits);
  }

  private int runOnRanks(MachineLimits measured) {
    Main main = Main.of(spec.commandLine());
    PoissonJob job =
        new PoissonJob(
            grid,
            seed,
            engine,
            scheme,
            effort,
            tolerance,
            main.cancellation(),
            device.isHost() ? Optional.empty() : Optional.of(device.find()));
    PoissonJob.Outcome outcome;
    int ranks;
    try (World world = on.open();
        PhaseBars bars = new PhaseBars(main, main.quiet() || !on.leads())) {
      ranks = world.size();
      check(ranks);
      outcome = world.call(comm -> job.run(comm, bars)).getFirst();
    } catch (CommunicationException e) {
      throw CommandFailure.ofRanks(e, "demo");
    }
    if (!on.leads()) {
      return outcome.complete() ? ExitCode.DONE : ExitCode.INTERRUPTED;
    }
    MachineLimits limits =
        measured.threads() == cores(ranks) ? measured : MachineLimits.of(cores(ranks));
    return report(job, outcome, new DemoText(job, outcome, ranks, on.describe(), limits));
  }

  private int report(PoissonJob job, PoissonJob.Outcome outcome, DemoText text) {
    PrintWriter printer = spec.commandLine().getOut();
    Path picture = out.resolve("rialto-demo.png");
    byte[] png = DemoPicture.draw(job, outcome);
    write(picture, png);
    RunRecord.picture("Charges and potential in the middle plane, and residuals", png);
    text.file(picture.normalize(), "charges, potential, residuals");
    Main main = Main.of(spec.commandLine());
    if (main.trace() != null) {
      text.file(main.trace(), "every exchange of every rank: open it at ui.perfetto.dev");
    }
    // Ranks that are processes leave the page to who started them.
    if (main.report() != null || RankOptions.launchedRank().isPresent()) {
      text.file(
          main.report() == null ? defaultReport() : main.report(),
          "all of this and more, on a page");
    }
    text.record();
    if (json) {
      printer.println(Json.writeIndented(text.document()));
    } else {
      printer.print(text.text());
    }
    if (!outcome.complete()) {
      return ExitCode.INTERRUPTED;
    }
    if (!outcome.gradients().orElseThrow().result().converged()) {
      throw CommandFailure.notConverged(
          "Conjugate gradients stopped: " + outcome.gradients().orElseThrow().result() + ".",
          "Give a larger --tol than " + tolerance + ", or a scheme that loses nothing.");
    }
    if (!text.agrees()) {
      throw CommandFailure.failed(
          "The two solutions differ by more than the tolerance explains.",
          "With a scheme that loses digits that is so; otherwise please report it.");
    }
    return ExitCode.DONE;
  }

  private static int cores(int ranks) {
    return Math.min(ranks, Runtime.getRuntime().availableProcessors());
  }

  private void check(int ranks) {
    if (!device.isHost() && engine != null) {
      throw CommandFailure.usage(
          "--engine " + engine + " does not go with --device " + device.name() + ".",
          "A device has an engine of its own: leave one of them out.");
    }
    if (grid < SMALLEST || grid > LARGEST) {
      throw CommandFailure.usage(
          "--grid " + grid + " is not from " + SMALLEST + " to " + LARGEST + ".",
          "Give the points along an edge.");
    }
    if (ranks > grid) {
      throw CommandFailure.usage(
          "--ranks " + ranks + " is more than --grid " + grid + " points can be divided among.",
          "Give at most as many ranks as points along an edge.");
    }
    if (!(tolerance > 0 && tolerance < 1)) {
      throw CommandFailure.usage(
          "--tol " + tolerance + " is not between 0 and 1.", "Give a number such as 1e-8.");
    }
    checkMemory(Math.max(ranks, 1));
    checkNames();
    if (!Files.isDirectory(out) || !Files.isWritable(out)) {
      throw CommandFailure.usage(
          "--out " + out + " is not a folder that can be written to.", "Make it, or name another.");
    }
  }

  private void checkMemory(int ranks) {
    long here = (long) grid * grid * grid / (on.sharesProcess() ? 1 : ranks);
    long most = Runtime.getRuntime().maxMemory();
    if (here * HEAP_PER_POINT > most) {
      long fits = (long) Math.cbrt((double) grid * grid * grid / here * most / HEAP_PER_POINT);
      throw CommandFailure.usage(
          "--grid %d needs about %s of Java's heap, which has %s."
              .formatted(grid, Machine.bytes(here * HEAP_PER_POINT), Machine.bytes(most)),
          "Give at most --grid " + fits + ", or more memory with RIALTO_JAVA_OPTS=-Xmx32g.");
    }
  }

  private void checkNames() {
    try {
      if (!scheme.equals(PoissonJob.TUNED)) {
        var _ = Scheme.parse(scheme);
      }
      if (engine != null) {
        var _ = Engines.get(engine);
      }
    } catch (IllegalArgumentException | UnsupportedOperationException | BackendException e) {
      throw CommandFailure.usage(e.getMessage() + ".", "See 'rialto demo --help'.");
    }
  }

  private static void write(Path file, byte[] content) {
    try {
      WholeFile.write(file, content);
    } catch (IOException e) {
      throw CommandFailure.failed(e.getMessage() + ".", "Name another folder with --out.");
    }
  }
}
