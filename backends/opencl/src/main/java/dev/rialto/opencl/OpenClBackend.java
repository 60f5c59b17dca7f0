package dev.rialto.opencl;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.RialtoException;
import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * OpenCL devices as a backend. Needs the loader and a driver whose devices have shared virtual
 * memory and a compiler; all of its instances share the devices.
 *
 * <p>Where it is asked for one transfer, compiler or stream it gives those of the first device; the
 * others are reached through {@link #devices}.
 */
public final class OpenClBackend implements BackendProvider {
  private static final Set<Capability> ALL =
      Set.of(Capability.MEMORY, Capability.TRANSFER, Capability.STREAMS, Capability.KERNELS);

  private static final class Looked {
    static final Machine MACHINE = look();
  }

  private static final class Found {
    static final List<Device> DEVICES = open();
  }

  /** The answer to {@link #probe}, and the handles of the devices that can be used. */
  private record Machine(Probe probe, List<Long> devices) {}

  /** Made by {@link java.util.ServiceLoader}. */
  public OpenClBackend() {}

  private static Machine look() {
    if (LibrarySearch.open(InstalledLibrary.OPENCL).isEmpty()) {
      return unavailable(
          LibrarySearch.here().name(InstalledLibrary.OPENCL) + " not found",
          "install an OpenCL loader (Debian: ocl-icd-libopencl1), or name its file with"
              + " RIALTO_OPENCL");
    }
    try {
      return lookAtPlatforms();
    } catch (RialtoException e) {
      return unavailable(String.valueOf(e.getMessage()), e.remedy());
    }
  }

  private static Machine unavailable(String reason, String remedy) {
    return new Machine(new Probe.Unavailable(reason, remedy), List.of());
  }

  private static Machine lookAtPlatforms() {
    List<Long> devices = new ArrayList<>();
    List<String> names = new ArrayList<>();
    List<String> lacking = new ArrayList<>();
    List<Probe.Library> libraries = new ArrayList<>();
    for (long platform : OpenCl.platforms()) {
      libraries.add(
          new Probe.Library(
              OpenCl.platformText(platform, OpenCl.PLATFORM_NAME),
              OpenCl.platformText(platform, OpenCl.PLATFORM_VERSION),
              OpenCl.libraryPath()));
      for (long device : OpenCl.devices(platform)) {
        String name = OpenCl.deviceText(device, OpenCl.DEVICE_NAME);
        String lack = lack(device);
        if (lack.isEmpty()) {
          long memory = OpenCl.deviceNumber(device, OpenCl.DEVICE_GLOBAL_MEM_SIZE, 8);
          names.add("opencl:" + devices.size() + " (" + name + ", " + (memory >> 30) + " GiB)");
          devices.add(device);
        } else {
          lacking.add(name + " has " + lack);
        }
      }
    }
    if (!devices.isEmpty()) {
      return new Machine(new Probe.Available(names, libraries), List.copyOf(devices));
    }
    return lacking.isEmpty()
        ? unavailable(
            OpenCl.libraryPath() + " finds no OpenCL driver with a device",
            "install one, such as PoCL for the host's cores (Debian: pocl-opencl-icd); clinfo"
                + " shows what the loader sees")
        : unavailable(
            String.join("; ", lacking), "update the device's OpenCL driver, or use another device");
  }

  /** Returns what a device lacks that this backend needs; empty if nothing. */
  private static String lack(long device) {
    if (OpenCl.deviceNumber(device, OpenCl.DEVICE_COMPILER_AVAILABLE, 4) == 0) {
      return "no compiler";
    }
    // Devices before OpenCL 2.0 do not know the question.
    long svm =
        OpenCl.deviceText(device, OpenCl.DEVICE_VERSION).startsWith("OpenCL 1.")
            ? 0
            : OpenCl.deviceNumber(device, OpenCl.DEVICE_SVM_CAPABILITIES, 8);
    return (svm & OpenCl.SVM_COARSE_GRAIN_BUFFER) == 0 ? "no shared virtual memory" : "";
  }

  private static List<Device> open() {
    List<Device> devices = new ArrayList<>();
    List<OpenClTransfer> transfers = new ArrayList<>();
    for (long device : Looked.MACHINE.devices()) {
      OpenClDevice opened = new OpenClDevice(new OpenClContext(devices.size(), device), transfers);
      transfers.add(opened.transfer());
      devices.add(opened);
    }
    return List.copyOf(devices);
  }

  @Override
  public String name() {
    return "opencl";
  }

  @Override
  public String description() {
    return "OpenCL devices: memory, streams and kernels";
  }

  @Override
  public Probe probe() {
    return Looked.MACHINE.probe();
  }

  @Override
  public Set<Capability> capabilities() {
    return probe() instanceof Probe.Available ? ALL : Set.of();
  }

  @Override
  public List<Device> devices() {
    return Found.DEVICES;
  }
}
