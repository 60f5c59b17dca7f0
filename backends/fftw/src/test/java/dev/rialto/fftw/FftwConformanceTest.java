package dev.rialto.fftw;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Probe;
import dev.rialto.tck.ConformanceSuite;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;

/** The whole kit; skipped, visibly, where FFTW is not installed. */
class FftwConformanceTest extends ConformanceSuite {
  @BeforeAll
  static void isInstalled() {
    if (new FftwBackend().probe() instanceof Probe.Unavailable(String reason, String remedy)) {
      Assumptions.abort(reason + "; " + remedy);
    }
  }

  @Override
  protected BackendProvider backend() {
    return new FftwBackend();
  }
}
