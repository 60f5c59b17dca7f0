package dev.rialto.runtime;

import dev.rialto.runtime.memory.MemoryReport;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.BackendException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The devices of this machine, found through the backends on the class path. */
public final class Devices {
  private static final Map<String, ComputeClient> NAMED = new ConcurrentHashMap<>();
  private static final Map<Device, ComputeDevice> SHARED = new ConcurrentHashMap<>();

  private Devices() {}

  /** Returns all devices that can be used here. */
  public static List<Device> list() {
    return Backends.all().stream()
        .filter(backend -> backend.probe() instanceof Probe.Available)
        .map(BackendProvider::devices)
        .flatMap(List::stream)
        .toList();
  }

  /**
   * Returns a client of a device, whose streams and memory the whole process shares.
   *
   * @param name such as {@code cpu:0}; without a number, the backend's first
   * @throws BackendException if there is no such device, with those there are; or its backend can't
   *     be used, with the reason
   */
  public static ComputeClient open(String name) {
    String full = name.contains(":") ? name : name + ":0";
    return NAMED.computeIfAbsent(full, Devices::find);
  }

  /**
   * Returns a client of the host: of the first device whose memory host code can work in.
   *
   * @throws BackendException if there is none
   */
  public static ComputeClient host() {
    return open(Host.NAME);
  }

  /** The name of the host as a device; apart, so that backends are looked through once. */
  private static final class Host {
    static final String NAME =
        Backends.all().stream()
            .filter(backend -> backend.probe() instanceof Probe.Available)
            .flatMap(backend -> backend.devices().stream())
            .filter(device -> device.memory().properties().hostAccessible())
            .map(Device::name)
            .findFirst()
            .orElse("cpu:0");
  }

  /**
   * Returns a client of a device of a backend, whose streams and memory the whole process shares.
   */
  public static ComputeClient of(Device device) {
    return SHARED.computeIfAbsent(device, ComputeDevice::open).client();
  }

  /** Returns what each device in use holds, staging memory and adopted memory too. */
  public static List<MemoryReport> memoryReports() {
    return ComputeDevice.all().stream().map(ComputeDevice::memoryReport).toList();
  }

  /**
   * Limits the bytes of all live buffers in a device's memory, whichever client's they are; see
   * {@link ComputeDevice#limitMemory}.
   *
   * @param name as for {@link #open}
   */
  public static void limitMemory(String name, long bytes) {
    open(name).device().limitMemory(bytes);
  }

  private static ComputeClient find(String name) {
    BackendProvider backend = Backends.get(name.substring(0, name.indexOf(':')));
    for (Device device : backend.devices()) {
      if (device.name().equals(name)) {
        return of(device);
      }
    }
    String there = list().stream().map(Device::name).collect(Collectors.joining(", "));
    throw new BackendException(
        "there is no device '" + name + "'",
        "",
        "those there are: " + (there.isEmpty() ? "none" : there),
        null);
  }
}
