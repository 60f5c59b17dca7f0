package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import java.lang.foreign.MemorySegment;
import java.util.function.LongFunction;

/**
 * The way between kernels and buffers that they do not reach: by one more copy, through memory that
 * both a device and the host reach. On the host there are no such buffers, and nothing is copied.
 */
final class Staged {
  private final ExchangeKernels kernels;
  private final LongFunction<MemorySegment> allocator;
  private final boolean inOrder;
  private MemorySegment between = MemorySegment.NULL;

  /**
   * Makes it.
   *
   * @param allocator gives memory that both reach
   * @param inOrder whether messages go from device to device, in order with kernels
   */
  Staged(ExchangeKernels kernels, LongFunction<MemorySegment> allocator, boolean inOrder) {
    this.kernels = kernels;
    this.allocator = allocator;
    this.inOrder = inOrder;
  }

  /** Waits for the kernels before another rank uses what they wrote, unless that is in order. */
  void finish() {
    if (!inOrder) {
      kernels.finish();
    }
  }

  private MemorySegment between(long bytes) {
    if (between.byteSize() < bytes) {
      between = allocator.apply(bytes);
    }
    return between;
  }

  void pack(MessageKernels pack, MemorySegment[] arrays, MemorySegment buffer, long bytes) {
    MemorySegment target = writable(buffer, bytes);
    pack.pack(arrays, target);
    written(target, buffer, bytes);
  }

  /** Returns the buffer, or where kernels write instead; {@link #written} takes it on. */
  MemorySegment writable(MemorySegment buffer, long bytes) {
    return kernels.reaches(buffer) ? buffer : between(bytes);
  }

  /** Ends what {@link #writable} began. */
  void written(MemorySegment target, MemorySegment buffer, long bytes) {
    if (target.address() != buffer.address()) {
      kernels.finish();
      MemorySegment.copy(target, 0, buffer, 0, bytes);
    }
  }

  /** Returns a message where kernels read it; until the next one. */
  MemorySegment reached(MemorySegment message, long bytes) {
    if (kernels.reaches(message)) {
      return message;
    }
    MemorySegment copy = between(bytes);
    kernels.finish();
    MemorySegment.copy(message, 0, copy, 0, bytes);
    return copy;
  }
}
