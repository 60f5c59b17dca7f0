package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Resource;
import dev.rialto.sparse.local.VectorKernels;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a vector: its own, with room for a halo behind what is owned, or that of an array,
 * whose halo is in memory that is kept for such.
 */
final class VectorMemory {
  private final @Nullable SparseDevice home;
  private final MemorySegment elements;
  private final VectorKernels kernels;
  private final Runnable release;

  /** Where the halo comes from; null if it lies behind the elements. */
  private final @Nullable HaloMemory halos;

  private final HaloMemory.Kind kind;
  private @Nullable MemorySegment halo;
  private boolean released;

  private VectorMemory(
      @Nullable SparseDevice home,
      HaloMemory.Kind kind,
      MemorySegment elements,
      VectorKernels kernels,
      @Nullable HaloMemory halos,
      Runnable release) {
    this.home = home;
    this.kind = kind;
    this.elements = elements;
    this.kernels = kernels;
    this.halos = halos;
    this.halo = halos == null ? elements : null;
    this.release = release;
  }

  /** Allocates zeros on a device, or on the host. */
  static VectorMemory allocate(HaloMemory.Kind kind, @Nullable SparseDevice home) {
    IndexMap map = kind.map();
    int width = kind.width();
    if (width < 1 || (long) map.locals() * width > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "%d vectors of %d local elements; give from 1 to %d"
              .formatted(width, map.locals(), (Integer.MAX_VALUE - 8) / Math.max(1, map.locals())));
    }
    DType type = kind.type();
    long bytes = Math.max(64, type.bytes((long) map.locals() * width));
    if (home == null) {
      VectorKernels kernels = VectorKernels.of(type);
      Resource lent = Devices.host().lend("vector", bytes);
      MemorySegment zeros = lent.segment().fill((byte) 0);
      return new VectorMemory(null, kind, zeros, kernels, null, lent::close);
    }
    if (map.isOverlapping()) {
      throw new UnsupportedOperationException(
          "elements that several ranks own on "
              + home.device().name()
              + "; use vectors of the host for overlaps");
    }
    VectorKernels kernels = home.vectors(type);
    Resource lent = home.lend(bytes);
    return new VectorMemory(
        home, kind, lent.segment(), kernels, null, () -> end(home, lent::close));
  }

  /** Takes the memory of an array of the host that has no gaps. */
  static VectorMemory of(HaloMemory.Kind kind, Array array) {
    return new VectorMemory(
        null,
        kind,
        array.local(),
        VectorKernels.of(kind.type()),
        kind.map().arrays().halos(),
        () -> {});
  }

  /** Takes the memory of an array on a device that has no gaps, until it is released. */
  static VectorMemory of(HaloMemory.Kind kind, SparseDevice home, Array array, boolean writes) {
    VectorKernels kernels = home.vectors(kind.type());
    Resource lent = array.space().client().resource(array.buffer(), writes);
    MemorySegment elements = MemorySegment.ofAddress(lent.segment().address());
    return new VectorMemory(
        home, kind, elements, kernels, home.halos(), () -> end(home, lent::close));
  }

  /** Returns the same elements for a map with another halo, until this is released. */
  VectorMemory with(IndexMap map) {
    HaloMemory pool = home == null ? map.arrays().halos() : home.halos();
    HaloMemory.Kind other = new HaloMemory.Kind(map, kind.type(), kind.width());
    return new VectorMemory(home, other, elements, kernels, pool, () -> {});
  }

  /** Returns the same memory, before whose release something else is done. */
  VectorMemory before(Runnable last) {
    return new VectorMemory(
        home,
        kind,
        elements,
        kernels,
        null,
        () -> {
          try {
            last.run();
          } finally {
            release();
          }
        });
  }

  /** Gives memory of a device back when its work is done. */
  private static void end(SparseDevice home, Runnable release) {
    try {
      home.stream().await();
    } finally {
      release.run();
    }
  }

  /** Returns the device it is on; null if that is the host. */
  @Nullable SparseDevice home() {
    return home;
  }

  /** Returns the map, the type and how many vectors there are. */
  HaloMemory.Kind kind() {
    return kind;
  }

  /** Returns what is owned. */
  MemorySegment elements() {
    return elements;
  }

  /** Returns the memory that has the halo, at the places of local indices. */
  MemorySegment halo() {
    MemorySegment taken = halo;
    if (taken == null && halos != null) {
      taken = halos.take(kind);
      halo = taken;
    }
    return taken == null ? elements : taken;
  }

  /** Returns whether the halo lies behind the elements. */
  boolean isWhole() {
    return halos == null;
  }

  /** Returns the loops over it. */
  VectorKernels kernels() {
    return kernels;
  }

  boolean isAlive() {
    return !released && elements.scope().isAlive();
  }

  /** Gives it back. */
  void release() {
    released = true;
    release.run();
    MemorySegment taken = halo;
    if (halos != null && taken != null) {
      halos.giveBack(kind, taken);
    }
  }
}
