package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Copies of arrays on a device that last as long as an operation: with elements divided in another
 * way, without gaps, or computed. An array that is as it should be is given back itself.
 */
final class DeviceTemporaries {
  private DeviceTemporaries() {}

  /** Returns elements that are in memory; those of a zip are computed. */
  static Array stored(OperationRunner run, Array array) {
    return array.zip() == null ? array : computed(run, array);
  }

  /** Returns elements that are in memory, one after another. */
  static Array dense(OperationRunner run, Array array) {
    return array.zip() == null && array.part().isDense() ? array : computed(run, array);
  }

  private static Array computed(OperationRunner run, Array array) {
    Array copy = run.temporary(array.space().viewed(array.distribution()), array.type());
    OnDevice.assign(copy, DeviceValues.of(array, copy));
    return copy;
  }

  /** Returns elements in row-major order from rank to rank. */
  static Array inOrder(OperationRunner run, Array array) {
    return array.isInOrder() ? array : divided(run, array, blocks(array));
  }

  /** Returns elements in row-major order, of which ranks have as many as of another such array. */
  static Array inOrderAs(OperationRunner run, Array array, Array as) {
    return array.isInOrder() && as.values().hasCountsOf(array.distribution())
        ? array
        : divided(run, array, as.space().viewed(as.distribution()));
  }

  /**
   * Returns an array in which row-major order goes from rank to rank: itself, or without values.
   */
  static Array likeInOrder(OperationRunner run, Array array, Array as) {
    return array.isInOrder() && as.values().hasCountsOf(array.distribution())
        ? array
        : run.temporary(as.space().viewed(as.distribution()), array.type());
  }

  /** Returns elements of which each rank has those that it has of another array. */
  static Array aligned(OperationRunner run, Array array, Array as) {
    return OnDevice.isAligned(array, as)
        ? array
        : divided(run, array, as.space().viewed(as.distribution()));
  }

  /** Returns the numbers of a rank's elements, in the order of memory. */
  static Array numbers(OperationRunner run, Array array) {
    Array numbers = run.temporary(array.space().viewed(array.distribution()), DType.I64);
    long count = array.part().count();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment list = arena.allocate(JAVA_LONG, Math.max(count, 1));
      for (long i = 0; i < count; i++) {
        list.setAtIndex(JAVA_LONG, i, array.elementAt(i));
      }
      if (count > 0) {
        numbers.held().write(list);
      }
    }
    return numbers;
  }

  private static IndexSpace blocks(Array array) {
    return IndexSpace.of(array.team(), array.shape(), array.client());
  }

  private static Array divided(OperationRunner run, Array array, IndexSpace space) {
    Array from = stored(run, array);
    Array to = run.temporary(space, array.type());
    move(run, from, to);
    return to;
  }

  /** Copies elements to an array that is divided in any way, unless it is the same. */
  static void move(OperationRunner run, Array from, Array to) {
    if (from != to) {
      run.exchange(to.client(), exchanger -> Movement.move(exchanger, from.held(), to.held()));
    }
  }

  /** Returns the division of an array in whole rows, from rank to rank. */
  static Distribution inOrder(Array array) {
    return array.isInOrder() ? array.distribution() : blocks(array).distribution();
  }
}
