package dev.rialto.cli;

import dev.rialto.array.Team;
import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.DeviceOption;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.option.FileChecks;
import dev.rialto.cli.option.MemoryCheck;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.codec.Codecs;
import dev.rialto.exchange.kernel.DevicePacking;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.exchange.tune.TuningChoice;
import dev.rialto.fft.FourierPlan;
import dev.rialto.fft.FourierSettings;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.trace.RunRecord;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.system.files.TuningCache;
import dev.rialto.text.Json;
import dev.rialto.text.Machine;
import dev.rialto.text.Table;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rialto tune}: which scheme and process grid is fastest here. */
@Command(
    name = "tune",
    description = {
      "Time the schemes that can carry an exchange out here, and remember the fastest.",
      "transpose: X to Y to Z and back, over all process grids.",
      "halo: one layer on each side.",
      "fft: a complex transform and back, with --settings for '${ROOT-COMMAND-NAME} fft' to use."
    })
final class TuneCommand implements Callable<Integer> {
  private enum Kind {
    TRANSPOSE,
    HALO,
    FFT
  }

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "WHAT", description = "What to tune: transpose, halo or fft.")
  private Kind kind;

  @Option(
      names = "--shape",
      paramLabel = "NxNxN",
      defaultValue = "128x128x128",
      description = "The global array (default: ${DEFAULT-VALUE}).")
  private String shapeText;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      defaultValue = "C128",
      description = "The elements: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private DType type;

  @Mixin private RankOptions on;

  @Mixin private DeviceOption device;

  @Option(
      names = "--effort",
      paramLabel = "NAME",
      defaultValue = "measure",
      description = "What tuning may take: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Effort effort;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "The most time for one answer (default: ${DEFAULT-VALUE}).")
  private long seconds;

  @Option(
      names = "--codec",
      split = ",",
      paramLabel = "CODEC",
      description = {
        "Also try schemes with these codecs: lz4, zstd, cast:BOUND, zfp:BOUND.",
        "What is timed is an array of one value, which any codec shortens well."
      })
  private List<String> codecs = List.of();

  @Option(names = "--fresh", description = "Time again, also what is remembered.")
  private boolean fresh;

  @Option(
      names = "--settings",
      paramLabel = "FILE",
      description = "fft: write the fastest settings to a file.")
  private @Nullable Path settings;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Shape shape = checked();
    Optional<Integer> done = on.relaunch();
    if (done.isPresent()) {
      return done.get();
    }
    if (kind == Kind.FFT) {
      return fft(shape);
    }
    Tuned tuned;
    try (World world = on.open();
        ProgressLine bar = ProgressLine.of(spec, "tune", "trials", 0, on.leads())) {
      tuned = world.call(comm -> tune(comm, shape, bar)).getFirst();
    } catch (CommunicationException e) {
      throw CommandFailure.ofRanks(e, "tune");
    }
    if (on.leads()) {
      RunRecord.result("Fastest", tuned.way().toString());
      spec.commandLine().getOut().print(json ? json(tuned) : text(tuned));
    }
    return code();
  }

  private int code() {
    return interrupted() ? ExitCode.INTERRUPTED : ExitCode.DONE;
  }

  private boolean interrupted() {
    return Main.of(spec.commandLine()).cancellation().isCancelled();
  }

  /** Says how the answer was found, for a reader who must not take it for the whole one. */
  private void mark(Map<String, Object> document) {
    if (interrupted()) {
      document.put("interrupted", true);
    }
  }

  private Shape checked() {
    Shape shape;
    try {
      shape = Shape.parse(shapeText);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(
          "--shape " + shapeText + " is not a shape.", "Give extents such as 256x256x256.");
    }
    int _ = on.check();
    var _ = device.find();
    // What is sent and what is received.
    MemoryCheck.require("--shape " + shapeText, shape.count(), 2L * type.size());
    FileChecks.writable("--settings", settings);
    try {
      codecs.forEach(Codecs::parse);
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      throw CommandFailure.usage(
          "--codec " + String.join(",", codecs) + ": " + e.getMessage() + ".", "");
    }
    if (shape.rank() > 3 || (kind == Kind.TRANSPOSE && shape.rank() < 2)) {
      throw CommandFailure.usage(
          "--shape " + shapeText + " has " + shape.rank() + " axes.", "Give two or three.");
    }
    return shape;
  }

  /** Tunes whole plans; they are not remembered but written where asked. */
  private int fft(Shape shape) {
    DType precision = type == DType.C64 || type == DType.F32 ? DType.F32 : DType.F64;
    List<FourierSettings> all;
    try (World world = on.open();
        ProgressLine bar = ProgressLine.of(spec, "tune fft", "trials", 0, on.leads())) {
      all =
          world
              .call(
                  ranked -> {
                    var plan = FourierPlan.complex(precision, shape.extents()).on(ranked);
                    if (!device.isHost()) {
                      plan.device(device.find());
                    }
                    return ranked.rank() == 0
                        ? plan.tune(effort, Duration.ofSeconds(seconds), bar)
                        : plan.tune(effort, Duration.ofSeconds(seconds));
                  })
              .getFirst();
    } catch (CommunicationException e) {
      throw CommandFailure.ofRanks(e, "tune");
    }
    if (on.leads()) {
      if (settings != null) {
        save(all.getFirst(), settings);
      }
      FourierSettings best = all.getFirst();
      RunRecord.result("Fastest", best.schemeText() + " on grid " + best.gridText());
      spec.commandLine().getOut().print(json ? fftJson(all) : fftText(all));
    }
    return code();
  }

  private static void save(FourierSettings best, Path file) {
    try {
      best.save(file);
    } catch (UncheckedIOException e) {
      throw CommandFailure.failed(e.getMessage() + ".", "Name another file with --settings.");
    }
  }

  private String fftText(List<FourierSettings> all) {
    Table table = Table.of("scheme", "grid", "moves", "engine", "ms").alignRight(4);
    for (FourierSettings each : all) {
      table.row(
          each.schemeText(),
          each.gridText(),
          each.slabs() ? "few" : "one per axis",
          each.engine(),
          each.seconds() > 0
              ? String.format(Locale.ROOT, "%.3f", each.seconds() * 1e3)
              : "not timed");
    }
    FourierSettings best = all.getFirst();
    return table
        + "\nFastest: %s on grid %s%s%n"
            .formatted(
                best.schemeText(),
                best.gridText(),
                settings == null ? "" : "; written to " + settings);
  }

  private String fftJson(List<FourierSettings> all) {
    List<Map<String, Object>> candidates = new ArrayList<>();
    for (FourierSettings each : all) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("scheme", each.schemeText());
      row.put("grid", each.gridText());
      row.put("slabs", each.slabs());
      row.put("engine", each.engine());
      row.put("seconds", each.seconds());
      candidates.add(row);
    }
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("winner", all.getFirst().schemeText());
    document.put("grid", all.getFirst().gridText());
    document.put("candidates", candidates);
    mark(document);
    return Json.writeIndented(document) + "\n";
  }

  private Tuned tune(Communicator ranked, Shape shape, ProgressLine bar) {
    // Peers may read an array until the exchanger is closed.
    try (Arena arena = Arena.ofConfined();
        DevicePacking there = device.isHost() ? null : DevicePacking.on(Devices.of(device.find()));
        Team team = Team.on(ranked)) {
      Exchanger exchanger = there == null ? team.exchanger() : team.exchanger().with(there);
      Tuner tuner =
          new Tuner(exchanger).effort(effort).limit(Duration.ofSeconds(seconds)).codecs(codecs);
      if (ranked.rank() == 0) {
        tuner.progress(bar);
      }
      if (!fresh) {
        Machine machine = Machine.current();
        tuner.remember(
            TuningCache.standard(),
            "%s %d cores, JDK %s, %s %s"
                .formatted(
                    machine.cpu(),
                    machine.cores(),
                    machine.jdk(),
                    device.name(),
                    device.find().properties().fingerprint()));
      }
      return kind == Kind.TRANSPOSE
          ? tuner.transpose(shape, type)
          : halo(tuner, ranked, shape, bytes -> exchanger.options().kernels().array(bytes, arena));
    }
  }

  private Tuned halo(
      Tuner tuner, Communicator ranked, Shape shape, LongFunction<MemorySegment> allocator) {
    int[] parts = new int[shape.rank()];
    Arrays.fill(parts, 1);
    parts[0] = ranked.size();
    Grid grid = Grid.block(shape, parts);
    Halo.Stencil stencil = Halo.Stencil.of(shape.rank(), 1, true, false);
    ExchangePlan plan = Halo.stencil(grid, stencil, ranked.rank());
    MemorySegment array = allocator.apply(Math.max(type.bytes(plan.inputCount()), 64));
    return tuner.plan(plan, type, array, array);
  }

  private String text(Tuned tuned) {
    StringBuilder out = new StringBuilder();
    if (!tuned.candidates().isEmpty()) {
      Table table = Table.of("scheme", "grid", "memory", "messages", "tiles", "ms").alignRight(5);
      for (Tuned.Candidate each : tuned.candidates()) {
        table.row(
            each.way().schemeText(),
            each.way().grid(),
            each.way().memory().name().toLowerCase(Locale.ROOT),
            each.way().messages().name().toLowerCase(Locale.ROOT),
            each.way().tile(),
            String.format(Locale.ROOT, "%.3f", each.seconds() * 1e3)
                + (each.timed() ? "" : " (estimate)"));
      }
      out.append(table).append('\n');
    }
    return out.append("Fastest: ")
        .append(tuned.way().schemeText())
        .append(
            tuned.way().grid().equals("-")
                ? ""
                : " on grid %s, memory order %s, tiles %s"
                    .formatted(
                        tuned.way().grid(),
                        tuned.way().memory().name().toLowerCase(Locale.ROOT),
                        tuned.way().tile()))
        .append(tuned.remembered() ? " (remembered; --fresh times again)" : "")
        .append('\n')
        .toString();
  }

  private String json(Tuned tuned) {
    List<Map<String, Object>> candidates = new ArrayList<>();
    for (Tuned.Candidate each : tuned.candidates()) {
      Map<String, Object> row = new LinkedHashMap<>();
      describe(row, each.way());
      row.put("seconds", each.seconds());
      row.put("timed", each.timed());
      candidates.add(row);
    }
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("winner", tuned.way().schemeText());
    document.put("grid", tuned.way().grid());
    document.put("memory", tuned.way().memory());
    document.put("tile", tuned.way().tile());
    document.put("remembered", tuned.remembered());
    document.put("candidates", candidates);
    mark(document);
    return Json.writeIndented(document) + "\n";
  }

  private static void describe(Map<String, Object> row, TuningChoice way) {
    row.put("scheme", way.schemeText());
    row.put("grid", way.grid());
    row.put("memory", way.memory());
    row.put("messages", way.messages());
    row.put("tile", way.tile());
  }
}
