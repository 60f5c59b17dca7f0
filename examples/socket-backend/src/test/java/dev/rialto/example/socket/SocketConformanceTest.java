package dev.rialto.example.socket;

import dev.rialto.spi.BackendProvider;
import dev.rialto.tck.ConformanceOptions;
import dev.rialto.tck.ConformanceSuite;
import java.time.Duration;
import java.util.List;

/**
 * The whole kit, with three ranks that are processes. {@code ./rialto conform socket} does the same
 * with other numbers of them.
 */
class SocketConformanceTest extends ConformanceSuite {
  @Override
  protected BackendProvider backend() {
    return new SocketBackend();
  }

  @Override
  protected ConformanceOptions options() {
    // Processes take their time to start on a machine that does something else as well.
    return super.options().withRanks(List.of(3)).withLimit(Duration.ofMinutes(2));
  }
}
