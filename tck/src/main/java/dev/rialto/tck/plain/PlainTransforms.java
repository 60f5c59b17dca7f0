package dev.rialto.tck.plain;

import dev.rialto.spi.fft.FftBox;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftEngine.Work;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The transforms of {@link PlainDevice}: an engine of the host's, and boxes axis by axis. */
final class PlainTransforms implements FftEngine {
  private final FftEngine lines;

  PlainTransforms(FftEngine lines) {
    this.lines = lines;
  }

  @Override
  public String name() {
    return "plain";
  }

  @Override
  public boolean supports(FftSpec spec) {
    return lines.supports(spec);
  }

  @Override
  public FftPlan plan(FftSpec spec) {
    FftPlan plan = lines.plan(spec);
    return new FftPlan() {
      @Override
      public FftSpec spec() {
        return spec;
      }

      @Override
      public long workspaceBytes() {
        return plan.workspaceBytes();
      }

      @Override
      public void execute(MemorySegment in, MemorySegment out, MemorySegment workspace) {
        plan.execute(
            PlainDevice.seen(in, spec.inBytes()),
            PlainDevice.seen(out, spec.outBytes()),
            PlainDevice.seen(workspace, workspaceBytes()));
      }

      @Override
      public void close() {
        plan.close();
      }
    };
  }

  /** Takes complex arrays; what is real goes line by line. */
  @Override
  public Optional<Work> plan(FftBox box) {
    if (!box.kind().complexInput() || !box.kind().complexOutput()) {
      return Optional.empty();
    }
    List<FftPlan> axes = new ArrayList<>();
    long before = box.batch();
    long after = box.points();
    for (long n : box.extents()) {
      after /= n;
      axes.add(
          lines.plan(
              new FftSpec(box.kind(), box.precision(), n, after, after, 1, after, 1)
                  .withPlanes(before, n * after, n * after)
                  .withScale(after == 1 ? box.scale() : 1)));
      before *= n;
    }
    return Optional.of(
        new Work() {
          @Override
          public long workspaceBytes() {
            return 0;
          }

          @Override
          public void execute(MemorySegment in, MemorySegment out, MemorySegment workspace) {
            MemorySegment result = PlainDevice.seen(out, box.outBytes());
            MemorySegment.copy(PlainDevice.seen(in, box.inBytes()), 0, result, 0, box.inBytes());
            try (Arena arena = Arena.ofConfined()) {
              for (FftPlan axis : axes) {
                axis.execute(result, result, arena.allocate(axis.workspaceBytes() + 1, 64));
              }
            }
          }

          @Override
          public void close() {
            axes.forEach(FftPlan::close);
          }
        });
  }
}
