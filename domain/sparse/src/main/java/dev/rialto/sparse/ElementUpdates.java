package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.exchange.plan.Region;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.VectorKernels;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;

/**
 * Updates of elements that several ranks have. Those that wait exchange elements of the arrays
 * themselves. Those that are started exchange copies of the elements that travel, and of no others,
 * in memory of the map: the arrays may then be written, or closed, while messages are under way.
 */
record ElementUpdates(IndexMap map, DType type, int width, VectorKernels kernels) {
  void updateHalo(MemorySegment elements, Array halo) {
    withMemory(
        memory -> {
          map.haloExchange(type, width).run(elements, memory);
          halo.copyFrom(haloPart(memory, halo));
        });
  }

  StartedUpdate startHalo(MemorySegment elements, Array halo) {
    ExchangePlan plan = map.haloPlan(width);
    return start(
        plan,
        memory -> {
          // Refused now rather than at the await.
          MemorySegment _ = haloPart(memory, halo);
          copy(plan.sends(), elements, memory);
        },
        memory -> halo.copyFrom(haloPart(memory, halo)));
  }

  void addHalo(Array halo, MemorySegment elements) {
    withMemory(
        memory -> {
          halo.copyTo(haloPart(memory, halo));
          map.addingExchange(type, width).run(memory, elements);
        });
  }

  StartedUpdate startAddHalo(Array halo, Array x) {
    ExchangePlan plan = map.addingPlan(width);
    return start(
        plan,
        memory -> {
          halo.copyTo(haloPart(memory, halo));
          forEachRun(plan.receives(), (at, bytes) -> memory.asSlice(at, bytes).fill((byte) 0));
        },
        memory -> {
          long to = elements(x).address();
          forEachRun(
              plan.receives(),
              (at, bytes) -> {
                int count = (int) (bytes / type.size());
                kernels.axpby(count, Scalar.ONE, memory.address() + at, Scalar.ONE, to + at);
                // An element that comes from several ranks is in several runs and added once.
                memory.asSlice(at, bytes).fill((byte) 0);
              });
        });
  }

  StartedUpdate startOverlap(MemorySegment elements, Array x, Overlap.Rule rule) {
    ExchangePlan plan = map.overlapPlan(rule, width);
    return start(
        plan,
        memory -> copy(plan.sends(), elements, memory),
        memory -> copy(plan.receives(), memory, elements(x)));
  }

  void clearCopies(MemorySegment elements) {
    for (int copy : map.copies()) {
      for (int vector = 0; vector < width; vector++) {
        Element.set(elements, type, (long) copy * width + vector, Scalar.ZERO);
      }
    }
  }

  private StartedUpdate start(
      ExchangePlan plan, Consumer<MemorySegment> before, Consumer<MemorySegment> after) {
    HaloMemory.Kind kind = new HaloMemory.Kind(map, type, width);
    MemorySegment memory = map.arrays().halos().take(kind);
    before.accept(memory);
    return StartedUpdates.of(map.team()).start(plan, kind, memory, () -> after.accept(memory));
  }

  private void withMemory(Consumer<MemorySegment> work) {
    HaloMemory.Kind kind = new HaloMemory.Kind(map, type, width);
    MemorySegment memory = map.arrays().halos().take(kind);
    work.accept(memory);
    // Memory of an exchange that failed is not used again: messages may be under way.
    map.arrays().halos().giveBack(kind, memory);
  }

  private MemorySegment haloPart(MemorySegment memory, Array halo) {
    long elements = (long) (map.locals() - map.owned()) * width;
    if (halo.type() != type || halo.distribution().localCount(map.comm().rank()) != elements) {
      throw new IllegalArgumentException(
          "%s for the %d copies of %s of %d vectors that this rank needs; make it in map().haloSpace(%d)"
              .formatted(halo, elements, type, width, width));
    }
    return memory.asSlice(type.bytes((long) map.owned() * width), type.bytes(elements));
  }

  /** Returns the elements of an array that may have been changed since the update was started. */
  private MemorySegment elements(Array x) {
    if (map.arrays().width(x, type) != width || !ArrayFit.isDense(x)) {
      throw new IllegalArgumentException(
          "%s was given another shape while its elements were under way; await them first"
              .formatted(x));
    }
    return x.local();
  }

  private void copy(List<Block> blocks, MemorySegment from, MemorySegment to) {
    forEachRun(blocks, (at, bytes) -> MemorySegment.copy(from, at, to, at, bytes));
  }

  private void forEachRun(List<Block> blocks, Layout.RunVisitor visitor) {
    for (Block block : blocks) {
      for (Region region : block.regions()) {
        region.layout(type).forEachRun(visitor);
      }
    }
  }
}
