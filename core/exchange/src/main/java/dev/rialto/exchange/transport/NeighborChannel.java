package dev.rialto.exchange.transport;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Messages of one neighbourhood collective: the parties are the neighbours, in their order. */
final class NeighborChannel extends CollectiveChannel {
  private final Topology topology;
  private final boolean persistent;

  NeighborChannel(ChannelSpec wiring, boolean persistent) {
    super(wiring, wiring.targets().length, wiring.sources().length);
    this.topology = wiring.comm().topology(wiring.sources(), wiring.targets());
    this.persistent = persistent;
  }

  @Override
  int target(int message) {
    return message;
  }

  @Override
  int source(int message) {
    return message;
  }

  @Override
  Request begin(@Nullable Request previous) {
    if (!persistent) {
      return topology.start(operation());
    }
    return started(
        previous instanceof PersistentRequest made ? made : topology.prepare(operation()));
  }

  @Override
  void exchangeLengths(MemorySegment mine, MemorySegment theirs) {
    topology.run(new Collective.AllToAll(mine, theirs, DType.I64, 1));
  }

  @Override
  public void close() {
    super.close();
    topology.close();
  }
}
