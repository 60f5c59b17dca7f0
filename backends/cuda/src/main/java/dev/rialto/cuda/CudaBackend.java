package dev.rialto.cuda;

import dev.rialto.cuda.driver.CudaContext;
import dev.rialto.cuda.driver.Cufft;
import dev.rialto.cuda.driver.Driver;
import dev.rialto.cuda.driver.Nccl;
import dev.rialto.cuda.driver.Nvrtc;
import dev.rialto.cuda.driver.PinnedMemory;
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

/** NVIDIA GPUs as a backend. Needs the driver and NVRTC; all of its instances share the devices. */
public final class CudaBackend implements BackendProvider {
  private static final Set<Capability> WITHOUT_CUFFT =
      Set.of(Capability.MEMORY, Capability.TRANSFER, Capability.STREAMS, Capability.KERNELS);

  private static final Set<Capability> ALL =
      Set.of(
          Capability.MEMORY,
          Capability.TRANSFER,
          Capability.STREAMS,
          Capability.KERNELS,
          Capability.FFT);

  private static final class Looked {
    static final Probe ANSWER = look();
  }

  private static final class Found {
    static final List<Device> DEVICES = open();
  }

  /** Made by {@link java.util.ServiceLoader}. */
  public CudaBackend() {}

  private static Probe look() {
    if (LibrarySearch.open(InstalledLibrary.CUDA_DRIVER).isEmpty()) {
      return new Probe.Unavailable(
          LibrarySearch.here().name(InstalledLibrary.CUDA_DRIVER) + " not found",
          "install NVIDIA's driver, or name the folder of its library with RIALTO_CUDA_HOME; a"
              + " container is given GPUs by docker run --gpus all or apptainer run --nv");
    }
    try {
      return lookAtDriver();
    } catch (RialtoException e) {
      return new Probe.Unavailable(String.valueOf(e.getMessage()), e.remedy());
    }
  }

  private static Probe lookAtDriver() {
    int started = Driver.init();
    if (started != Driver.SUCCESS) {
      return new Probe.Unavailable(
          String.valueOf(Driver.failure(started, "starting the driver").getMessage()),
          "nvidia-smi shows what the driver sees");
    }
    int driver = Driver.version();
    String version = driver / 1000 + "." + driver % 1000 / 10;
    if (driver < Driver.OLDEST) {
      return new Probe.Unavailable(
          "the driver is for CUDA " + version, "install one for CUDA 11.4 or later");
    }
    if (Nvrtc.find().isEmpty()) {
      return new Probe.Unavailable(
          LibrarySearch.here().name(InstalledLibrary.NVRTC) + " not found",
          "install the CUDA toolkit, or name its folder with RIALTO_CUDA_HOME");
    }
    Nvrtc nvrtc = Nvrtc.require();
    if (nvrtc.major() > driver / 1000) {
      return new Probe.Unavailable(
          "NVRTC "
              + nvrtc.version()
              + " at "
              + nvrtc.path()
              + " is newer than the driver, which is for CUDA "
              + version,
          "update the driver, or name a folder of an older toolkit with RIALTO_CUDA_HOME");
    }
    List<String> devices = new ArrayList<>();
    for (int i = 0; i < Driver.deviceCount(); i++) {
      int device = Driver.device(i);
      devices.add(
          "cuda:"
              + i
              + " ("
              + Driver.deviceName(device)
              + ", "
              + (Driver.totalMemory(device) >> 30)
              + " GiB)");
    }
    List<Probe.Library> libraries = new ArrayList<>();
    libraries.add(new Probe.Library("CUDA driver", version, Driver.libraryPath()));
    libraries.add(new Probe.Library("NVRTC", nvrtc.version(), nvrtc.path()));
    Cufft.find()
        .ifPresent(
            cufft -> libraries.add(new Probe.Library("cuFFT", cufft.version(), cufft.path())));
    Nccl.find()
        .ifPresent(nccl -> libraries.add(new Probe.Library("NCCL", nccl.version(), nccl.path())));
    return new Probe.Available(devices, libraries);
  }

  private static List<Device> open() {
    List<Device> devices = new ArrayList<>();
    if (Looked.ANSWER instanceof Probe.Available) {
      List<CudaContext> contexts = new ArrayList<>();
      for (int i = 0; i < Driver.deviceCount(); i++) {
        contexts.add(new CudaContext(i));
      }
      contexts.forEach(context -> contexts.forEach(context::reach));
      PinnedMemory pinned = new PinnedMemory(contexts.getFirst());
      contexts.forEach(context -> devices.add(new CudaDevice(context, pinned)));
    }
    return List.copyOf(devices);
  }

  @Override
  public String name() {
    return "cuda";
  }

  @Override
  public String description() {
    return "NVIDIA GPUs: memory, streams, kernels and transforms";
  }

  @Override
  public Probe probe() {
    return Looked.ANSWER;
  }

  @Override
  public Set<Capability> capabilities() {
    if (probe() instanceof Probe.Unavailable) {
      return Set.of();
    }
    return Cufft.find().isPresent() ? ALL : WITHOUT_CUFFT;
  }

  @Override
  public List<Device> devices() {
    return Found.DEVICES;
  }
}
