package dev.rialto.sparse.local;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.vector.DiagonalRows;
import java.util.stream.IntStream;

/**
 * Products of diagonals by vectors of the processor, where the JVM has them.
 *
 * <p>A few rows at a time, all diagonals, the sums in a register: each diagonal is one stream that
 * the processor can fetch ahead. Blocks of rows, diagonal by diagonal, took half as long again. A
 * product and a sum, not one fused operation, so that the bits are those of plain loops.
 */
final class VectorDiagonals {
  /** Rows whose product with x is summed while they are in the nearest cache. */
  private static final int BLOCK = 1024;

  private VectorDiagonals() {}

  /** Sets {@code y = A x} and adds x·y to lanes, unless there are none. */
  static void multiply(
      int rows,
      int[] offsets,
      int[] from,
      int[] to,
      int[] starts,
      double[] values,
      long x,
      long y,
      double[] lanes) {
    // Between two cuts the same diagonals have entries in all rows.
    int[] cuts =
        IntStream.concat(
                IntStream.of(0, rows), IntStream.concat(IntStream.of(from), IntStream.of(to)))
            .sorted()
            .distinct()
            .toArray();
    int[] offset = new int[offsets.length];
    int[] place = new int[offsets.length];
    int dotted = 0;
    for (int cut = 0; cut < cuts.length - 1; cut++) {
      int active = 0;
      for (int d = 0; d < offsets.length; d++) {
        if (from[d] <= cuts[cut] && cuts[cut] < to[d]) {
          offset[active] = offsets[d];
          place[active++] = starts[d] - from[d];
        }
      }
      for (int first = cuts[cut]; first < cuts[cut + 1]; first += BLOCK) {
        int end = Math.min(cuts[cut + 1], first + BLOCK);
        rows(first, end, active, offset, place, values, x, y);
        // Whole lanes only, but for the last: what is dotted must not depend on the cuts.
        int whole = end == rows ? rows : end & -8;
        if (lanes.length > 0 && whole > dotted) {
          VectorKernels.of(DType.F64).dotBlock(dotted, whole, x, y, lanes);
          dotted = whole;
        }
      }
    }
  }

  private static void rows(
      int first, int end, int active, int[] offset, int[] place, double[] values, long x, long y) {
    int from = DiagonalRows.multiply(first, end, active, offset, place, values, x, y);
    for (int i = from; i < end; i++) {
      double sum = 0;
      for (int d = 0; d < active; d++) {
        sum += values[place[d] + i] * Numbers.re(DType.F64, x, i + offset[d]);
      }
      Numbers.set(DType.F64, y, i, sum, 0);
    }
  }
}
