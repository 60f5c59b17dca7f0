package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.device.Device;
import java.util.ArrayList;
import java.util.List;
import org.opentest4j.TestAbortedException;

/**
 * The devices that tests by parameter run on: {@code plain} everywhere, and those of backends by
 * their names, where a test is skipped and says why if the backend has none here.
 */
public final class TestDevices {
  private TestDevices() {}

  /**
   * Returns the first device of a backend, or the plain one.
   *
   * @throws TestAbortedException if there is none, with the reason
   */
  public static Device get(String name) {
    if (name.equals("plain")) {
      BackendProvider cpu = Backends.get("cpu");
      return new PlainDevice(cpu.devices().getFirst(), cpu.fftEngine());
    }
    List<String> reasons = new ArrayList<>();
    for (BackendProvider backend : Backends.all()) {
      if (backend.name().equals(name)) {
        if (backend.probe() instanceof Probe.Unavailable(String reason, String remedy)) {
          reasons.add(reason + "; " + remedy);
        } else if (!backend.devices().isEmpty()) {
          return backend.devices().getFirst();
        }
      }
    }
    throw new TestAbortedException("no device of " + name + ": " + String.join(", ", reasons));
  }
}
