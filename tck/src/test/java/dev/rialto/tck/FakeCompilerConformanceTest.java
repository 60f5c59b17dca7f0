package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;

class FakeCompilerConformanceTest extends ConformanceSuite {
  @Override
  protected BackendProvider backend() {
    return new FakeCompiler();
  }
}
