package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.device.Device;
import dev.rialto.tck.plain.PlainDevice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.opentest4j.TestAbortedException;

/**
 * The devices that tests by parameter run on: {@code plain} everywhere, and those of backends by
 * their names, where a test is skipped and says why if the backend has none here.
 */
public final class TestDevices {
  /** Ends the names of devices that ranks can connect. */
  public static final String CONNECTED = "-connected";

  private TestDevices() {}

  /**
   * Returns the first device of a backend, or the plain one.
   *
   * @throws TestAbortedException if there is none, with the reason
   */
  public static Device get(String name) {
    return name.equals("plain") ? plain(false) : devices(name).getFirst();
  }

  private static Device plain(boolean connects) {
    BackendProvider cpu = Backends.get("cpu");
    return new PlainDevice(cpu.devices().getFirst(), cpu.fftEngine(), connects);
  }

  /**
   * Returns the devices of some ranks: all the same one, or with {@value #CONNECTED} after the name
   * such as can be connected, which are different ones of a backend.
   *
   * @throws TestAbortedException if there are too few, with the reason
   */
  public static List<Device> get(String name, int ranks) {
    if (!name.endsWith(CONNECTED)) {
      return Collections.nCopies(ranks, get(name));
    }
    String backend = name.substring(0, name.length() - CONNECTED.length());
    if (backend.equals("plain")) {
      return Collections.nCopies(ranks, plain(true));
    }
    List<Device> all = devices(backend);
    if (all.size() < Math.max(ranks, 2)) {
      throw new TestAbortedException(
          "%d of %s here; %d ranks need one each"
              .formatted(all.size(), backend, Math.max(ranks, 2)));
    }
    return all.subList(0, ranks);
  }

  private static List<Device> devices(String name) {
    List<String> reasons = new ArrayList<>();
    for (BackendProvider backend : Backends.all()) {
      if (backend.name().equals(name)) {
        if (backend.probe() instanceof Probe.Unavailable(String reason, String remedy)) {
          reasons.add(reason + "; " + remedy);
        } else if (!backend.devices().isEmpty()) {
          return backend.devices();
        }
      }
    }
    throw new TestAbortedException("no device of " + name + ": " + String.join(", ", reasons));
  }
}
