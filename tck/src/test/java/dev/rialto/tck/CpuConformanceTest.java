package dev.rialto.tck;

import dev.rialto.cpu.CpuBackend;
import dev.rialto.spi.BackendProvider;

class CpuConformanceTest extends ConformanceSuite {
  @Override
  protected BackendProvider backend() {
    return new CpuBackend();
  }
}
