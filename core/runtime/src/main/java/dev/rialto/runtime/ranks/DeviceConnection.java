package dev.rialto.runtime.ranks;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.error.CommunicationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The collectives of the devices of several ranks, or why there are none.
 *
 * <p>Either all ranks have them or none has. Connecting takes long (seconds with NCCL) and needs a
 * device per rank.
 *
 * @param collectives what the devices do together; the holder closes it
 * @param reason why they are not connected; empty if they are
 */
public record DeviceConnection(Optional<DeviceCollectives> collectives, String reason) {
  /** Connects the devices of all ranks of a communicator, as far as they can be. Collective. */
  public static DeviceConnection of(Device device, Communicator comm) {
    if (!comm.capabilities().contains(Capability.COLLECTIVES)) {
      return none(comm.name() + " has no collectives to connect devices by");
    }
    // A device that connects would wait for one of another kind, which does not.
    String name = device.name();
    long kind = name.substring(0, Math.max(0, name.indexOf(':'))).hashCode();
    if (least(comm, kind) != -least(comm, -kind)) {
      return none("the ranks have devices of different backends");
    }
    DeviceCollectives made = null;
    String refusal = "another rank could not connect its device";
    try {
      made = device.collectives(comm);
    } catch (UnsupportedOperationException | CommunicationException e) {
      refusal = String.valueOf(e.getMessage());
    }
    if (least(comm, made == null ? 0 : 1) == 1) {
      return new DeviceConnection(Optional.ofNullable(made), "");
    }
    if (made != null) {
      made.close();
    }
    return none(refusal);
  }

  private static DeviceConnection none(String reason) {
    return new DeviceConnection(Optional.empty(), reason);
  }

  /** Returns the least number that a rank gives. Collective. */
  public static long least(Communicator comm, long mine) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment one = arena.allocateFrom(JAVA_LONG, mine);
      MemorySegment all = arena.allocate(JAVA_LONG);
      comm.allReduce(one, all, DType.I64, 1, ReduceOp.MIN);
      return all.get(JAVA_LONG, 0);
    }
  }
}
