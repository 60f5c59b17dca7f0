package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;

/** A backend that only transforms conforms, and refuses all else. */
class FakeFftConformanceTest extends ConformanceSuite {
  @Override
  protected BackendProvider backend() {
    return new FakeFft();
  }
}
