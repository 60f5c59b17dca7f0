package dev.rialto.exchange.plan;

import dev.rialto.exchange.plan.Redistribute.MessageOrder;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;

/**
 * Turns a distributed array so that another axis is whole and contiguous on each rank.
 *
 * <p>Pencils along one axis: that axis is not divided and lies contiguous, the others are divided
 * among the ranks of a process grid. In which order the others lie is a {@linkplain MemoryOrder
 * choice}.
 */
public final class Transpose {
  /**
   * In which order the axes of pencils lie in memory, slowest first, for arrays of axes Z, Y, X.
   * The whole axis is always the fastest; of two axes there is one order.
   *
   * <p>Turning an array from X to Y to Z takes at least one step in which lines far apart change
   * places. The other step can be one that transposes planes of adjacent memory, which caches hold.
   */
  public enum MemoryOrder {
    /** Along X: ZYX, along Y: XZY, along Z: YXZ. Each step is the same permutation. */
    CYCLIC,
    /** Along X: ZYX, along Y: ZXY, along Z: XYZ. From X to Y planes are transposed. */
    XY_PLANES,
    /** Along X: ZYX, along Y: XZY, along Z: XYZ. From Y to Z planes are transposed. */
    YZ_PLANES;

    private int[] along(int axis, int axes) {
      if (axes == 2) {
        return new int[] {1 - axis, axis};
      }
      return switch (axis) {
        case 2 -> new int[] {0, 1, 2};
        case 1 -> this == XY_PLANES ? new int[] {0, 2, 1} : new int[] {2, 0, 1};
        default -> this == CYCLIC ? new int[] {1, 2, 0} : new int[] {2, 1, 0};
      };
    }
  }

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
  public static Grid pencils(Shape shape, int[] grid, int axis, MemoryOrder memory) {
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
    return Grid.block(shape, parts).withOrder(memory.along(axis, axes));
  }

  /** Distributes an array in pencils of {@linkplain MemoryOrder#CYCLIC cyclic} memory order. */
  public static Grid pencils(Shape shape, int[] grid, int axis) {
    return pencils(shape, grid, axis, MemoryOrder.CYCLIC);
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
