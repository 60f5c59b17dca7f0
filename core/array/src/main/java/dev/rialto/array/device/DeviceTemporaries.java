package dev.rialto.array.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.Decomposition;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.run.Movement;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Copies of arrays on a device that last as long as an operation: with elements divided in another
 * way, without gaps, or computed. An array that is as it should be is given back itself.
 */
public final class DeviceTemporaries {
  private DeviceTemporaries() {}

  /** Returns elements that are in memory; those of a zip are computed. */
  static Operand stored(OperationRunner run, Operand array) {
    return array.zip() == null ? array : computed(run, array);
  }

  /** Returns elements that are in memory, one after another. */
  public static Operand dense(OperationRunner run, Operand array) {
    return array.zip() == null && array.layout().isDense() ? array : computed(run, array);
  }

  private static Operand computed(OperationRunner run, Operand array) {
    Operand copy =
        run.temporary(array, Operands.divided(array, array.distribution()), array.type());
    DeviceElementwise.assign(copy, DeviceValues.of(array, copy));
    return copy;
  }

  /** Returns elements in row-major order from rank to rank. */
  static Operand inOrder(OperationRunner run, Operand array) {
    return array.isInOrder() ? array : divided(run, array, blocks(array));
  }

  /** Returns elements in row-major order, of which ranks have as many as of another such array. */
  static Operand inOrderAs(OperationRunner run, Operand array, Operand as) {
    return array.isInOrder() && as.values().hasCountsOf(array.distribution())
        ? array
        : divided(run, array, Operands.divided(as, as.distribution()));
  }

  /**
   * Returns an array in which row-major order goes from rank to rank: itself, or without values.
   */
  static Operand likeInOrder(OperationRunner run, Operand array, Operand as) {
    return array.isInOrder() && as.values().hasCountsOf(array.distribution())
        ? array
        : run.temporary(as, Operands.divided(as, as.distribution()), array.type());
  }

  /** Returns elements of which each rank has those that it has of another array. */
  static Operand aligned(OperationRunner run, Operand array, Operand as) {
    return DeviceElementwise.isAligned(array, as)
        ? array
        : divided(run, array, Operands.divided(as, as.distribution()));
  }

  /** Returns the numbers of a rank's elements, in the order of memory. */
  static Operand numbers(OperationRunner run, Operand array) {
    Operand numbers =
        run.temporary(array, Operands.divided(array, array.distribution()), DType.I64);
    long count = array.layout().count();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment list = arena.allocate(JAVA_LONG, Math.max(count, 1));
      for (long i = 0; i < count; i++) {
        list.setAtIndex(JAVA_LONG, i, array.elementAt(i));
      }
      if (count > 0) {
        numbers.part().write(list);
      }
    }
    return numbers;
  }

  private static IndexSpace blocks(Operand array) {
    return array.space().team().space(array.shape().extents()).on(array.client());
  }

  private static Operand divided(OperationRunner run, Operand array, IndexSpace space) {
    Operand from = stored(run, array);
    Operand to = run.temporary(array, space, array.type());
    move(run, from, to);
    return to;
  }

  /** Copies elements to an array that is divided in any way, unless it is the same. */
  static void move(OperationRunner run, Operand from, Operand to) {
    if (from != to) {
      run.exchange(to.client(), exchanger -> Movement.move(exchanger, from.part(), to.part()));
    }
  }

  /** Returns a list of longs, of which this rank has so many and the others have none. */
  static Operand longs(OperationRunner run, Operand like, long count) {
    long[] lengths = new long[run.ranks()];
    lengths[run.rank()] = count;
    IndexSpace space =
        like.space()
            .team()
            .space(count)
            .on(like.client())
            .divided(Decomposition.irregular(lengths));
    return run.temporary(like, space, DType.I64);
  }
}
