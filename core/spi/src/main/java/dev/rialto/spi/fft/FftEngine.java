package dev.rialto.spi.fft;

import dev.rialto.spi.exec.Executor;
import java.util.Optional;

/** Makes plans for batched one-dimensional transforms. Thread-safe. */
public interface FftEngine {
  /** Returns a name for messages, such as {@code java} or {@code fftw}. */
  String name();

  /** Returns whether {@link #plan} takes this. */
  boolean supports(FftSpec spec);

  /**
   * Makes a plan that runs on the thread that executes it, owned by the caller. May take long.
   *
   * @throws UnsupportedOperationException if not {@link #supports supported}
   */
  FftPlan plan(FftSpec spec);

  /**
   * Makes a plan whose lines are shared among the threads of an executor, owned by the caller. The
   * executor must stay open as long as the plan is executed. An engine that has its own threads, or
   * none, leaves the executor alone.
   *
   * @throws UnsupportedOperationException if not {@link #supports supported}
   */
  default FftPlan plan(FftSpec spec, Executor executor) {
    return plan(spec);
  }

  /**
   * Makes a plan of several axes at once, owned by the caller, where that is faster than one axis
   * after another.
   *
   * @return the plan; empty if lines are all that this engine has
   */
  default Optional<FftWork> plan(FftBox box) {
    return Optional.empty();
  }
}
