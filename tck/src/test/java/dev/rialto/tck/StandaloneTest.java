package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;

/** A requirement class runs as an ordinary test too, for who works on one interface. */
class StandaloneTest extends ProviderTck {
  @Override
  protected BackendProvider backend() {
    return new FakeFft();
  }
}
