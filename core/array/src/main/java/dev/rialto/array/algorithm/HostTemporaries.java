package dev.rialto.array.algorithm;

import dev.rialto.array.Decomposition;
import dev.rialto.array.loop.Loops;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.PartLayout;
import dev.rialto.array.part.View;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * Copies of a rank's elements on the host that last as long as an operation: divided in another
 * way, or of elements that are computed. Elements that are as they should be are not copied.
 */
public final class HostTemporaries {
  private HostTemporaries() {}

  /** Returns a view of memory that goes with the operation, for elements divided in a way. */
  public static View temporary(OperationRunner run, DType type, Distribution distribution) {
    PartLayout layout = PartLayout.of(distribution, null, run.rank());
    MemorySegment memory = run.allocate(type.bytes(layout.span()));
    return View.of(Elements.of(type), memory, distribution, layout, run.rank());
  }

  /** Returns the elements of an array, divided as another is: its own memory or a copy. */
  public static View aligned(OperationRunner run, Operand array, Operand as) {
    return Operands.isAligned(array, as)
        ? array.values()
        : copy(run, array.values(), as.distribution());
  }

  /** Returns the elements of an array in row-major order from rank to rank. */
  public static View inOrder(OperationRunner run, Operand array) {
    return array.isInOrder()
        ? array.values()
        : copy(run, array.values(), Decomposition.block().divide(array.shape(), run.ranks()));
  }

  /** Returns the elements of an array in row-major order, divided as a view in that order is. */
  public static View inOrderAs(OperationRunner run, Operand array, View as) {
    return array.isInOrder() && as.hasCountsOf(array.distribution())
        ? array.values()
        : copy(run, array.values(), as.distribution());
  }

  private static View copy(OperationRunner run, View view, Distribution to) {
    View from = stored(run, view);
    View copy = temporary(run, view.type(), to);
    run.move(from, copy);
    return copy;
  }

  /** Returns a view's elements in memory: its own or, if they are computed, a copy. */
  public static View stored(OperationRunner run, View view) {
    Elements from = view.elements();
    if (!from.isComputed()) {
      return view;
    }
    View copy = temporary(run, view.type(), view.distribution());
    Object same = from.isFloating() ? (DoubleUnaryOperator) x -> x : (LongUnaryOperator) x -> x;
    Loops loops = Loops.of(same, null, from, copy.elements());
    run.stretches(
        0,
        view.count(),
        (_, at, count) ->
            loops.map(same, from, view.address(at), copy.elements(), copy.address(at), count),
        view,
        copy);
    return copy;
  }
}
