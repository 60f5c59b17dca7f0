package dev.rialto.exchange.transport;

import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeStream;
import dev.rialto.runtime.ranks.DeviceConnection;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.exec.Stream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The devices of all ranks and, where they can be connected, what connects them.
 *
 * <p>They are connected when that is first asked for, since it takes long and needs one device per
 * rank; either all ranks are, or none and {@link #reason} says why. Messages have a stream of their
 * own, so that kernels run while they travel. Used by one thread at a time.
 */
public final class DevicePeers implements AutoCloseable {
  private final @Nullable ComputeClient client;
  private final @Nullable Stream kernels;
  private final Communicator comm;
  private @Nullable Link link;
  private @Nullable ComputeStream wire;
  private String reason = "";

  /** The means of messages: the collectives, the stream of kernels and that of messages. */
  record Link(DeviceCollectives collectives, Stream kernels, Stream wire) {}

  private DevicePeers(@Nullable ComputeClient client, @Nullable Stream kernels, Communicator comm) {
    this.client = client;
    this.kernels = kernels;
    this.comm = comm;
  }

  /** Makes the peers of a client's device whose kernels are in a stream. */
  public static DevicePeers of(ComputeClient client, Stream kernels, Communicator comm) {
    return new DevicePeers(client, kernels, comm);
  }

  /** Makes those of the host, which has none. */
  public static DevicePeers none(Communicator comm) {
    return new DevicePeers(null, null, comm);
  }

  /** Returns what the devices do together; empty if they are not connected. Collective at first. */
  public Optional<DeviceCollectives> collectives() {
    return link().map(Link::collectives);
  }

  /** Returns why they are not connected; empty if they are or it was not asked. */
  public String reason() {
    return reason;
  }

  Optional<Link> link() {
    if (link == null && reason.isEmpty()) {
      if (client == null || kernels == null) {
        reason = "arrays are the host's";
      } else if (comm.size() == 1) {
        reason = "there is one rank";
      } else {
        connect(client, kernels);
      }
    }
    return Optional.ofNullable(link);
  }

  private void connect(ComputeClient mine, Stream work) {
    DeviceConnection connection = DeviceConnection.of(mine.device().spi(), comm);
    reason = connection.reason();
    connection
        .collectives()
        .ifPresent(
            made -> {
              ComputeStream opened = mine.openStream("messages", 1);
              wire = opened;
              link = new Link(made, work, opened.timeline());
            });
  }

  /** Ends the connection. Collective. */
  @Override
  public void close() {
    Link made = link;
    ComputeStream opened = wire;
    link = null;
    if (made != null && opened != null) {
      reason = "closed";
      opened.close();
      made.collectives().close();
    }
  }
}
