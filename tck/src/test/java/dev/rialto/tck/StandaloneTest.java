package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.tck.host.ProviderTck;

/** A requirement class runs as an ordinary test too, for who works on one interface. */
class StandaloneTest extends ProviderTck {
  @Override
  protected BackendProvider backend() {
    return new FakeFft();
  }
}
