package dev.rialto.fftw;

import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import org.jspecify.annotations.Nullable;

/** The engine {@code fftw}. Planning is serialised, as the library asks; executing is not. */
final class FftwEngine implements FftEngine {
  private static final long LONGEST = Integer.MAX_VALUE;

  @Override
  public String name() {
    return "fftw";
  }

  @Override
  public boolean supports(FftSpec spec) {
    return spec.length() <= LONGEST && Library.of(spec.precision()).isPresent();
  }

  @Override
  public FftPlan plan(FftSpec spec) {
    return make(spec, null);
  }

  @Override
  public FftPlan plan(FftSpec spec, Executor executor) {
    return make(spec, executor);
  }

  private static FftPlan make(FftSpec spec, @Nullable Executor executor) {
    Library library =
        Library.of(spec.precision())
            .orElseThrow(
                () ->
                    new UnsupportedOperationException(
                        "FFTW is installed without the library for " + spec.precision()));
    if (spec.length() > LONGEST) {
      throw new UnsupportedOperationException(
          "lines of " + spec.length() + " points; the engine fftw takes up to " + LONGEST);
    }
    return new FftwPlan(spec, library, executor);
  }
}
