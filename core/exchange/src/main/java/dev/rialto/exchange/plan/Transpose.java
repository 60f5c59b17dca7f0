package dev.rialto.exchange.plan;

import dev.rialto.exchange.plan.Redistribute.MessageOrder;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Turns a distributed array so that another axis is whole and contiguous on each rank.
 *
 * <p>Pencils along one axis: that axis is not divided and lies contiguous, the others are divided
 * among the ranks of a process grid. In an array of axes 0, 1, 2 with pencils along {@code a}, the
 * memory order is a+1, a+2, a (cyclic), so that turning from one axis to the next is the same
 * permutation each time.
 */
public final class Transpose {
  private Transpose() {}

  /**
   * Distributes an array of two or three axes in pencils.
   *
   * <p>Going from the last axis (X, contiguous in row-major order) to the one before and on, each
   * step exchanges among the ranks of one dimension of the process grid only: an axis keeps its
   * place in the grid unless it trades it with the one that becomes whole.
   *
   * @param grid the process grid: one number for two axes, two for three
   * @param axis the axis that is whole on each rank
   */
  public static Grid pencils(Shape shape, int[] grid, int axis) {
    int axes = shape.rank();
    if (axes < 2 || axes > 3 || grid.length != axes - 1 || axis < 0 || axis >= axes) {
      throw new IllegalArgumentException(
          "pencils along axis %d of shape %s on grid %s; give 2 or 3 axes, one of them, and one "
                  .formatted(axis, shape, Arrays.toString(grid))
              + "number of ranks less than axes");
    }
    // Along X: Z over grid[0] and Y over grid[1]; along Y: Z and X; along Z: Y and X.
    int[] parts =
        axes == 2
            ? (axis == 1 ? new int[] {grid[0], 1} : new int[] {1, grid[0]})
            : switch (axis) {
              case 2 -> new int[] {grid[0], grid[1], 1};
              case 1 -> new int[] {grid[0], 1, grid[1]};
              default -> new int[] {1, grid[0], grid[1]};
            };
    int[] order = IntStream.range(0, axes).map(i -> (axis + 1 + i) % axes).toArray();
    return Grid.block(shape, parts).withOrder(order);
  }

  /**
   * Plans for one rank.
   *
   * @param from pencils, slabs or any other grid
   * @param to the same shape on another grid or in another memory order
   */
  public static ExchangePlan plan(Grid from, Grid to, int rank, MessageOrder messages) {
    return Redistribute.plan(
        "transpose " + from.shape() + " " + from.orderName() + " to " + to.orderName(),
        from,
        to,
        rank,
        messages);
  }

  /** Plans for one rank, messages in the receiver's order. */
  public static ExchangePlan plan(Grid from, Grid to, int rank) {
    return plan(from, to, rank, MessageOrder.RECEIVER);
  }
}
