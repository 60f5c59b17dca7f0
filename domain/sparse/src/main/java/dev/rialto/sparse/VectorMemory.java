package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.runtime.Resource;
import dev.rialto.sparse.local.VectorKernels;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a vector: its own, or that of an array.
 *
 * @param home the device it is on; null if that is the host
 * @param elements what is owned
 * @param halo where the halo is: behind room for what is owned, at the places of local indices. An
 *     array has no room for it; it is in memory of the map or the device then
 * @param kernels the loops over it
 * @param release gives it back
 */
record VectorMemory(
    @Nullable SparseDevice home,
    MemorySegment elements,
    MemorySegment halo,
    VectorKernels kernels,
    Runnable release) {

  /** Allocates zeros on a device, or on the host. */
  static VectorMemory allocate(IndexMap map, DType type, int width, @Nullable SparseDevice home) {
    if (width < 1 || (long) map.locals() * width > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "%d vectors of %d local elements; give from 1 to %d"
              .formatted(width, map.locals(), (Integer.MAX_VALUE - 8) / Math.max(1, map.locals())));
    }
    long bytes = Math.max(64, type.bytes((long) map.locals() * width));
    if (home == null) {
      VectorKernels kernels = VectorKernels.of(type);
      Arena arena = Arena.ofShared();
      MemorySegment elements = arena.allocate(bytes, 64);
      return new VectorMemory(null, elements, elements, kernels, arena::close);
    }
    if (map.isOverlapping()) {
      throw new UnsupportedOperationException(
          "elements that several ranks own on "
              + home.device().name()
              + "; use vectors of the host for overlaps");
    }
    VectorKernels kernels = home.vectors(type);
    Allocation allocation = home.device().memory().allocate(bytes);
    MemorySegment elements = allocation.segment();
    return new VectorMemory(home, elements, elements, kernels, () -> end(home, allocation::close));
  }

  /** Takes the memory of an array of the host that has no halo of its own. */
  static VectorMemory of(IndexMap map, Array array, int width) {
    DType type = array.type();
    return new VectorMemory(
        null, array.local(), map.arrays().halo(type, width), VectorKernels.of(type), () -> {});
  }

  /** Takes the memory of an array on a device that has no halo of its own, until it is released. */
  static VectorMemory of(SparseDevice home, IndexMap map, Array array, boolean writes) {
    VectorKernels kernels = home.vectors(array.type());
    MemorySegment halo = home.halo(map, array.type());
    Resource lent = array.space().client().resource(array.buffer(), writes);
    MemorySegment elements = MemorySegment.ofAddress(lent.segment().address());
    return new VectorMemory(home, elements, halo, kernels, () -> end(home, lent::close));
  }

  /** Gives memory of a device back when its work is done. */
  private static void end(SparseDevice home, Runnable release) {
    try {
      home.stream().await();
    } finally {
      release.run();
    }
  }
}
