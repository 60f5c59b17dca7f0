package dev.rialto.array;

import dev.rialto.exchange.ExchangeOptions;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.kernel.DeviceKernels;
import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.comm.Communicator;
import org.jspecify.annotations.Nullable;

/**
 * What moves elements among ranks within one sort of memory: the host's, or that of the ranks'
 * devices.
 *
 * @param kernels what packs and unpacks on a device; null on the host
 */
record Mover(Exchanger exchanger, @Nullable DeviceKernels kernels) implements AutoCloseable {
  /** Makes what moves the elements of arrays where a client is. Collective. */
  static Mover on(Communicator comm, ComputeClient client, SharedMemory memory) {
    if (client.device().isHostAccessible()) {
      return new Mover(Exchanger.on(comm, ExchangeOptions.standard(), memory), null);
    }
    DeviceKernels kernels = DeviceKernels.on(client);
    return new Mover(Exchanger.on(comm, ExchangeOptions.on(kernels), memory), kernels);
  }

  /** Closes the exchanger. Collective. */
  @Override
  public void close() {
    exchanger.close();
    if (kernels != null) {
      kernels.close();
    }
  }
}
