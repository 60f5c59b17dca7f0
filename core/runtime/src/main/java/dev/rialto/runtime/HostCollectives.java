package dev.rialto.runtime;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.rialto.runtime.ranks.DeviceConnection;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Collectives of devices that are not connected: a communicator's, called in the device's stream.
 *
 * <p>If some rank's device hides its memory from the host, all ranks cut an operation into the same
 * pieces, each of which is copied to staging memory, combined or sent, and copied back; so an
 * operation of any size needs {@value #PIECE} bytes of it at most for up to that many ranks.
 * Otherwise the communicator works in the buffers themselves.
 */
final class HostCollectives {
  static final long PIECE = 16 << 20;

  private final ComputeDevice device;
  private final Communicator comm;
  private final boolean staged;

  /** Agrees with all ranks on pieces. Collective. */
  HostCollectives(ComputeDevice device, Communicator comm) {
    this.device = device;
    this.comm = comm;
    this.staged = DeviceConnection.least(comm, device.isHostAccessible() ? 1 : 0) == 0;
  }

  /** Something that a communicator does with host memory. */
  @FunctionalInterface
  interface Call {
    void run(MemorySegment send, MemorySegment receive, long count);
  }

  /**
   * Elements of one operation.
   *
   * @param type their type
   * @param count how many each block has
   * @param sent the blocks that are sent, one after the other
   * @param received the blocks that are received
   */
  record Extent(DType type, long count, int sent, int received) {
    long sentBytes() {
      return type.bytes(Math.multiplyExact(count, sent));
    }

    long receivedBytes() {
      return type.bytes(Math.multiplyExact(count, received));
    }

    /** Returns the elements of each block in a piece. */
    private long piece() {
      return Math.clamp(PIECE / ((long) type.size() * (sent + received)), 1, Math.max(1, count));
    }

    long pieceBytes() {
      return type.bytes(piece() * (sent + received));
    }
  }

  /** Returns whether all ranks go through staging memory. */
  boolean isStaged() {
    return staged;
  }

  /** Adds an operation by way of staging memory to a stream. */
  void add(
      Extent extent,
      MemorySegment send,
      MemorySegment receive,
      MemorySegment staging,
      Call call,
      Stream on) {
    DType type = extent.type;
    for (long done = 0; done < extent.count; done += extent.piece()) {
      long count = Math.min(extent.piece(), extent.count - done);
      long bytes = type.bytes(count);
      MemorySegment out = staging.asSlice(0, bytes * extent.sent);
      MemorySegment in = staging.asSlice(out.byteSize(), bytes * extent.received);
      for (int block = 0; block < extent.sent; block++) {
        long from = type.bytes(block * extent.count + done);
        copy(device.slice(send, from, bytes), out.asSlice(block * bytes, bytes), bytes, on);
      }
      on.run(() -> call.run(out, in, count));
      for (int block = 0; block < extent.received; block++) {
        long to = type.bytes(block * extent.count + done);
        copy(in.asSlice(block * bytes, bytes), device.slice(receive, to, bytes), bytes, on);
      }
    }
  }

  private void copy(MemorySegment from, MemorySegment to, long bytes, Stream on) {
    device.spi().transfer().copyAsync(from, to, bytes, on);
  }

  // --- Calls ------------------------------------------------------------------------------------

  Call allReduce(DType type, ReduceOp op) {
    return (send, receive, count) -> {
      comm.allReduce(send, receive, type, count, combining(op));
      finish(receive, type, count, op);
    };
  }

  Call reduceScatter(DType type, ReduceOp op) {
    return (send, receive, count) -> {
      long[] counts = new long[comm.size()];
      Arrays.fill(counts, count);
      comm.reduceScatter(send, receive, type, counts, combining(op));
      finish(receive, type, count, op);
    };
  }

  Call allGather(DType type) {
    return (send, receive, count) -> comm.allGather(send, receive, type, count);
  }

  Call broadcast(DType type, int root) {
    boolean sends = comm.rank() == root;
    return (send, receive, count) -> comm.broadcast(sends ? send : receive, type, count, root);
  }

  Call send(DType type, int to) {
    return (send, _, count) -> comm.send(send, type, count, to, 0);
  }

  Call receive(DType type, int from) {
    return (_, receive, count) -> comm.receive(receive, type, count, from, 0);
  }

  private static ReduceOp combining(ReduceOp op) {
    return op.equals(DeviceCollectives.MEAN) ? ReduceOp.SUM : op;
  }

  /** Makes means of sums. */
  private void finish(MemorySegment elements, DType type, long count, ReduceOp op) {
    if (op.equals(DeviceCollectives.MEAN)) {
      long parts = type.kind() == DType.Kind.COMPLEX ? 2 * count : count;
      for (long i = 0; i < parts; i++) {
        divide(elements, type, i);
      }
    }
  }

  private void divide(MemorySegment elements, DType type, long i) {
    int by = comm.size();
    switch (type) {
      case F16 -> {
        float sum = Float.float16ToFloat(elements.get(JAVA_SHORT_UNALIGNED, 2 * i));
        elements.set(JAVA_SHORT_UNALIGNED, 2 * i, Float.floatToFloat16(sum / by));
      }
      case BF16 -> {
        float sum = Float.intBitsToFloat(elements.get(JAVA_SHORT_UNALIGNED, 2 * i) << 16);
        elements.set(JAVA_SHORT_UNALIGNED, 2 * i, upperHalf(sum / by));
      }
      case F32, C64 -> {
        float sum = elements.get(JAVA_FLOAT_UNALIGNED, 4 * i);
        elements.set(JAVA_FLOAT_UNALIGNED, 4 * i, sum / by);
      }
      case F64, C128 -> {
        double sum = elements.get(JAVA_DOUBLE_UNALIGNED, 8 * i);
        elements.set(JAVA_DOUBLE_UNALIGNED, 8 * i, sum / by);
      }
      case I8, I16, I32, I64, U8, U16, U32, U64 ->
          throw new AssertionError(type + " was let through");
    }
  }

  /** Rounds to the nearest number that the upper half of the bits can hold, a tie to the even. */
  private static short upperHalf(float value) {
    int bits = Float.floatToIntBits(value);
    return (short) (Float.isNaN(value) ? bits >> 16 : (bits + 0x7fff + ((bits >>> 16) & 1)) >> 16);
  }
}
