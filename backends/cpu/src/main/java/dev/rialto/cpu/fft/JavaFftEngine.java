package dev.rialto.cpu.fft;

import dev.rialto.cpu.simd.Simd;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import org.jspecify.annotations.Nullable;

/**
 * The engine {@code java}: every kind of transform, any length, on the Vector API or on plain
 * numbers as {@link Simd} chooses.
 */
public final class JavaFftEngine implements FftEngine {
  /** Above it the tables alone would fill the memory of most machines. */
  private static final long LONGEST = 1L << 28;

  private final int bits;

  /** Makes an engine of this machine's vector width. */
  public JavaFftEngine() {
    this(Simd.get().vectorBits());
  }

  /** Makes an engine of a vector width, or on plain numbers if it is 0. */
  JavaFftEngine(int bits) {
    this.bits = bits;
  }

  @Override
  public String name() {
    return "java";
  }

  @Override
  public boolean supports(FftSpec spec) {
    return spec.length() <= LONGEST;
  }

  @Override
  public FftPlan plan(FftSpec spec) {
    return make(spec, null);
  }

  @Override
  public FftPlan plan(FftSpec spec, Executor executor) {
    return make(spec, executor);
  }

  private FftPlan make(FftSpec spec, @Nullable Executor executor) {
    if (!supports(spec)) {
      throw new UnsupportedOperationException(
          "lines of " + spec.length() + " points; the engine java takes up to " + LONGEST);
    }
    return new JavaFftPlan(spec, Codelets.of(Numbers.of(spec.precision(), bits)), executor);
  }
}
