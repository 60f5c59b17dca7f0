package dev.rialto.cli.demo;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;

/**
 * The part of a cube of points that one rank owns, surrounded by a layer of its neighbours' points.
 *
 * <p>Axes are z, y, x, the last varying fastest. The ranks form a grid that is as near to a cube as
 * their number allows; parts differ by at most one point per axis.
 */
final class Block {
  private final int[] grid;
  private final int[] place;
  private final int[] first = new int[3];
  private final int[] points = new int[3];

  Block(int cube, int rank, int ranks) {
    grid = gridOf(ranks);
    place = new int[] {rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]};
    for (int axis = 0; axis < 3; axis++) {
      first[axis] = (int) ((long) cube * place[axis] / grid[axis]);
      points[axis] = (int) ((long) cube * (place[axis] + 1) / grid[axis]) - first[axis];
    }
  }

  /** Returns the ranks along each axis: the factors of {@code ranks} with the smallest sum. */
  static int[] gridOf(int ranks) {
    int[] best = {ranks, 1, 1};
    for (int z = 1; z <= ranks; z++) {
      for (int y = 1; ranks % z == 0 && y <= ranks / z; y++) {
        int x = ranks / z / y;
        // Fewer cuts along x keep rows long, which is what vector units and messages like.
        if (z * y * x == ranks && z >= y && y >= x && z + y + x < best[0] + best[1] + best[2]) {
          best = new int[] {z, y, x};
        }
      }
    }
    return best;
  }

  /** Returns the index in the cube of this part's first own point. */
  int first(int axis) {
    return first[axis];
  }

  /** Returns how many points of its own this part has along an axis. */
  int points(int axis) {
    return points[axis];
  }

  /** Returns the elements to store: own points and one more on either side of each axis. */
  int stored() {
    return Math.multiplyExact(Math.multiplyExact(points[0] + 2, points[1] + 2), points[2] + 2);
  }

  /** Returns the distance in elements from a point to the next along an axis. */
  int stride(int axis) {
    return axis == 2 ? 1 : axis == 1 ? points[2] + 2 : (points[1] + 2) * (points[2] + 2);
  }

  /** Returns the place of a point; own points are 1 to {@code points(axis)}. */
  int at(int z, int y, int x) {
    return z * stride(0) + y * stride(1) + x;
  }

  /** Returns the rank next to this one along an axis, or -1 at the cube's side. */
  int neighbor(int axis, int direction) {
    int[] there = place.clone();
    there[axis] += direction;
    return there[axis] < 0 || there[axis] >= grid[axis]
        ? -1
        : (there[0] * grid[1] + there[1]) * grid[2] + there[2];
  }

  /** Returns where the points of one plane across an axis lie. */
  Layout plane(int axis, int index) {
    long[] extents = new long[3];
    long[] strides = new long[3];
    for (int i = 0; i < 3; i++) {
      extents[i] = i == axis ? 1 : points[i];
      strides[i] = stride(i);
    }
    long offset = at(axis == 0 ? index : 1, axis == 1 ? index : 1, axis == 2 ? index : 1);
    return Layout.strided(DType.F64, Shape.of(extents), strides, offset);
  }
}
