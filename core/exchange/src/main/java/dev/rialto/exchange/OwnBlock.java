package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The block that a rank sends to itself, which never meets the transport. It is moved from array to
 * array, and goes through a buffer only where it is combined or would overwrite what it is made of.
 */
final class OwnBlock {
  private final MessageKernels pack;
  private final MessageKernels unpack;
  private final @Nullable MessageKernels move;
  private final LongFunction<MemorySegment> allocator;
  private final long bytes;
  private @Nullable MemorySegment buffer;
  private boolean staged;

  private OwnBlock(
      MessageKernels pack,
      MessageKernels unpack,
      @Nullable MessageKernels move,
      LongFunction<MemorySegment> allocator,
      long bytes) {
    this.pack = pack;
    this.unpack = unpack;
    this.move = move;
    this.allocator = allocator;
    this.bytes = bytes;
  }

  static OwnBlock of(
      ExchangePlan plan,
      DType type,
      int vectors,
      List<UnpackPlan> landings,
      ExchangeKernels kernels,
      LongFunction<MemorySegment> allocator) {
    Block sent = plan.selfSend().orElse(null);
    if (sent == null) {
      return new OwnBlock(
          MessageKernels.NONE, MessageKernels.NONE, MessageKernels.NONE, allocator, 0);
    }
    Block received = plan.selfReceive().orElseThrow();
    UnpackPlan landing = landings.get(plan.receives().indexOf(received));
    boolean replaces = plan.combine() == Combine.REPLACE;
    return new OwnBlock(
        MessageKernels.pack(kernels, type, sent, vectors),
        MessageKernels.unpack(kernels, type, landing, vectors),
        replaces ? MessageKernels.direct(kernels, type, sent, received, vectors) : null,
        allocator,
        type.bytes(sent.count()) * vectors);
  }

  /** Returns whether it uses arrays by their addresses. */
  boolean byAddress() {
    return pack.byAddress() || unpack.byAddress() || (move != null && move.byAddress());
  }

  /** Begins a run: packs the block where it cannot be moved. */
  void start(MemorySegment[] inputs, boolean overwrites) {
    staged = move == null || overwrites;
    if (staged && bytes > 0) {
      pack.pack(inputs, buffer());
    }
  }

  /** Moves the block, unless it was packed. */
  void move(MemorySegment[] inputs, MemorySegment[] outputs) {
    MessageKernels direct = move;
    if (!staged && direct != null) {
      for (int vector = 0; vector < inputs.length; vector++) {
        direct.move(inputs[vector], outputs[vector], vector);
      }
    }
  }

  void unpack(MemorySegment[] outputs) {
    if (staged && bytes > 0) {
      unpack.unpack(buffer(), outputs);
    }
  }

  private MemorySegment buffer() {
    MemorySegment made = buffer;
    if (made == null) {
      made = allocator.apply(Math.max(bytes, 64));
      buffer = made;
    }
    return made;
  }
}
