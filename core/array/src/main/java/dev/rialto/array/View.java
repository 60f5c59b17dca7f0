package dev.rialto.array;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A rank's part of an array as loops see it, or of a copy that is divided in another way.
 *
 * @param type of the elements
 * @param memory where they are
 * @param distribution how they are divided
 * @param part where in the memory they lie
 */
record View(DType type, MemorySegment memory, Distribution distribution, LocalPart part) {
  static View of(DistributedArray array) {
    return new View(array.type(), array.local(), array.distribution(), array.part());
  }

  /** Returns what reads and writes the elements. */
  Elements elements() {
    return Elements.of(type);
  }

  long count() {
    return part.count();
  }

  long address(long index) {
    return memory.address() + part.place(index) * type.size();
  }

  /** Returns a view of fresh memory for elements divided in a way. */
  static View temporary(DType type, Distribution distribution, int rank, Arena arena) {
    LocalPart part = LocalPart.of(distribution, null, rank);
    MemorySegment memory = arena.allocate(type.bytes(part.span()), 64);
    return new View(type, memory, distribution, part);
  }

  /** Returns the elements of an array, divided as another is: its own memory or a copy. */
  static View aligned(Run run, Arena arena, DistributedArray array, DistributedArray as) {
    return array.isAlignedWith(as) ? of(array) : copy(run, arena, of(array), as.distribution());
  }

  /** Returns the elements of an array in row-major order from rank to rank. */
  static View inOrder(Run run, Arena arena, DistributedArray array) {
    return array.isInOrder() ? of(array) : copy(run, arena, of(array), slabs(array));
  }

  /** Returns the elements of an array in row-major order, divided as a view in that order is. */
  static View inOrderAs(Run run, Arena arena, DistributedArray array, View as) {
    return array.isInOrder() && as.hasCountsOf(array.distribution())
        ? of(array)
        : copy(run, arena, of(array), as.distribution);
  }

  /** Returns whether each rank has as many elements as in another distribution. */
  boolean hasCountsOf(Distribution other) {
    for (int rank = 0; rank < other.ranks(); rank++) {
      if (distribution.localCount(rank) != other.localCount(rank)) {
        return false;
      }
    }
    return true;
  }

  /** Returns how an array is divided when its elements lie in order. */
  static Distribution slabs(DistributedArray array) {
    return array.isInOrder()
        ? array.distribution()
        : Decomposition.block().divide(array.shape(), array.distribution().ranks());
  }

  private static View copy(Run run, Arena arena, View view, Distribution to) {
    View copy = temporary(view.type, to, run.rank(), arena);
    run.communicate(comm -> view.moveTo(comm, copy));
    return copy;
  }

  /** Copies the elements to another view, whatever its division. Collective. */
  void moveTo(Communicator comm, View to) {
    Movement.move(comm, type, distribution, part, memory, to.distribution, to.part, to.memory);
  }

  /** Does something with each stretch of elements that lie without gaps in all views. */
  @FunctionalInterface
  interface Stretch {
    void run(long index, long count);
  }

  /** Visits the stretches of the elements from {@code begin} to {@code end}. */
  static void stretches(long begin, long end, Stretch body, View... views) {
    long at = begin;
    while (at < end) {
      long count = end - at;
      for (View view : views) {
        count = Math.min(count, view.part.run(at));
      }
      body.run(at, count);
      at += count;
    }
  }
}
