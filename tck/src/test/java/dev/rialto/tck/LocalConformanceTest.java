package dev.rialto.tck;

import dev.rialto.local.LocalBackend;
import dev.rialto.spi.BackendProvider;
import java.time.Duration;

class LocalConformanceTest extends ConformanceSuite {
  @Override
  protected BackendProvider backend() {
    return new LocalBackend();
  }

  @Override
  protected ConformanceOptions options() {
    // Eight ranks take their time on two cores that do something else as well.
    return super.options().withLimit(Duration.ofMinutes(5));
  }
}
