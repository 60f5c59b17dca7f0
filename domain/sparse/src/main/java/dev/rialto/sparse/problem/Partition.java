package dev.rialto.sparse.problem;

import dev.rialto.sparse.local.Csr;
import java.util.Arrays;
import java.util.function.LongToIntFunction;

/** Ways to give the rows of a matrix to ranks; blocks in order are {@code IndexMap.even}. */
public final class Partition {
  private Partition() {}

  /**
   * Divides a square or cubic grid into boxes whose surface is as small as it can be.
   *
   * @param axes 2 or 3
   * @param n points along each edge, numbered as in {@link Grids}
   */
  public static LongToIntFunction boxes(int axes, int n, int ranks) {
    int[] parts = boxGrid(axes, ranks);
    return point -> {
      int rank = 0;
      long stride = 1;
      for (int axis = 1; axis < axes; axis++) {
        stride *= n;
      }
      long rest = point;
      for (int axis = 0; axis < axes; axis++) {
        long place = rest / stride;
        rest %= stride;
        stride = Math.max(1, stride / n);
        // The part that holds a point, where part p holds those from n p / parts on.
        int part = (int) ((place * parts[axis] + parts[axis] - 1) / n);
        while ((long) n * (part + 1) / parts[axis] <= place) {
          part++;
        }
        while ((long) n * part / parts[axis] > place) {
          part--;
        }
        rank = rank * parts[axis] + part;
      }
      return rank;
    };
  }

  /** Returns the numbers of boxes along the axes: the product is ranks, the surface smallest. */
  static int[] boxGrid(int axes, int ranks) {
    int[] best = {};
    double least = Double.POSITIVE_INFINITY;
    for (int a = 1; a <= ranks; a++) {
      if (ranks % a != 0) {
        continue;
      }
      for (int b = 1; b <= ranks / a; b++) {
        if (ranks / a % b != 0 || (axes == 2 && a * b != ranks)) {
          continue;
        }
        int c = ranks / a / b;
        // Cuts along an axis cost one face each; fewer along the first axis keep faces contiguous.
        double surface = a + b + c + 1e-3 * (b + 2 * c);
        if (surface < least) {
          least = surface;
          best = axes == 2 ? new int[] {a, b} : new int[] {a, b, c};
        }
      }
    }
    return best;
  }

  /**
   * Divides the graph of a matrix by recursive bisection: rows in the order of their distance from
   * a row at the edge of the graph are cut in the middle, again and again.
   *
   * @param matrix a square matrix whose pattern is symmetric; edges of one direction only may be
   *     cut more often than need be
   * @return the rank of each row
   */
  public static int[] bisect(Csr matrix, int ranks) {
    if (ranks < 1) {
      throw new IllegalArgumentException(ranks + " ranks; give at least 1");
    }
    int[] owner = new int[matrix.rows()];
    int[] all = new int[matrix.rows()];
    Arrays.setAll(all, i -> i);
    int[] mark = new int[matrix.rows()];
    bisect(matrix, all, 0, ranks, owner, mark, new int[] {0});
    return owner;
  }

  private static void bisect(
      Csr matrix, int[] rows, int first, int ranks, int[] owner, int[] mark, int[] stamp) {
    if (ranks == 1) {
      for (int row : rows) {
        owner[row] = first;
      }
      return;
    }
    int low = ranks / 2;
    int[] ordered = levels(matrix, rows, mark, stamp);
    int cut = (int) ((long) rows.length * low / ranks);
    bisect(matrix, Arrays.copyOf(ordered, cut), first, low, owner, mark, stamp);
    bisect(
        matrix,
        Arrays.copyOfRange(ordered, cut, rows.length),
        first + low,
        ranks - low,
        owner,
        mark,
        stamp);
  }

  /** Returns the rows by distance from one that is far from others. */
  private static int[] levels(Csr matrix, int[] rows, int[] mark, int[] stamp) {
    if (rows.length == 0) {
      return rows;
    }
    // The last row of one search is far out; the second search starts there.
    int[] once = search(matrix, rows, rows[0], mark, stamp);
    return search(matrix, rows, once[once.length - 1], mark, stamp);
  }

  private static int[] search(Csr matrix, int[] rows, int start, int[] mark, int[] stamp) {
    int open = ++stamp[0];
    int seen = ++stamp[0];
    for (int row : rows) {
      mark[row] = open;
    }
    int[] order = new int[rows.length];
    int count = 0;
    int done = 0;
    int unconnected = 0;
    order[count++] = start;
    mark[start] = seen;
    while (count < rows.length || done < count) {
      if (done == count) {
        while (mark[rows[unconnected]] == seen) {
          unconnected++;
        }
        order[count++] = rows[unconnected];
        mark[rows[unconnected]] = seen;
      }
      int row = order[done++];
      for (int k = matrix.starts()[row]; k < matrix.starts()[row + 1]; k++) {
        int column = matrix.columnIndex()[k];
        if (mark[column] == open) {
          mark[column] = seen;
          order[count++] = column;
        }
      }
    }
    return order;
  }
}
