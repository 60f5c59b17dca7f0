package dev.rialto.tck;

import dev.rialto.local.LocalBackend;
import dev.rialto.spi.BackendProvider;

class LocalConformanceTest extends ConformanceSuite {
  @Override
  protected BackendProvider backend() {
    return new LocalBackend();
  }
}
