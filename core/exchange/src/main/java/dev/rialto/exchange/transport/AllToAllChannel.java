package dev.rialto.exchange.transport;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one all-to-all: the parties are all ranks. Where the communicator has no non-blocking
 * one, the messages have moved when the start returns.
 */
final class AllToAllChannel extends CollectiveChannel {
  private final Communicator comm;
  private final boolean persistent;

  AllToAllChannel(ChannelSpec wiring) {
    super(wiring, wiring.comm().size(), wiring.comm().size());
    this.comm = wiring.comm();
    this.persistent =
        comm.capabilities().contains(Capability.PERSISTENT_COLLECTIVES) && !wiring.variable();
  }

  @Override
  int target(int message) {
    return wiring.targets()[message];
  }

  @Override
  int source(int message) {
    return wiring.sources()[message];
  }

  @Override
  @Nullable Request begin(@Nullable Request previous) {
    if (!comm.capabilities().contains(Capability.NON_BLOCKING_COLLECTIVES)) {
      comm.run(operation());
      return null;
    }
    if (persistent && previous instanceof PersistentRequest made) {
      return started(made);
    }
    return persistent ? started(comm.prepare(operation())) : comm.start(operation());
  }

  @Override
  void exchangeLengths(MemorySegment mine, MemorySegment theirs) {
    comm.allToAll(mine, theirs, DType.I64, 1);
  }
}
