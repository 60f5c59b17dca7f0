package dev.rialto.cuda;

import dev.rialto.cuda.driver.Cufft;
import dev.rialto.spi.fft.FftBox;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftEngine.Work;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import java.util.Optional;

/** Transforms lines in a GPU's memory, or pinned memory, by cuFFT. */
final class CufftEngine implements FftEngine {
  /** The longest line of cuFFT; longer ones would not fit many a GPU either. */
  static final long LONGEST = 1L << 27;

  private final CudaDevice device;
  private final Cufft library;

  CufftEngine(CudaDevice device, Cufft library) {
    this.device = device;
    this.library = library;
  }

  @Override
  public String name() {
    return "cufft";
  }

  @Override
  public boolean supports(FftSpec spec) {
    return canDo(spec);
  }

  /** Complex and real transforms, whose planes start where cuFFT accepts real lines to start. */
  static boolean canDo(FftSpec spec) {
    boolean aligned =
        spec.planes() < 2
            || switch (spec.kind()) {
              case REAL_TO_COMPLEX -> spec.inPlane() % 2 == 0;
              case COMPLEX_TO_REAL -> spec.outPlane() % 2 == 0;
              default -> true;
            };
    return switch (spec.kind()) {
      case FORWARD, INVERSE, REAL_TO_COMPLEX, COMPLEX_TO_REAL ->
          aligned && spec.length() <= LONGEST;
      default -> false;
    };
  }

  @Override
  public FftPlan plan(FftSpec spec) {
    if (!supports(spec)) {
      throw new UnsupportedOperationException(
          ("cuFFT does not do %s; it does complex and real transforms of up to %s points, "
                  + "real ones in planes an even number of elements apart")
              .formatted(spec, LONGEST));
    }
    return new CufftPlan(device, library, spec);
  }

  @Override
  public Optional<Work> plan(FftBox box) {
    boolean complex = box.kind().complexInput() || box.kind().complexOutput();
    return complex ? Optional.of(new CufftBoxPlan(device, library, box)) : Optional.empty();
  }
}
