package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.transport.Transport;
import dev.rialto.spi.data.DType;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages of one direction: to or from other ranks, never the rank's own block. */
final class Messages {
  private final Block[] blocks;
  private final long[] bytes;
  private final DType type;
  private final int vectors;

  Messages(List<Block> all, int rank, DType type, int vectors) {
    this.blocks = all.stream().filter(b -> b.peer() != rank).toArray(Block[]::new);
    this.bytes =
        Arrays.stream(blocks)
            .mapToLong(block -> type.bytes(Math.multiplyExact(block.count(), (long) vectors)))
            .toArray();
    this.type = type;
    this.vectors = vectors;
  }

  DType type() {
    return type;
  }

  int count() {
    return blocks.length;
  }

  Block block(int message) {
    return blocks[message];
  }

  /** Returns the bytes of a message before a codec makes them fewer. */
  long bytes(int message) {
    return bytes[message];
  }

  long elements(int message) {
    return bytes[message] / type.size();
  }

  long totalBytes() {
    return Arrays.stream(bytes).sum();
  }

  long longest() {
    return Arrays.stream(bytes).max().orElse(0);
  }

  int[] peers() {
    return Arrays.stream(blocks).mapToInt(Block::peer).toArray();
  }

  /** Returns the most bytes of each message on its way. */
  long[] bounds(@Nullable Encoder encoder) {
    return encoder == null
        ? bytes
        : Arrays.stream(bytes).map(raw -> encoder.bound(raw / type.size())).toArray();
  }

  MessageKernels pack(ExchangeKernels kernels, int message) {
    return MessageKernels.pack(kernels, type, blocks[message], vectors);
  }

  MessageKernels unpack(ExchangeKernels kernels, UnpackPlan landing) {
    return MessageKernels.unpack(kernels, type, landing, vectors);
  }

  /** Returns what moves a message from its sender's arrays. */
  MessageKernels direct(ExchangeKernels kernels, Block from, Block to) {
    return MessageKernels.direct(kernels, type, from, to, vectors);
  }

  InPlace[] places(Transport.Reach reach, ExchangeKernels kernels) {
    return Arrays.stream(blocks)
        .map(block -> InPlace.of(block, type, reach, kernels))
        .toArray(InPlace[]::new);
  }
}
