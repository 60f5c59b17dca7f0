package dev.rialto.cuda;

import dev.rialto.spi.BackendProvider;
import dev.rialto.tck.ConformanceSuite;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The whole kit; skipped, visibly, without a GPU. */
@Tag("gpu")
class CudaConformanceTest extends ConformanceSuite {
  @BeforeAll
  static void isThere() {
    Gpu.assume();
  }

  @Override
  protected BackendProvider backend() {
    return new CudaBackend();
  }
}
