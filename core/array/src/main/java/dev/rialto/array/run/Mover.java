package dev.rialto.array.run;

import dev.rialto.exchange.ExchangeOptions;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.kernel.DevicePacking;
import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.comm.Communicator;
import org.jspecify.annotations.Nullable;

/**
 * The mover of elements among ranks within one sort of memory: the host's, or that of the ranks'
 * devices.
 *
 * @param tuner times the exchanger's schemes
 * @param kernels what packs and unpacks on a device; null on the host
 */
public record Mover(Exchanger exchanger, Tuner tuner, @Nullable DevicePacking kernels)
    implements AutoCloseable {
  /** Makes what moves the elements of arrays of the host. Collective. */
  static Mover onHost(Communicator comm, SharedMemory memory) {
    Exchanger exchanger = Exchanger.on(comm, ExchangeOptions.standard(), memory);
    return new Mover(exchanger, new Tuner(exchanger), null);
  }

  /** Makes what moves the elements of arrays of a device, with the same ranks. Collective. */
  Mover on(ComputeClient client) {
    DevicePacking made = DevicePacking.on(client);
    Exchanger there = exchanger.with(made);
    return new Mover(there, new Tuner(there), made);
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
