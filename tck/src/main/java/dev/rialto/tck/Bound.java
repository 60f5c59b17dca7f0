package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import java.util.List;

/** The requirement classes, bound to the backend that a run of the kit was given. */
final class Bound {
  static final List<Class<? extends Tck>> CLASSES = List.of(Provider.class);

  private Bound() {}

  static final class Provider extends ProviderTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }
}
