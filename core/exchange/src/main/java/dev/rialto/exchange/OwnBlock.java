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
 * What a rank sends to itself, which never meets the transport. It is moved from array to array,
 * and goes through a buffer only where it is combined or would overwrite what it is made of.
 */
final class OwnBlock {
  private final Passage pack;
  private final Passage unpack;
  private final @Nullable Passage move;
  private final MemorySegment buffer;
  private boolean staged;

  private OwnBlock(Passage pack, Passage unpack, @Nullable Passage move, MemorySegment buffer) {
    this.pack = pack;
    this.unpack = unpack;
    this.move = move;
    this.buffer = buffer;
  }

  static OwnBlock of(
      ExchangePlan plan,
      DType type,
      int vectors,
      List<Landing> landings,
      ExchangeKernels kernels,
      LongFunction<MemorySegment> allocator) {
    Block sent = plan.selfSend().orElse(null);
    if (sent == null) {
      return new OwnBlock(Passage.NONE, Passage.NONE, Passage.NONE, MemorySegment.NULL);
    }
    Block received = plan.selfReceive().orElseThrow();
    Landing landing = landings.get(plan.receives().indexOf(received));
    boolean replaces = plan.combine() == Combine.REPLACE;
    // Only arrays of one length may be one array.
    boolean neverStaged = replaces && plan.inputCount() != plan.outputCount();
    return new OwnBlock(
        Passage.pack(kernels, type, sent, vectors),
        Passage.unpack(kernels, type, landing, vectors),
        replaces ? Passage.direct(kernels, type, sent, received, vectors) : null,
        neverStaged
            ? MemorySegment.NULL
            : allocator.apply(Math.max(type.bytes(sent.count()) * vectors, 64)));
  }

  /** Begins a run: packs the block where it cannot be moved. */
  void start(MemorySegment[] inputs, boolean overwrites) {
    staged = move == null || overwrites;
    if (staged) {
      pack.pack(inputs, buffer);
    }
  }

  /** Moves the block, unless it was packed. */
  void move(MemorySegment[] inputs, MemorySegment[] outputs) {
    Passage direct = move;
    if (!staged && direct != null) {
      for (int vector = 0; vector < inputs.length; vector++) {
        direct.move(inputs[vector], outputs[vector], vector);
      }
    }
  }

  /** Unpacks the block, if it was packed. */
  void unpack(MemorySegment[] outputs) {
    if (staged) {
      unpack.unpack(buffer, outputs);
    }
  }

  long bufferBytes() {
    return buffer.byteSize();
  }
}
