package dev.rialto.exchange.transport;

import static dev.rialto.spi.Capability.COLLECTIVES;
import static dev.rialto.spi.Capability.LAYOUTS;
import static dev.rialto.spi.Capability.NEIGHBORHOODS;
import static dev.rialto.spi.Capability.NON_BLOCKING;
import static dev.rialto.spi.Capability.NON_BLOCKING_NEIGHBORHOODS;
import static dev.rialto.spi.Capability.PERSISTENT_NEIGHBORHOODS;
import static dev.rialto.spi.Capability.POINT_TO_POINT;
import static dev.rialto.spi.Capability.SHARED_WINDOWS;
import static dev.rialto.spi.Capability.WINDOWS;

import dev.rialto.exchange.transport.Transport.Reach;
import dev.rialto.spi.Capability;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The transports there are: Rialto's own, then those that are services. */
public final class Transports {
  private static final List<Transport> ALL = load();

  private Transports() {}

  /** A transport of Rialto's own: how it works is in the channel that it opens. */
  private record Own(
      String name,
      String description,
      Set<Capability> needs,
      Reach sends,
      Reach receives,
      boolean together,
      boolean fixedLength,
      Function<ChannelSpec, Channel> opener)
      implements Transport {
    @Override
    public Channel open(ChannelSpec wiring) {
      return opener.apply(wiring);
    }
  }

  private static Own messages(
      String name,
      String description,
      Set<Capability> needs,
      Reach sends,
      Reach receives,
      Function<ChannelSpec, Channel> opener) {
    return new Own(name, description, needs, sends, receives, false, false, opener);
  }

  private static Own collective(
      String name,
      String description,
      Set<Capability> needs,
      boolean fixedLength,
      Function<ChannelSpec, Channel> opener) {
    return new Own(
        name, description, needs, Reach.BUFFERS, Reach.BUFFERS, true, fixedLength, opener);
  }

  private static List<Transport> own() {
    Set<Capability> oneSided = Set.of(POINT_TO_POINT, NON_BLOCKING, COLLECTIVES, WINDOWS);
    return List.of(
        messages(
            "point-to-point",
            "non-blocking sends and receives, all at once",
            Set.of(POINT_TO_POINT, NON_BLOCKING),
            Reach.CONTIGUOUS,
            Reach.CONTIGUOUS,
            MessageChannel::new),
        messages(
            "scheduled",
            "pairwise rounds, one partner at a time",
            Set.of(POINT_TO_POINT, NON_BLOCKING),
            Reach.CONTIGUOUS,
            Reach.CONTIGUOUS,
            ScheduledChannel::new),
        collective(
            "all-to-all",
            "one all-to-all of all ranks",
            Set.of(COLLECTIVES),
            false,
            AllToAllChannel::new),
        collective(
            "neighbor",
            "one collective among the neighbours",
            Set.of(NEIGHBORHOODS, NON_BLOCKING_NEIGHBORHOODS),
            false,
            wiring -> new NeighborChannel(wiring, false)),
        collective(
            "persistent-neighbor",
            "one collective among the neighbours, described once",
            Set.of(NEIGHBORHOODS, PERSISTENT_NEIGHBORHOODS),
            true,
            wiring -> new NeighborChannel(wiring, true)),
        messages(
            "rma-pull",
            "one-sided: receivers get messages out of the senders' windows",
            oneSided,
            Reach.BUFFERS,
            Reach.CONTIGUOUS,
            PullChannel::new),
        messages(
            "rma-push",
            "one-sided: senders put messages into the receivers' windows",
            oneSided,
            Reach.CONTIGUOUS,
            Reach.BUFFERS,
            PushChannel::new),
        messages(
            "datatype",
            "no packing: layouts describe what is sent and received",
            Set.of(POINT_TO_POINT, NON_BLOCKING, LAYOUTS),
            Reach.LAYOUTS,
            Reach.LAYOUTS,
            MessageChannel::new),
        messages(
            "shared",
            "ranks on one node read one another's memory directly",
            Set.of(POINT_TO_POINT, NON_BLOCKING, COLLECTIVES, SHARED_WINDOWS),
            Reach.BUFFERS,
            Reach.BUFFERS,
            wiring ->
                wiring.shared().oneNode() ? new SharedChannel(wiring) : NodeChannel.open(wiring)));
  }

  private static List<Transport> load() {
    List<Transport> all = new ArrayList<>(own());
    ServiceLoader.load(Transport.class, Transports.class.getClassLoader()).forEach(all::add);
    return List.copyOf(all);
  }

  /** Returns all transports. */
  public static List<Transport> all() {
    return ALL;
  }

  /**
   * Returns a transport.
   *
   * @throws IllegalArgumentException if there is none of that name
   */
  public static Transport get(String name) {
    return ALL.stream()
        .filter(transport -> transport.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no transport '"
                        + name
                        + "'; those there are: "
                        + ALL.stream().map(Transport::name).collect(Collectors.joining(", "))));
  }
}
