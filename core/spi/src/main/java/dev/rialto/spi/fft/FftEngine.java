package dev.rialto.spi.fft;

/** Makes plans for batched one-dimensional transforms. Thread-safe. */
public interface FftEngine {
  /** Returns a name for messages, such as {@code java} or {@code fftw}. */
  String name();

  /** Returns whether {@link #plan} takes this. */
  boolean supports(FftSpec spec);

  /**
   * Makes a plan, owned by the caller. May take long.
   *
   * @throws UnsupportedOperationException if not {@link #supports supported}
   */
  FftPlan plan(FftSpec spec);
}
