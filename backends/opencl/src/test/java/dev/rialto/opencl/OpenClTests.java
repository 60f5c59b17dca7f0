package dev.rialto.opencl;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.rialto.spi.Probe;
import dev.rialto.spi.device.Device;

/** The device that tests run on; without one they are skipped, and say why. */
final class OpenClTests {
  private OpenClTests() {}

  static void assume() {
    if (new OpenClBackend().probe() instanceof Probe.Unavailable(String reason, String remedy)) {
      abort(reason + "; " + remedy);
    }
  }

  static Device device() {
    assume();
    return new OpenClBackend().devices().getFirst();
  }
}
