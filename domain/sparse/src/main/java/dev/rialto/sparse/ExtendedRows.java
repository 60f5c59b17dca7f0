package dev.rialto.sparse;

import static java.util.Objects.requireNonNull;

import dev.rialto.exchange.plan.LongLists;
import dev.rialto.sparse.local.Csr;
import dev.rialto.spi.comm.Communicator;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A rank's rows and some layers of rows around them, as one square matrix.
 *
 * @param map the same owners; the halo is the layers
 * @param matrix rows and columns are the locals of the map; columns beyond the layers are dropped
 */
public record ExtendedRows(IndexMap map, Csr matrix) {
  /** Rows of other ranks: global columns and values of each. */
  private static final class Row {
    final long[] columns;
    final double[] re;
    final double[] im;

    Row(int count) {
      columns = new long[count];
      re = new double[count];
      im = new double[count];
    }
  }

  /** Brings rows that other ranks own. Collective. */
  private static Map<Long, Row> fetch(IndexMap map, Csr own, Csr halo, long[] rows) {
    Communicator comm = map.comm();
    int[] owners = map.findOwners(rows);
    LongLists wanted = new LongLists(comm.size());
    for (int k = 0; k < rows.length; k++) {
      wanted.add(owners[k], rows[k]);
    }
    LongLists asked = wanted.exchange(comm);
    LongLists answers = new LongLists(comm.size());
    for (int rank = 0; rank < comm.size(); rank++) {
      for (long global : asked.get(rank)) {
        int row = map.local(global);
        int count =
            own.starts()[row + 1] - own.starts()[row] + halo.starts()[row + 1] - halo.starts()[row];
        answers.add(rank, global);
        answers.add(rank, count);
        for (Csr part : new Csr[] {own, halo}) {
          for (int k = part.starts()[row]; k < part.starts()[row + 1]; k++) {
            answers.add(rank, map.global(part.columnIndex()[k]));
            answers.add(rank, Double.doubleToRawLongBits(part.values().re(k)));
            answers.add(rank, Double.doubleToRawLongBits(part.values().im(k)));
          }
        }
      }
    }
    LongLists told = answers.exchange(comm);
    Map<Long, Row> found = new HashMap<>();
    for (int rank = 0; rank < comm.size(); rank++) {
      long[] list = told.get(rank);
      int at = 0;
      while (at < list.length) {
        Row row = new Row((int) list[at + 1]);
        found.put(list[at], row);
        at += 2;
        for (int k = 0; k < row.columns.length; k++, at += 3) {
          row.columns[k] = list[at];
          row.re[k] = Double.longBitsToDouble(list[at + 1]);
          row.im[k] = Double.longBitsToDouble(list[at + 2]);
        }
      }
    }
    return found;
  }

  /** Adds layers to the rows of a matrix, which are in two parts. Collective. */
  static ExtendedRows of(IndexMap map, Csr own, Csr halo, int layers) {
    Map<Long, Row> around = new HashMap<>();
    long[] next = new long[map.locals() - map.owned()];
    Arrays.setAll(next, k -> map.global(map.owned() + k));
    for (int layer = 0; layer < layers; layer++) {
      Map<Long, Row> rows = fetch(map, own, halo, next);
      around.putAll(rows);
      next =
          rows.values().stream()
              .flatMapToLong(row -> Arrays.stream(row.columns))
              .distinct()
              .filter(global -> !around.containsKey(global))
              .filter(global -> map.local(global) < 0 || map.local(global) >= map.owned())
              .toArray();
    }
    long[] added = around.keySet().stream().mapToLong(Long::longValue).toArray();
    IndexMap extended = map.withOwners().need(added).assemble();
    CsrRows rows = new CsrRows(own.type(), extended.locals());
    for (int row = 0; row < own.rows(); row++) {
      for (Csr part : new Csr[] {own, halo}) {
        for (int k = part.starts()[row]; k < part.starts()[row + 1]; k++) {
          rows.add(
              extended.local(map.global(part.columnIndex()[k])),
              part.values().re(k),
              part.values().im(k));
        }
      }
      rows.endRow();
    }
    for (int local = extended.owned(); local < extended.locals(); local++) {
      Row row = requireNonNull(around.get(extended.global(local)));
      for (int k = 0; k < row.columns.length; k++) {
        rows.add(extended.local(row.columns[k]), row.re[k], row.im[k]);
      }
      rows.endRow();
    }
    return new ExtendedRows(extended, rows.square());
  }
}
