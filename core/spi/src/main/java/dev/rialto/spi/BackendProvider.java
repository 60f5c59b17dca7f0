package dev.rialto.spi;

import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.fft.FftEngine;
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

  /**
   * Returns the devices found here, in the order of their numbers; none where there are none. Their
   * memory, transfers, streams and compilers are the backend's.
   */
  default List<Device> devices() {
    return List.of();
  }

  /**
   * Opens an executor, owned by the caller.
   *
   * @param parallelism how many threads can work at once, the caller of a loop included; from 1
   */
  default Executor openExecutor(int parallelism) {
    throw Capability.EXECUTOR.unsupported(name());
  }

  /** Returns what transforms lines: of the host's memory, or of the first device's that does. */
  default FftEngine fftEngine() {
    return devices().stream()
        .flatMap(device -> device.fft().stream())
        .findFirst()
        .orElseThrow(() -> Capability.FFT.unsupported(name()));
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
