package dev.rialto.exchange;

import dev.rialto.exchange.transport.Channel;
import dev.rialto.exchange.transport.ChannelSpec;
import dev.rialto.exchange.transport.Transport;
import dev.rialto.spi.Capability;
import java.util.EnumSet;
import java.util.Set;

/** The transport that the guide in {@code docs/add-a-transport.md} adds. */
public final class RingTransport implements Transport {
  @Override
  public String name() {
    return "ring";
  }

  @Override
  public String description() {
    return "blocking messages around a ring";
  }

  @Override
  public Set<Capability> needs() {
    return EnumSet.of(Capability.POINT_TO_POINT);
  }

  @Override
  public Reach sends() {
    return Reach.BUFFERS;
  }

  @Override
  public Reach receives() {
    return Reach.BUFFERS;
  }

  @Override
  public Channel open(ChannelSpec wiring) {
    return new RingChannel(wiring);
  }
}
