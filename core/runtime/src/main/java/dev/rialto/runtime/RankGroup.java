package dev.rialto.runtime;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.memory.MemoryTransfer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Operations of a device's buffers with those of other ranks.
 *
 * <p>They run on a stream of their own, after what wrote the buffers and before what uses them
 * next, while other streams go on. All ranks add the same ones in the same order. Where the host
 * cannot access the device's memory they go through staging memory.
 */
public final class RankGroup implements AutoCloseable {
  private final Communicator comm;
  private final ComputeStream stream;

  RankGroup(ComputeDevice device, Communicator comm) {
    this.comm = comm.dup();
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

  /** Combines on all ranks; both may be the same buffer. */
  public void allReduce(Buffer send, Buffer receive, DType type, long count, ReduceOp op) {
    add(
        "allReduce",
        send,
        type.bytes(count),
        receive,
        type.bytes(count),
        (from, to) -> comm.allReduce(from, to, type, count, op));
  }

  /** Combines, and gives each rank a block of {@code count} elements. */
  public void reduceScatter(Buffer send, Buffer receive, DType type, long count, ReduceOp op) {
    long[] counts = new long[size()];
    Arrays.fill(counts, count);
    add(
        "reduceScatter",
        send,
        type.bytes(count * size()),
        receive,
        type.bytes(count),
        (from, to) -> comm.reduceScatter(from, to, type, counts, op));
  }

  /** Collects {@code count} elements of each rank on all ranks. */
  public void allGather(Buffer send, Buffer receive, DType type, long count) {
    add(
        "allGather",
        send,
        type.bytes(count),
        receive,
        type.bytes(count * size()),
        (from, to) -> comm.allGather(from, to, type, count));
  }

  /** Copies the root's elements to all ranks. */
  public void broadcast(Buffer buffer, DType type, long count, int root) {
    add(
        "broadcast",
        buffer,
        type.bytes(count),
        buffer,
        type.bytes(count),
        (_, to) -> comm.broadcast(to, type, count, root));
  }

  /** Sends elements to a rank. */
  public void send(Buffer buffer, DType type, long count, int to, int tag) {
    add(
        "send",
        buffer,
        type.bytes(count),
        null,
        0,
        (from, _) -> comm.send(from, type, count, to, tag));
  }

  /** Receives elements from a rank. */
  public void receive(Buffer buffer, DType type, long count, int from, int tag) {
    add(
        "receive",
        null,
        0,
        buffer,
        type.bytes(count),
        (_, to) -> comm.receive(to, type, count, from, tag));
  }

  /** Does something with the host's memory of what is sent and received. */
  @FunctionalInterface
  private interface Exchange {
    void run(MemorySegment send, MemorySegment receive);
  }

  private void add(
      String name,
      @Nullable Buffer send,
      long sent,
      @Nullable Buffer receive,
      long received,
      Exchange exchange) {
    ComputeDevice device = stream.device();
    List<Footprint.Use> uses = new ArrayList<>();
    if (send != null) {
      uses.add(new Footprint.Use(require(send, sent, name), Access.READ));
    }
    if (receive != null) {
      uses.add(new Footprint.Use(require(receive, received, name), Access.WRITE));
    }
    Operation operation = Operation.at(Operation.Kind.COLLECTIVE, name, sent + received);
    if (device.isHostAccessible()) {
      MemorySegment from = send == null ? MemorySegment.NULL : send.segment();
      MemorySegment to = receive == null ? MemorySegment.NULL : receive.segment();
      long _ =
          stream.submit(operation, new Footprint(uses), on -> on.run(() -> exchange.run(from, to)));
      return;
    }
    MemoryTransfer transfer = device.spi().transfer();
    try (Buffer out = BufferFactory.staging(device, "staging", sent);
        Buffer in = BufferFactory.staging(device, "staging", received)) {
      uses.add(new Footprint.Use(out, Access.WRITE));
      uses.add(new Footprint.Use(in, Access.WRITE));
      // In place stays in place: what is received starts as what is sent.
      MemorySegment to = send == receive ? out.segment() : in.segment();
      long _ =
          stream.submit(
              operation,
              new Footprint(uses),
              on -> {
                if (send != null) {
                  transfer.copyAsync(send.segment(), out.segment(), sent, on);
                }
                on.run(() -> exchange.run(out.segment(), to));
                if (receive != null) {
                  transfer.copyAsync(to, receive.segment(), received, on);
                }
              });
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
   * @throws dev.rialto.spi.error.DeviceException if one failed and nobody has been told
   */
  public void sync() {
    stream.sync();
  }

  /** Waits for all operations and leaves the group. Collective. */
  @Override
  public void close() {
    try (comm) {
      stream.close();
    }
  }
}
