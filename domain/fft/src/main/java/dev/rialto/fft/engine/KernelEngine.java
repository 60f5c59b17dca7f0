package dev.rialto.fft.engine;

import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;

/** Transforms lines in the memory of a device that has kernels but no transforms of its own. */
public final class KernelEngine implements FftEngine {
  /** A table of the roots of one line is to fit. */
  private static final long LONGEST = 1L << 27;

  private final ComputeClient client;

  public KernelEngine(ComputeClient client) {
    this.client = client;
  }

  @Override
  public String name() {
    return "kernels";
  }

  @Override
  public boolean supports(FftSpec spec) {
    return switch (spec.kind()) {
      case FORWARD, INVERSE, REAL_TO_COMPLEX, COMPLEX_TO_REAL -> spec.length() <= LONGEST;
      default -> false;
    };
  }

  @Override
  public FftPlan plan(FftSpec spec) {
    if (!supports(spec)) {
      throw new UnsupportedOperationException(
          ("kernels of %s do not do %s; they do complex and real transforms of up to %s "
                  + "points")
              .formatted(client.device().name(), spec, LONGEST));
    }
    return new KernelPlan(client, spec);
  }
}
