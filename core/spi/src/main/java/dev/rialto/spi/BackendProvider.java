package dev.rialto.spi;

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

/**
 * A backend: some of memory, transfers, execution, communication, kernels and transforms.
 *
 * <p>Found by {@link java.util.ServiceLoader}; made with a public constructor without arguments
 * that does nothing costly. Thread-safe. A backend overrides the methods of the capabilities it
 * declares; the others throw {@link UnsupportedOperationException}.
 */
public interface BackendProvider {
  /** Returns a short unique name in lower case, such as {@code cpu}; it never changes. */
  String name();

  /** Returns one line on what this backend is. */
  String description();

  /**
   * Looks whether this backend can be used here. Loads what it must to answer, changes nothing,
   * never throws, and gives the same answer each time.
   */
  Probe probe();

  /**
   * Returns everything this backend can do here; empty when unavailable. Those of its communicators
   * are the same as {@link dev.rialto.spi.comm.Communicator#capabilities}, which leaves out those
   * that have nothing to do with communication.
   */
  Set<Capability> capabilities();

  /** Returns the memory spaces, those of the devices; they live as long as the provider. */
  default List<MemorySpace> memorySpaces() {
    Device _ = firstDevice(Capability.MEMORY);
    return devices().stream().map(Device::memory).toList();
  }

  /** Returns what copies between this backend's spaces, and those and the host's. */
  default MemoryTransfer transfer() {
    return firstDevice(Capability.TRANSFER).transfer();
  }

  /**
   * Opens an executor, owned by the caller.
   *
   * @param parallelism how many threads can work at once, the caller of a loop included; from 1
   */
  default Executor openExecutor(int parallelism) {
    throw Capability.EXECUTOR.unsupported(name());
  }

  /** Opens a stream of the first device, owned by the caller. */
  default Stream openStream() {
    return firstDevice(Capability.STREAMS).openStream(0);
  }

  /** Returns the devices found here, in the order of their numbers; none where there are none. */
  default List<Device> devices() {
    return List.of();
  }

  /**
   * Returns the first device, which does what a caller names no device for.
   *
   * @throws UnsupportedOperationException if there is none
   */
  private Device firstDevice(Capability needed) {
    if (devices().isEmpty()) {
      throw needed.unsupported(name());
    }
    return devices().getFirst();
  }

  /** Returns what compiles kernels for the first device. */
  default KernelCompiler kernelCompiler() {
    return firstDevice(Capability.KERNELS).compiler();
  }

  /** Returns what transforms lines in this backend's memory. */
  default FftEngine fftEngine() {
    throw Capability.FFT.unsupported(name());
  }

  /**
   * Opens a world of ranks, owned by the caller.
   *
   * @param ranks how many; or 0 for as many as the launcher started, or one where there is none
   * @throws IllegalArgumentException if {@code ranks} is negative, or this process was launched as
   *     part of a different number
   */
  default World openWorld(int ranks) {
    throw Capability.POINT_TO_POINT.unsupported(name());
  }

  /** Returns what starts ranks as processes, if this backend's ranks are processes. */
  default Optional<RankLauncher> launcher() {
    return Optional.empty();
  }
}
