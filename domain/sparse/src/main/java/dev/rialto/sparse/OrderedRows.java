package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.sparse.local.Csr;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.Values;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * A rank's rows with their columns in global order, for products whose bits do not depend on who
 * owns what. Rows without columns of other ranks are multiplied while the halo travels.
 */
final class OrderedRows {
  private final IndexMap map;
  private final Csr inner;
  private final Csr outer;

  private OrderedRows(IndexMap map, Csr inner, Csr outer) {
    this.map = map;
    this.inner = inner;
    this.outer = outer;
  }

  /** Takes the two parts of a matrix. */
  static OrderedRows of(IndexMap map, Csr own, Csr halo) {
    return new OrderedRows(map, some(map, own, halo, false), some(map, own, halo, true));
  }

  /** Takes the rows that have columns of other ranks, or those that have none. */
  private static Csr some(IndexMap map, Csr own, Csr halo, boolean outside) {
    int[] rows =
        IntStream.range(0, own.rows())
            .filter(i -> (halo.starts()[i + 1] > halo.starts()[i]) == outside)
            .toArray();
    int[] starts = new int[rows.length + 1];
    for (int k = 0; k < rows.length; k++) {
      starts[k + 1] = starts[k] + length(own, rows[k]) + length(halo, rows[k]);
    }
    int[] columns = new int[starts[rows.length]];
    Values values = Values.zeros(own.type(), columns.length);
    for (int k = 0; k < rows.length; k++) {
      int row = rows[k];
      int mine = length(own, row);
      Integer[] order = new Integer[starts[k + 1] - starts[k]];
      Arrays.setAll(order, i -> i);
      Arrays.sort(
          order, Comparator.comparingLong(i -> map.global(column(own, halo, row, mine, i))));
      for (int i = 0; i < order.length; i++) {
        int from = order[i];
        Csr part = from < mine ? own : halo;
        int place = part.starts()[row] + (from < mine ? from : from - mine);
        columns[starts[k] + i] = part.columnIndex()[place];
        values.set(starts[k] + i, part.values().re(place), part.values().im(place));
      }
    }
    return Csr.ofRows(own.rows(), map.locals(), starts, columns, values, rows);
  }

  private static int length(Csr part, int row) {
    return part.starts()[row + 1] - part.starts()[row];
  }

  private static int column(Csr own, Csr halo, int row, int mine, int i) {
    return i < mine
        ? own.columnIndex()[own.starts()[row] + i]
        : halo.columnIndex()[halo.starts()[row] + i - mine];
  }

  /** Sets {@code y = a A x + b y}, for vectors of the owners of these columns. Collective. */
  void multiply(Scalar a, Array x, Scalar b, Array y, int width) {
    MemorySegment elements = x.local();
    HaloUpdate halo = HaloUpdate.start(map, null, x.type(), width, elements);
    multiply(inner, a, elements.address(), b, y, width);
    // Rows with columns of other ranks read all of theirs in one place, in order.
    long bytes = x.type().bytes((long) map.owned() * width);
    MemorySegment.copy(elements, 0, halo.memory(), 0, bytes);
    multiply(outer, a, halo.await(), b, y, width);
    halo.end();
  }

  private static void multiply(Csr rows, Scalar a, long x, Scalar b, Array y, int width) {
    DType type = rows.type();
    long out = y.local().address();
    for (int i = 0; i < width; i++) {
      rows.multiply(Op.NONE, a, x + type.bytes(i), b, out + type.bytes(i), width, null);
    }
  }

  /** Returns the largest sum of absolute values of a row of this rank. */
  double largestRow() {
    double most = 0;
    for (Csr part : new Csr[] {inner, outer}) {
      for (int row = 0; row < part.starts().length - 1; row++) {
        double sum = 0;
        for (int k = part.starts()[row]; k < part.starts()[row + 1]; k++) {
          sum += new Scalar(part.values().re(k), part.values().im(k)).abs();
        }
        most = Math.max(most, sum);
      }
    }
    return most;
  }
}
