package dev.rialto.cli;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.fft.Engines;
import dev.rialto.fft.FourierPlan;
import dev.rialto.fft.FourierPlanBuilder;
import dev.rialto.fft.FourierSettings;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.text.ProgressBar;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
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
  /** How many elements are read or written at a time. */
  private static final long BLOCK = 1 << 18;

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

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      defaultValue = Engines.EMBEDDED,
      description = "What transforms lines: java or fftw (default: ${DEFAULT-VALUE}).")
  private String engine;

  @Option(
      names = "--settings",
      paramLabel = "FILE",
      description = "Settings that 'rialto tune fft' wrote.")
  private @Nullable Path settings;

  @Override
  public Integer call() throws IOException, InterruptedException {
    int _ = on.check();
    var _ = device.find();
    try (Arena arena = Arena.ofConfined()) {
      // What is wrong with the input is said once, not by every rank.
      check(NpyFile.open(in, arena));
    }
    Optional<Integer> launched = on.relaunch();
    if (launched.isPresent()) {
      return launched.get();
    }
    boolean quiet = Main.of(spec.commandLine()).quiet();
    try (World world = on.open()) {
      world.run(ranked -> transform(ranked, quiet || ranked.rank() > 0));
    }
    return ExitCode.DONE;
  }

  private void transform(Communicator ranked, boolean quiet) {
    try (Arena arena = Arena.ofShared()) {
      NpyFile source = NpyFile.open(in, arena);
      try (FourierPlan plan = plan(ranked, source);
          Progress progress = new Progress(plan, ranked.rank(), quiet)) {
        Grid from = inverse ? plan.outputGrid() : plan.inputGrid();
        Grid to = inverse ? plan.inputGrid() : plan.outputGrid();
        DType fromType = inverse ? plan.outputType() : plan.inputType();
        DType toType = inverse ? plan.inputType() : plan.outputType();
        // One rank makes the file, the others find it.
        if (ranked.rank() == 0) {
          try (Arena first = Arena.ofConfined()) {
            var _ = NpyFile.create(out, toType, to.shape(), first);
          }
        }
        MemorySegment part = arena.allocate(bytes(from, fromType, ranked.rank()), 64);
        MemorySegment result = arena.allocate(bytes(to, toType, ranked.rank()), 64);
        forEachRun(
            from,
            ranked.rank(),
            (at, e, n) -> {
              source.read(e, n, fromType, part, at);
              progress.add(n, "reading " + in);
            });
        if (device.isHost()) {
          transform(plan, part, result);
        } else {
          onDevice(plan, device.find(), part, result);
        }
        progress.add(progress.transform, "transformed");
        ranked.barrier();
        NpyFile target = NpyFile.reopen(out, arena);
        forEachRun(
            to,
            ranked.rank(),
            (at, e, n) -> {
              target.write(result, at, e, n);
              progress.add(n, "writing " + out);
            });
        ranked.barrier();
      }
    }
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

  /**
   * Counts elements, block by block: those read, those written, and as many for the transform in
   * between.
   */
  private static final class Progress implements AutoCloseable {
    private final long transform;
    private final ProgressBar bar;
    private long done;
    private long shown;

    Progress(FourierPlan plan, int rank, boolean quiet) {
      this.transform = plan.inputGrid().localCount(rank) + plan.outputGrid().localCount(rank);
      this.bar = ProgressBar.toStandardError("fft", 2 * transform, quiet);
    }

    void add(long elements, String what) {
      done += elements;
      if (done - shown >= BLOCK) {
        bar.update(done, what);
        shown = done;
      }
    }

    @Override
    public void close() {
      bar.close();
    }
  }

  private static long bytes(Grid grid, DType type, int rank) {
    return Math.max(64, type.bytes(grid.localCount(rank)));
  }

  private void check(NpyFile source) {
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
    if (settings != null) {
      return builder.on(ranked).settings(FourierSettings.load(settings)).build();
    }
    return device.isHost()
        ? builder.on(ranked).engine(Engines.get(engine)).build()
        : builder.on(ranked).device(device.find()).build();
  }

  private interface RunCopy {
    void copy(long local, long element, long count);
  }

  /** Visits the neighbouring elements that a rank has, block by block, with their places there. */
  private static void forEachRun(Grid grid, int rank, RunCopy copy) {
    Shape local = grid.localShape(rank);
    if (local.count() == 0) {
      return;
    }
    int axes = local.rank();
    long[] first = new long[axes];
    int rest = rank;
    for (int axis = axes - 1; axis >= 0; axis--) {
      first[axis] = grid.axis(axis).first(rest % grid.axis(axis).parts());
      rest /= grid.axis(axis).parts();
    }
    long length = local.extent(axes - 1);
    for (long run = 0; run < local.count() / length; run++) {
      long element = first[axes - 1];
      long index = run;
      long stride = grid.shape().extent(axes - 1);
      for (int axis = axes - 2; axis >= 0; axis--) {
        element += (first[axis] + index % local.extent(axis)) * stride;
        index /= local.extent(axis);
        stride *= grid.shape().extent(axis);
      }
      for (long at = 0; at < length; at += BLOCK) {
        copy.copy(run * length + at, element + at, Math.min(BLOCK, length - at));
      }
    }
  }
}
