package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.tck.host.FftReference;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;

/** The least that transforms: sums as they are defined, one line after another. */
public final class FakeFft implements BackendProvider, FftEngine {
  @Override
  public String name() {
    return "fake-fft";
  }

  @Override
  public String description() {
    return "slow transforms";
  }

  @Override
  public Probe probe() {
    return new Probe.Available(List.of(), List.of());
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.FFT);
  }

  @Override
  public FftEngine fftEngine() {
    return this;
  }

  @Override
  public boolean supports(FftSpec spec) {
    return spec.length() <= 1000;
  }

  @Override
  public FftPlan plan(FftSpec spec) {
    if (!supports(spec)) {
      throw new UnsupportedOperationException(spec + " is longer than 1000 points");
    }
    return new Plan(spec);
  }

  private static final class Plan implements FftPlan {
    private final FftSpec spec;
    private volatile boolean closed;

    Plan(FftSpec spec) {
      this.spec = spec;
    }

    @Override
    public FftSpec spec() {
      return spec;
    }

    @Override
    public long workspaceBytes() {
      return 2 * spec.length() * Double.BYTES;
    }

    @Override
    public void execute(MemorySegment in, MemorySegment out, MemorySegment workspace) {
      if (closed) {
        throw new IllegalStateException("the plan is closed");
      }
      check(in, spec.inBytes());
      check(out, spec.outBytes());
      check(workspace, workspaceBytes());
      for (long plane = 0; plane < spec.planes(); plane++) {
        for (long line = 0; line < spec.lines(); line++) {
          transform(
              in,
              plane * spec.inPlane() + line * spec.inDistance(),
              out,
              plane * spec.outPlane() + line * spec.outDistance(),
              workspace);
        }
      }
    }

    private static void check(MemorySegment segment, long bytes) {
      if (bytes > segment.byteSize()) {
        throw new IndexOutOfBoundsException(bytes + " exceed " + segment.byteSize());
      }
    }

    private void transform(
        MemorySegment in, long from, MemorySegment out, long to, MemorySegment workspace) {
      int parts = spec.kind().complexInput() ? 2 : 1;
      double[] x = new double[(int) spec.inPoints() * parts];
      for (int i = 0; i < x.length; i++) {
        long at = from + i / parts * spec.inStride();
        x[i] = get(in, at * parts + i % parts);
      }
      double[] y = FftReference.transform(spec.kind(), (int) spec.length(), x);
      for (int i = 0; i < y.length; i++) {
        workspace.setAtIndex(ValueLayout.JAVA_DOUBLE, i, spec.scale() * y[i]);
      }
      parts = spec.kind().complexOutput() ? 2 : 1;
      for (int i = 0; i < y.length; i++) {
        long at = to + i / parts * spec.outStride();
        set(out, at * parts + i % parts, workspace.getAtIndex(ValueLayout.JAVA_DOUBLE, i));
      }
    }

    private double get(MemorySegment memory, long index) {
      return spec.precision() == DType.F64
          ? memory.getAtIndex(ValueLayout.JAVA_DOUBLE, index)
          : memory.getAtIndex(ValueLayout.JAVA_FLOAT, index);
    }

    private void set(MemorySegment memory, long index, double value) {
      if (spec.precision() == DType.F64) {
        memory.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
      } else {
        memory.setAtIndex(ValueLayout.JAVA_FLOAT, index, (float) value);
      }
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
