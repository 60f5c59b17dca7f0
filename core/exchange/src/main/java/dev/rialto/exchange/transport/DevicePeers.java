package dev.rialto.exchange.transport;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
  private final @Nullable Device device;
  private final @Nullable Stream kernels;
  private final Communicator comm;
  private @Nullable Link link;
  private String reason = "";

  /** What messages need: the collectives, the stream of kernels and that of messages. */
  record Link(DeviceCollectives collectives, Stream kernels, Stream wire) {}

  private DevicePeers(@Nullable Device device, @Nullable Stream kernels, Communicator comm) {
    this.device = device;
    this.kernels = kernels;
    this.comm = comm;
  }

  /** Makes the peers of a device whose kernels are in a stream. */
  public static DevicePeers of(Device device, Stream kernels, Communicator comm) {
    return new DevicePeers(device, kernels, comm);
  }

  /** Makes those of the host, which has none. */
  public static DevicePeers none(Communicator comm) {
    return new DevicePeers(null, null, comm);
  }

  /** Returns what the devices do together; empty if they are not connected. Collective at first. */
  public Optional<DeviceCollectives> collectives() {
    return link().map(Link::collectives);
  }

  /** Returns why they are not connected; empty if they are or nobody has asked. */
  public String reason() {
    return reason;
  }

  Optional<Link> link() {
    if (link == null && reason.isEmpty()) {
      if (device == null || kernels == null) {
        reason = "arrays are the host's";
      } else if (comm.size() == 1) {
        reason = "there is one rank";
      } else if (!comm.capabilities().contains(Capability.COLLECTIVES)) {
        reason = comm.name() + " has no collectives to connect devices by";
      } else {
        connect(device, kernels);
      }
    }
    return Optional.ofNullable(link);
  }

  private void connect(Device mine, Stream work) {
    DeviceCollectives made = null;
    String refusal = "another rank could not connect its device";
    try {
      made = mine.collectives(comm);
    } catch (UnsupportedOperationException | CommunicationException e) {
      refusal = String.valueOf(e.getMessage());
    }
    if (allHave(made != null)) {
      link = new Link(made, work, mine.openStream(1));
      return;
    }
    if (made != null) {
      made.close();
    }
    reason = refusal;
  }

  private boolean allHave(boolean mine) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment have = arena.allocateFrom(JAVA_LONG, mine ? 1 : 0);
      MemorySegment all = arena.allocate(JAVA_LONG);
      comm.allReduce(have, all, DType.I64, 1, ReduceOp.MIN);
      return all.get(JAVA_LONG, 0) == 1;
    }
  }

  /** Ends the connection. Collective. */
  @Override
  public void close() {
    Link made = link;
    link = null;
    if (made != null) {
      reason = "closed";
      made.wire().close();
      made.collectives().close();
    }
  }
}
