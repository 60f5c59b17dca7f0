package dev.rialto.cli;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.World;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemoryTransfer;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A backend as if it had one of its devices only. */
record OneDevice(BackendProvider backend, Device device) implements BackendProvider {
  @Override
  public String name() {
    return backend.name();
  }

  @Override
  public String description() {
    return backend.description();
  }

  @Override
  public Probe probe() {
    return backend.probe();
  }

  @Override
  public Set<Capability> capabilities() {
    return backend.capabilities();
  }

  @Override
  public List<MemorySpace> memorySpaces() {
    return device.memory().equals(device.staging())
        ? List.of(device.memory())
        : List.of(device.memory(), device.staging());
  }

  @Override
  public MemoryTransfer transfer() {
    return device.transfer();
  }

  @Override
  public Executor openExecutor(int parallelism) {
    return backend.openExecutor(parallelism);
  }

  @Override
  public Stream openStream() {
    return device.openStream(0);
  }

  @Override
  public List<Device> devices() {
    return List.of(device);
  }

  @Override
  public KernelCompiler kernelCompiler() {
    return device.compiler();
  }

  @Override
  public FftEngine fftEngine() {
    return device.fft().orElseGet(backend::fftEngine);
  }

  @Override
  public World openWorld(int ranks) {
    return backend.openWorld(ranks);
  }

  @Override
  public Optional<RankLauncher> launcher() {
    return backend.launcher();
  }
}
