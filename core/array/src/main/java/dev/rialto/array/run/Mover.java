package dev.rialto.array.run;

import dev.rialto.exchange.ExchangeOptions;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.kernel.DeviceKernels;
import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.comm.Communicator;
import org.jspecify.annotations.Nullable;

/**
 * What moves elements among ranks within one sort of memory: the host's, or that of the ranks'
 * devices.
 *
 * @param tuner times the exchanger's schemes
 * @param kernels what packs and unpacks on a device; null on the host
 */
public record Mover(Exchanger exchanger, Tuner tuner, @Nullable DeviceKernels kernels)
    implements AutoCloseable {
  /** Makes what moves the elements of arrays where a client is. Collective. */
  static Mover on(Communicator comm, ComputeClient client, SharedMemory memory) {
    DeviceKernels kernels = client.device().isHostAccessible() ? null : DeviceKernels.on(client);
    ExchangeOptions options =
        kernels == null ? ExchangeOptions.standard() : ExchangeOptions.on(kernels);
    Exchanger exchanger = Exchanger.on(comm, options, memory);
    return new Mover(exchanger, new Tuner(exchanger), kernels);
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
