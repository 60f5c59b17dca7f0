package dev.rialto.cpu;

import dev.rialto.cpu.fft.JavaFftEngine;
import dev.rialto.cpu.simd.Simd;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.fft.FftEngine;
import java.util.List;
import java.util.Set;

/** The host's memory and cores as a backend. All of its instances share one memory space. */
public final class CpuBackend implements BackendProvider {
  private static final Set<Capability> CAPABILITIES =
      Set.of(
          Capability.MEMORY,
          Capability.TRANSFER,
          Capability.EXECUTOR,
          Capability.STREAMS,
          Capability.KERNELS,
          Capability.FFT);

  /** Runs kernels. Its threads are daemons that sleep without work, so it is never closed. */
  private static final class Cores {
    static final Executor ALL = new WorkStealingExecutor(count());
  }

  private static final class Only {
    static final Device DEVICE =
        new CpuDevice(
            HostMemorySpace.fromProperties(),
            new HostTransfer(),
            new JavaKernelCompiler(() -> Cores.ALL),
            count(),
            Simd.get().describe(),
            Simd.get().vectorBytes());
  }

  /** Made by {@link java.util.ServiceLoader}. */
  public CpuBackend() {}

  private static int count() {
    return Runtime.getRuntime().availableProcessors();
  }

  @Override
  public String name() {
    return "cpu";
  }

  @Override
  public String description() {
    return "host memory, threads and SIMD";
  }

  @Override
  public Probe probe() {
    try {
      var _ = HostMemorySpace.limitFromProperties();
      String cores = count() == 1 ? "1 core" : count() + " cores";
      return new Probe.Available(
          List.of("cpu:0 (" + cores + ", " + Simd.get().describe() + ")"), List.of());
    } catch (IllegalStateException | IllegalArgumentException e) {
      return new Probe.Unavailable(
          String.valueOf(e.getMessage()), "correct this property or leave it out");
    }
  }

  @Override
  public Set<Capability> capabilities() {
    return probe() instanceof Probe.Available ? CAPABILITIES : Set.of();
  }

  @Override
  public Executor openExecutor(int parallelism) {
    return new WorkStealingExecutor(parallelism);
  }

  @Override
  public List<Device> devices() {
    return probe() instanceof Probe.Available ? List.of(Only.DEVICE) : List.of();
  }

  @Override
  public FftEngine fftEngine() {
    return new JavaFftEngine();
  }
}
