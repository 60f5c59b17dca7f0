package dev.rialto.sparse.precond;

import dev.rialto.array.Array;
import dev.rialto.sparse.IndexMap;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Solves with the memory of one vector after another. One vector in memory without gaps is used in
 * place; several, or one among the elements of a halo, are copied out and back.
 */
final class EachVector {
  private EachVector() {}

  /** Sets one vector, in the order of the map's local indices, from another. */
  @FunctionalInterface
  interface Body {
    void apply(MemorySegment r, MemorySegment z);
  }

  static void apply(IndexMap map, DType type, Array r, Array z, Body body) {
    int width = map.width(r, type);
    if (width != map.width(z, type)) {
      throw new IllegalArgumentException(
          "%d vectors from %d; give as many of each".formatted(map.width(z, type), width));
    }
    if (r.isOnDevice() || z.isOnDevice()) {
      throw new UnsupportedOperationException(
          "factors of the host with %s and %s; use Jacobi, or arrays of space().onHost()"
              .formatted(r, z));
    }
    if (width == 1 && !isApart(r) && !isApart(z)) {
      body.apply(r.local(), z.local());
      return;
    }
    long size = type.size();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(Math.max(64, size * map.owned() * width), 64);
      MemorySegment in = arena.allocate(Math.max(64, size * map.owned()), 64);
      MemorySegment out = arena.allocate(Math.max(64, size * map.owned()), 64);
      r.copyTo(all);
      for (int vector = 0; vector < width; vector++) {
        for (long i = 0; i < map.owned(); i++) {
          MemorySegment.copy(all, (i * width + vector) * size, in, i * size, size);
        }
        body.apply(in, out);
        for (long i = 0; i < map.owned(); i++) {
          MemorySegment.copy(out, i * size, all, (i * width + vector) * size, size);
        }
      }
      z.copyFrom(all);
    }
  }

  private static boolean isApart(Array array) {
    return array.isView() || array.space().hasHalo();
  }
}
