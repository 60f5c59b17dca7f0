package dev.rialto.cli;

import dev.rialto.cli.demo.Heat;
import dev.rialto.cli.demo.HeatPicture;
import dev.rialto.spi.World;
import dev.rialto.text.Json;
import dev.rialto.text.ProgressBar;
import dev.rialto.text.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rialto demo}: heat spreading in a cube that is divided among ranks. */
@Command(
    name = "demo",
    description = "Compute how heat spreads in a cube, on several ranks, and check the result.")
final class DemoCommand implements Callable<Integer> {
  /** What rounding may add to a value of size 3 in a thousand steps. */
  private static final double ROUNDING = 1e-11;

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
      names = "--steps",
      paramLabel = "N",
      defaultValue = "400",
      description = "Time steps (default: ${DEFAULT-VALUE}).")
  private int steps;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      defaultValue = "rialto-demo.png",
      description = "Where to write the picture (default: ${DEFAULT-VALUE}).")
  private Path out;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  /** As many as were asked for; once they run, as many as there are. */
  private int ranks;

  @Override
  public Integer call() throws Exception {
    check();
    Optional<Integer> code = on.relaunch();
    return code.isPresent() ? code.get() : runOnRanks();
  }

  private int runOnRanks() {
    Heat heat = new Heat(grid, steps);
    Heat.Result result;
    boolean quiet = Main.of(spec.commandLine()).quiet() || !on.leads();
    try (World world = on.open();
        ProgressBar bar = ProgressBar.toStandardError("heat", steps, quiet)) {
      ranks = world.size();
      checkRanks();
      List<Heat.Result> results =
          world.call(comm -> heat.run(comm, step -> bar.update(step, "step " + step)));
      result = results.getFirst();
    }
    if (!on.leads()) {
      return ExitCode.DONE;
    }
    write(HeatPicture.draw(result.before(), result.after()));
    boolean right = result.schemeError() <= ROUNDING;
    PrintWriter printer = spec.commandLine().getOut();
    if (json) {
      printer.println(Json.writeIndented(document(heat, result, right)));
    } else {
      printer.print(table(heat, result));
    }
    if (!right) {
      throw CommandFailure.failed(
          "The result differs from the exact one by " + result.schemeError() + ".",
          "More than rounding explains (" + ROUNDING + "): please report this.");
    }
    return ExitCode.DONE;
  }

  private void check() {
    ranks = on.check();
    device.requireHost("rialto demo");
    if (grid < 2 || grid > 1000) {
      throw CommandFailure.usage(
          "--grid " + grid + " is not from 2 to 1000.", "Give the points along an edge.");
    }
    if (steps < 1) {
      throw CommandFailure.usage("--steps " + steps + " is too few.", "Give at least 1.");
    }
    checkRanks();
    if (!Files.isDirectory(out.toAbsolutePath().getParent())) {
      throw CommandFailure.usage(
          "--out " + out + " lies in a folder that does not exist.", "Make it, or name another.");
    }
  }

  private void checkRanks() {
    if (ranks > grid) {
      throw CommandFailure.usage(
          "--ranks " + ranks + " is more than --grid " + grid + " points can be divided among.",
          "Give at most as many ranks as points along an edge.");
    }
  }

  private void write(byte[] picture) {
    try {
      Files.write(out, picture);
    } catch (IOException e) {
      throw CommandFailure.usage(
          "The picture cannot be written to " + out + ".", "Name a file that can, with --out.");
    }
  }

  private double updatesPerSecond(Heat.Result result) {
    return (double) grid * grid * grid * steps / result.seconds();
  }

  private Map<String, Object> document(Heat heat, Heat.Result result, boolean right) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("grid", grid);
    document.put("ranks", ranks);
    document.put("comm", on.comm());
    document.put("steps", steps);
    document.put("time", heat.time());
    document.put("seconds", result.seconds());
    document.put("updatesPerSecond", updatesPerSecond(result));
    document.put("bytesPerStep", result.bytesPerStep());
    document.put("schemeError", result.schemeError());
    document.put("error", result.error());
    document.put("right", right);
    document.put("picture", out.toString());
    return document;
  }

  private Table table(Heat heat, Heat.Result result) {
    return Table.withoutHeader(2)
        .row("Problem", "heat in a cube of " + grid + "^3 points, " + steps + " steps")
        .row("Ranks", ranks + ", " + on.describe() + "; faces travel while the inside is computed")
        .row("Time", String.format(Locale.ROOT, "%.2f s", result.seconds()))
        .row(
            "Speed",
            String.format(
                Locale.ROOT, "%.0f million points per second", updatesPerSecond(result) / 1e6))
        .row("Exchanged", result.bytesPerStep() / 1024 + " KiB per step")
        .row(
            "Check",
            String.format(
                Locale.ROOT,
                "%.1e from the scheme's exact answer, %.1e from the differential equation's",
                result.schemeError(),
                result.error()))
        .row(
            "Picture",
            out
                + " (before and after, t = "
                + String.format(Locale.ROOT, "%.4f", heat.time())
                + ")");
  }
}
