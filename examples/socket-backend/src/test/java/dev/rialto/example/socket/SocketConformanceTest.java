package dev.rialto.example.socket;

import dev.rialto.spi.BackendProvider;
import dev.rialto.tck.ConformanceSuite;

/** The whole kit, with ranks that are processes. */
class SocketConformanceTest extends ConformanceSuite {
  @Override
  protected BackendProvider backend() {
    return new SocketBackend();
  }
}
