package dev.rialto.runtime;

import dev.rialto.runtime.HostCollectives.Call;
import dev.rialto.runtime.HostCollectives.Extent;
import dev.rialto.runtime.ranks.DeviceConnection;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.device.DeviceCollectives.Message;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Operations of a device's buffers with those of other ranks.
 *
 * <p>They run on a stream of their own, after what wrote the buffers and before what uses them
 * next, while other streams go on. All ranks add the same ones in the same order. The devices
 * combine and send by themselves where they can be connected, as GPUs are by NCCL, and what they
 * cannot combine goes by way of the host, in pieces.
 *
 * <p>Reductions take the operators of communicators and {@link DeviceCollectives#MEAN}, the sum
 * divided by the number of ranks, of floating-point and complex elements.
 */
public final class RankGroup implements AutoCloseable {
  private final Communicator comm;
  private final ComputeStream stream;
  private final HostCollectives host;
  private final DeviceConnection connection;

  RankGroup(ComputeDevice device, Communicator comm) {
    this.comm = comm.dup();
    this.host = new HostCollectives(device, this.comm);
    this.connection = DeviceConnection.of(device.spi(), this.comm);
    this.stream = device.openStream(0);
  }

  /** Returns this rank's number. */
  public int rank() {
    return comm.rank();
  }

  /** Returns the number of ranks. */
  public int size() {
    return comm.size();
  }

  /** Returns how operations travel: {@code nccl} or the like, or why they go through the host. */
  public String route() {
    return connection
        .collectives()
        .map(DeviceCollectives::name)
        .orElseGet(() -> "host: " + connection.reason());
  }

  /** Combines on all ranks; both may be the same buffer. */
  public void allReduce(Buffer send, Buffer receive, DType type, long count, ReduceOp op) {
    add(
        "allReduce",
        new Extent(type, count, 1, 1),
        send,
        receive,
        combining(type, op),
        (devices, from, to, on) ->
            devices.allReduce(from, to, part(type), count * parts(type), op, on),
        host.allReduce(type, op));
  }

  /** Combines, and gives each rank a block of {@code count} elements. */
  public void reduceScatter(Buffer send, Buffer receive, DType type, long count, ReduceOp op) {
    add(
        "reduceScatter",
        new Extent(type, count, size(), 1),
        send,
        receive,
        combining(type, op),
        (devices, from, to, on) ->
            devices.reduceScatter(from, to, part(type), count * parts(type), op, on),
        host.reduceScatter(type, op));
  }

  /** Collects {@code count} elements of each rank on all ranks. */
  public void allGather(Buffer send, Buffer receive, DType type, long count) {
    add(
        "allGather",
        new Extent(type, count, 1, size()),
        send,
        receive,
        connection.collectives(),
        (devices, from, to, on) -> devices.allGather(from, to, type, count, on),
        host.allGather(type));
  }

  /** Copies the root's elements to all ranks. */
  public void broadcast(Buffer buffer, DType type, long count, int root) {
    Arguments.rank(root, size(), "root");
    boolean sends = rank() == root;
    add(
        "broadcast",
        sends ? new Extent(type, count, 1, 0) : new Extent(type, count, 0, 1),
        sends ? buffer : null,
        sends ? null : buffer,
        connection.collectives(),
        (devices, from, to, on) -> devices.broadcast(sends ? from : to, type, count, root, on),
        host.broadcast(type, root));
  }

  /**
   * Sends elements to a rank. Messages of two ranks are received in the order they are sent; one
   * may wait, with those after it in the group, until it is received.
   */
  public void send(Buffer buffer, DType type, long count, int to) {
    Arguments.rank(to, size(), "destination");
    add(
        "send",
        new Extent(type, count, 1, 0),
        buffer,
        null,
        connection.collectives(),
        (devices, from, _, on) ->
            devices.exchange(
                List.of(new Message(to, from.address(), type.bytes(count))), List.of(), on),
        host.send(type, to));
  }

  /** Receives elements from a rank, as many as it sends. */
  public void receive(Buffer buffer, DType type, long count, int from) {
    Arguments.rank(from, size(), "source");
    add(
        "receive",
        new Extent(type, count, 0, 1),
        null,
        buffer,
        connection.collectives(),
        (devices, _, to, on) ->
            devices.exchange(
                List.of(), List.of(new Message(from, to.address(), type.bytes(count))), on),
        host.receive(type, from));
  }

  /** Returns what combines elements on the devices, or nothing if the host must. */
  private Optional<DeviceCollectives> combining(DType type, ReduceOp op) {
    boolean mean = op.equals(DeviceCollectives.MEAN);
    if (mean && type.kind() == DType.Kind.INTEGER) {
      throw new IllegalArgumentException(
          "MEAN of " + type + " elements would be rounded; combine by SUM and divide");
    }
    Arguments.reduction(op, type);
    boolean apart = type.kind() != DType.Kind.COMPLEX || mean || op.equals(ReduceOp.SUM);
    return connection.collectives().filter(devices -> apart && devices.supports(part(type), op));
  }

  /** Returns the type of the parts that are combined each by itself. */
  private static DType part(DType type) {
    return type == DType.C64 ? DType.F32 : type == DType.C128 ? DType.F64 : type;
  }

  private static int parts(DType type) {
    return type.kind() == DType.Kind.COMPLEX ? 2 : 1;
  }

  /** Adds an operation of the devices to a stream. */
  @FunctionalInterface
  private interface Connected {
    void add(DeviceCollectives devices, MemorySegment send, MemorySegment receive, Stream on);
  }

  private void add(
      String name,
      Extent extent,
      @Nullable Buffer send,
      @Nullable Buffer receive,
      Optional<DeviceCollectives> devices,
      Connected connected,
      Call call) {
    List<Footprint.Use> uses = new ArrayList<>();
    long sent = extent.sentBytes();
    long received = extent.receivedBytes();
    if (send != null) {
      uses.add(new Footprint.Use(require(send, sent, name), Access.READ));
    }
    if (receive != null) {
      uses.add(new Footprint.Use(require(receive, received, name), Access.WRITE));
    }
    Operation operation = Operation.at(Operation.Kind.COLLECTIVE, name, sent + received);
    MemorySegment from = send == null ? MemorySegment.NULL : send.segment();
    MemorySegment to = receive == null ? MemorySegment.NULL : receive.segment();
    if (devices.isPresent()) {
      DeviceCollectives all = devices.get();
      long _ =
          stream.submit(operation, new Footprint(uses), on -> connected.add(all, from, to, on));
      return;
    }
    if (!host.isStaged()) {
      long _ =
          stream.submit(
              operation,
              new Footprint(uses),
              on -> on.run(() -> call.run(from, to, extent.count())));
      return;
    }
    try (Buffer staging = BufferFactory.staging(stream.device(), "staging", extent.pieceBytes())) {
      uses.add(new Footprint.Use(staging, Access.WRITE));
      long _ =
          stream.submit(
              operation,
              new Footprint(uses),
              on -> host.add(extent, from, to, staging.segment(), call, on));
    }
  }

  private Buffer require(Buffer buffer, long bytes, String name) {
    if (buffer.device() != stream.device()) {
      throw new IllegalArgumentException(buffer + " is not of " + stream.device().name());
    }
    if (buffer.bytes() < bytes) {
      throw new IndexOutOfBoundsException(name + " needs " + bytes + " bytes, more than " + buffer);
    }
    return buffer;
  }

  /**
   * Waits for all operations added so far.
   *
   * @throws dev.rialto.spi.error.DeviceException if one failed and this was not raised yet
   */
  public void sync() {
    stream.sync();
  }

  /** Waits for all operations and leaves the group. Collective. */
  @Override
  public void close() {
    try (comm) {
      try {
        stream.close();
      } finally {
        connection.collectives().ifPresent(DeviceCollectives::close);
      }
    }
  }
}
