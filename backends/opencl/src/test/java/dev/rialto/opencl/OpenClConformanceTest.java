package dev.rialto.opencl;

import dev.rialto.spi.BackendProvider;
import dev.rialto.tck.ConformanceSuite;
import org.junit.jupiter.api.BeforeAll;

/** The whole kit; skipped, visibly, where no OpenCL device is. */
class OpenClConformanceTest extends ConformanceSuite {
  @BeforeAll
  static void isThere() {
    OpenClTests.assume();
  }

  @Override
  protected BackendProvider backend() {
    return new OpenClBackend();
  }
}
