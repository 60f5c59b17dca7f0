package dev.rialto.fft;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import java.lang.foreign.MemorySegment;

/**
 * An engine that only copies lines: what a plan allocates by itself is seen with it, also before
 * the compiler has removed the vectors of the embedded engine.
 */
final class PlainLines implements FftEngine {
  @Override
  public String name() {
    return "plain";
  }

  @Override
  public boolean supports(FftSpec spec) {
    return spec.inType() == spec.outType();
  }

  @Override
  public FftPlan plan(FftSpec spec) {
    return new FftPlan() {
      @Override
      public FftSpec spec() {
        return spec;
      }

      @Override
      public long workspaceBytes() {
        return 0;
      }

      @Override
      public void execute(MemorySegment in, MemorySegment out, MemorySegment workspace) {
        execute(in, 0, out, 0, workspace);
      }

      @Override
      public void execute(
          MemorySegment in, long from, MemorySegment out, long to, MemorySegment workspace) {
        for (long i = 0; i < spec.lines() * spec.planes() * spec.length(); i++) {
          long line = i / spec.length();
          long plane = line / spec.lines();
          long source =
              plane * spec.inPlane()
                  + line % spec.lines() * spec.inDistance()
                  + i % spec.length() * spec.inStride();
          long target =
              plane * spec.outPlane()
                  + line % spec.lines() * spec.outDistance()
                  + i % spec.length() * spec.outStride();
          out.set(JAVA_DOUBLE, to + 16 * target, in.get(JAVA_DOUBLE, from + 16 * source));
          out.set(JAVA_DOUBLE, to + 16 * target + 8, in.get(JAVA_DOUBLE, from + 16 * source + 8));
        }
      }

      @Override
      public void close() {}
    };
  }
}
