package dev.rialto.cli;

import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.DeviceOption;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.option.FileChecks;
import dev.rialto.cli.option.MemoryCheck;
import dev.rialto.cli.option.SchemeOptions;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.fft.Engines;
import dev.rialto.fft.FourierPlan;
import dev.rialto.fft.FourierPlanBuilder;
import dev.rialto.fft.FourierSettings;
import dev.rialto.io.FileFormatException;
import dev.rialto.io.NpyFile;
import dev.rialto.runtime.trace.Phase;
import dev.rialto.runtime.trace.RunRecord;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.text.Json;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
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

/** {@code rialto fft}: transforms a NumPy file, a part of it on each rank. */
@Command(
    name = "fft",
    description = {
      "Transform the array in a NumPy file, as numpy.fft does.",
      "Each rank reads, holds and writes its part of the array only."
    })
final class FftCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "IN.npy", description = "The array to transform.")
  private Path in;

  @Parameters(index = "1", paramLabel = "OUT.npy", description = "Where to write the result.")
  private Path out;

  @Option(names = "--inverse", description = "Transform back; the result is divided by the points.")
  private boolean inverse;

  @Option(
      names = "--real",
      description = "From reals to the first half of their spectrum, or with --inverse back.")
  private boolean real;

  @Option(
      names = "--odd",
      description = "With --real --inverse: the real array has an odd number of points.")
  private boolean odd;

  @Option(
      names = "--axes",
      split = ",",
      paramLabel = "AXIS",
      description = "The axes to transform (default: all).")
  private int @Nullable [] axes;

  @Mixin private RankOptions on;

  @Mixin private DeviceOption device;

  @Mixin private SchemeOptions travel;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      defaultValue = Engines.EMBEDDED,
      description = "What transforms lines: java or fftw (default: ${DEFAULT-VALUE}).")
  private String engine;

  @Option(
      names = "--settings",
      paramLabel = "FILE",
      description = "Settings that '${ROOT-COMMAND-NAME} tune fft' wrote.")
  private @Nullable Path settings;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    int _ = on.check();
    var _ = device.find();
    travel.check();
    var _ = Engines.get(engine); // A wrong name is said once, not by every rank.
    FileChecks.readable("IN.npy", in);
    FileChecks.readable("--settings", settings);
    FileChecks.writable("OUT.npy", out);
    FileChecks.apart("OUT.npy", out, "--settings", settings);
    try (Arena arena = Arena.ofConfined()) {
      // What is wrong with the input is said once, not by every rank.
      check(NpyFile.open(in, arena));
    } catch (FileFormatException e) {
      throw CommandFailure.usage(e.getMessage() + ".", e.remedy());
    } catch (IOException e) {
      throw CommandFailure.usage(in + " cannot be read.", "Name a NumPy file.");
    }
    Optional<Integer> launched = on.relaunch();
    if (launched.isPresent()) {
      return launched.get();
    }
    Map<String, Object> result;
    try (World world = on.open()) {
      result = world.call(this::transform).getFirst();
    } catch (CommunicationException e) {
      throw CommandFailure.ofRanks(e, "fft");
    }
    if (on.leads()) {
      result.forEach((name, value) -> RunRecord.result(name, value.toString()));
      if (json) {
        spec.commandLine().getOut().println(Json.writeIndented(result));
      }
    }
    return ExitCode.DONE;
  }

  private Map<String, Object> transform(Communicator ranked) throws IOException {
    Main.of(spec.commandLine()).reached("while planning");
    try (Arena arena = Arena.ofShared()) {
      NpyFile source = NpyFile.open(in, arena);
      try (FourierPlan plan = plan(ranked, source);
          ElementBar bar = new ElementBar(plan, ranked.rank())) {
        Grid from = inverse ? plan.outputGrid() : plan.inputGrid();
        Grid to = inverse ? plan.inputGrid() : plan.outputGrid();
        DType fromType = inverse ? plan.outputType() : plan.inputType();
        DType toType = inverse ? plan.inputType() : plan.outputType();
        MemorySegment part = arena.allocate(bytes(from, fromType, ranked.rank()), 64);
        MemorySegment result = arena.allocate(bytes(to, toType, ranked.rank()), 64);
        try (Phase _ = RunRecord.phase("read")) {
          source.read(from, ranked.rank(), fromType, part, n -> bar.add(n, "reading " + in));
        }
        long start = System.nanoTime();
        try (Phase _ = RunRecord.phase("transform")) {
          if (device.isHost()) {
            transform(plan, part, result);
          } else {
            onDevice(plan, device.find(), part, result);
          }
          ranked.barrier();
        }
        double seconds = (System.nanoTime() - start) * 1e-9;
        bar.add(bar.moved, "transformed");
        try (Phase _ = RunRecord.phase("write")) {
          NpyFile.save(out, ranked, toType, to, result, n -> bar.add(n, "writing " + out));
        }
        return document(from, to, ranked.size(), seconds);
      }
    }
  }

  /** Counts elements read, elements written, and as many for the transform in between. */
  private final class ElementBar implements AutoCloseable {
    /** The elements of a step that is shown. */
    private static final long BLOCK = 1 << 16;

    private final long moved;
    private final ProgressLine progress;
    private long done;
    private long shown;

    ElementBar(FourierPlan plan, int rank) {
      this.moved = plan.inputGrid().localCount(rank) + plan.outputGrid().localCount(rank);
      this.progress = ProgressLine.of(spec, "fft", "elements", 2 * moved, rank == 0);
    }

    void add(long elements, String what) {
      done += elements;
      if (done - shown >= BLOCK || done == 2 * moved) {
        progress.update(done, 2 * moved, what);
        shown = done;
      }
    }

    @Override
    public void close() {
      progress.close();
    }
  }

  private Map<String, Object> document(Grid from, Grid to, int ranks, double seconds) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("in", in.toString());
    document.put("out", out.toString());
    document.put("inputShape", from.shape().toString());
    document.put("outputShape", to.shape().toString());
    document.put("ranks", ranks);
    document.put("comm", on.comm());
    document.put("seconds", seconds);
    return document;
  }

  private void transform(FourierPlan plan, MemorySegment from, MemorySegment to) {
    if (inverse) {
      plan.inverse(from, to);
    } else {
      plan.forward(from, to);
    }
  }

  private void onDevice(FourierPlan plan, Device where, MemorySegment from, MemorySegment to) {
    try (Allocation source = where.memory().allocate(from.byteSize());
        Allocation target = where.memory().allocate(to.byteSize())) {
      where.transfer().copy(from, source.segment(), from.byteSize());
      transform(plan, source.segment(), target.segment());
      where.transfer().copy(target.segment(), to, to.byteSize());
    }
  }

  private static long bytes(Grid grid, DType type, int rank) {
    return Math.max(64, type.bytes(grid.localCount(rank)));
  }

  private void check(NpyFile source) {
    // Input and result, and complex where the file is real.
    MemoryCheck.require(in.toString(), source.shape().count(), 2L * source.type().size());
    if (source.type().kind() == DType.Kind.INTEGER
        || source.type() == DType.F16
        || source.shape().rank() == 0) {
      throw CommandFailure.usage(
          in + " has " + source.type() + " elements of shape (" + source.shape() + ").",
          "Save float32, float64, complex64 or complex128 with at least one axis:"
              + " numpy.save(name, array.astype(complex)).");
    }
    boolean complexFile = source.type().kind() == DType.Kind.COMPLEX;
    if (real && complexFile != inverse) {
      throw CommandFailure.usage(
          in + " has " + source.type() + " elements.",
          inverse
              ? "--real --inverse takes the complex half of a spectrum."
              : "--real takes float32 or float64.");
    }
    int rank = source.shape().rank();
    if (axes != null && Arrays.stream(axes).anyMatch(axis -> axis < -rank || axis >= rank)) {
      throw CommandFailure.usage(
          "--axes " + Arrays.toString(axes) + " of an array of shape " + source.shape() + ".",
          "Give axes from 0 to " + (rank - 1) + ".");
    }
  }

  private FourierPlan plan(Communicator ranked, NpyFile source) {
    DType precision =
        source.type() == DType.F32 || source.type() == DType.C64 ? DType.F32 : DType.F64;
    long[] extents = source.shape().extents();
    int[] chosen =
        axes == null
            ? null
            : Arrays.stream(axes).map(a -> Math.floorMod(a, extents.length)).toArray();
    if (real && inverse) {
      int last = chosen == null ? extents.length - 1 : Arrays.stream(chosen).max().orElse(0);
      extents[last] = 2 * (extents[last] - 1) + (odd ? 1 : 0);
    }
    FourierPlanBuilder builder =
        real ? FourierPlan.real(precision, extents) : FourierPlan.complex(precision, extents);
    if (chosen != null) {
      builder.axes(chosen);
    }
    builder.on(ranked);
    if (!device.isHost()) {
      builder.device(device.find());
    }
    if (settings != null) {
      return builder.settings(FourierSettings.load(settings)).build();
    }
    if (device.isHost()) {
      builder.engine(Engines.get(engine));
    }
    if (travel.isTuned()) {
      builder.tuned(travel.effort());
    } else if (!travel.isDefault()) {
      builder.scheme(travel.scheme());
    }
    return builder.build();
  }
}
