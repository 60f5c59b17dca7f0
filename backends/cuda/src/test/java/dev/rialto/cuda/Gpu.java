package dev.rialto.cuda;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.rialto.cuda.driver.Nvrtc;
import dev.rialto.spi.Probe;
import dev.rialto.spi.device.Device;

/** The GPU that tests run on; without one they are skipped, and say why. */
final class Gpu {
  private Gpu() {}

  static void assume() {
    if (new CudaBackend().probe() instanceof Probe.Unavailable(String reason, String remedy)) {
      abort(reason + "; " + remedy);
    }
  }

  static Device device() {
    assume();
    return new CudaBackend().devices().getFirst();
  }

  static Nvrtc nvrtc() {
    return Nvrtc.find().orElseGet(() -> abort("libnvrtc not found; install the CUDA toolkit"));
  }
}
