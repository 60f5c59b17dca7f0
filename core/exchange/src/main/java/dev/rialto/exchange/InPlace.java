package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Region;
import dev.rialto.exchange.transport.Transport;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The place of a message in an array, if the transport can move it from or to there as it is. */
final class InPlace {
  private final boolean usable;
  private final long offset;
  private final long bytes;
  private final @Nullable Layout layout;
  private final ExchangeKernels kernels;
  private @Nullable MemorySegment array;
  private @Nullable MemorySegment last;

  private InPlace(
      boolean usable, long offset, long bytes, @Nullable Layout layout, ExchangeKernels kernels) {
    this.usable = usable;
    this.offset = offset;
    this.bytes = bytes;
    this.layout = layout;
    this.kernels = kernels;
  }

  static InPlace of(Block block, DType type, Transport.Reach reach, ExchangeKernels kernels) {
    long first = block.contiguousFrom();
    if (reach != Transport.Reach.BUFFERS && first >= 0) {
      return new InPlace(true, type.bytes(first), type.bytes(block.count()), null, kernels);
    }
    if (reach == Transport.Reach.LAYOUTS) {
      Region region = MessageKernels.flat(block.regions());
      Layout layout = region.layout(type);
      return new InPlace(true, 0, layout.span(), layout, kernels);
    }
    return new InPlace(false, 0, 0, null, kernels);
  }

  boolean usable() {
    return usable;
  }

  @Nullable Layout layout() {
    return layout;
  }

  /** Returns the part of an array; the same array gives the same segment. */
  MemorySegment in(MemorySegment memory) {
    MemorySegment known = last;
    MemorySegment before = array;
    // An address comes back in another arena when the one that had it is closed.
    if (known != null
        && before != null
        && memory.equals(before)
        && memory.scope().equals(before.scope())) {
      return known;
    }
    array = memory;
    MemorySegment part = kernels.part(memory, offset, bytes);
    last = part;
    return part;
  }
}
