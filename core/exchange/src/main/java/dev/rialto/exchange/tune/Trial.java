package dev.rialto.exchange.tune;

import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.plan.Transpose;
import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Two arrays that are large enough for every grid, shared where that can be, and touched; and the
 * exchanges that were tried, which go when the race is over.
 */
final class Trial implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  final Exchanger exchanger;
  final MemorySegment first;
  final MemorySegment second;

  Trial(Exchanger like, Shape shape, List<int[]> grids, DType type) {
    exchanger = like.with(like.options().kernels());
    int rank = like.communicator().rank();
    long most = 0;
    for (int[] grid : grids) {
      for (int axis = 0; axis < shape.rank(); axis++) {
        most = Math.max(most, Transpose.pencils(shape, grid, axis).localCount(rank));
      }
    }
    long bytes = Math.max(type.bytes(most), 64);
    ExchangeKernels kernels = like.options().kernels();
    boolean shared =
        kernels.onHost() && like.communicator().capabilities().contains(Capability.SHARED_WINDOWS);
    first = shared ? exchanger.allocateShared(bytes) : kernels.array(bytes, arena);
    second = shared ? exchanger.allocateShared(bytes) : kernels.array(bytes, arena);
    if (kernels.onHost()) {
      first.fill((byte) 1);
      second.fill((byte) 1);
    }
  }

  @Override
  public void close() {
    try (arena) {
      exchanger.close();
    }
  }
}
