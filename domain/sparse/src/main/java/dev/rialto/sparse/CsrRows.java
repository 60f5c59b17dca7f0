package dev.rialto.sparse;

import dev.rialto.sparse.local.Csr;
import dev.rialto.sparse.local.Values;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.List;

/** Builds a square matrix row by row, columns of a row in any order, dropping columns of -1. */
final class CsrRows {
  private record Entry(int column, double re, double im) {}

  private final DType type;
  private final int size;
  private final List<Entry> row = new ArrayList<>();
  private final List<Entry> all = new ArrayList<>();
  private final int[] starts;
  private int rows;

  CsrRows(DType type, int size) {
    this.type = type;
    this.size = size;
    this.starts = new int[size + 1];
  }

  void add(int column, double re, double im) {
    if (column >= 0) {
      row.add(new Entry(column, re, im));
    }
  }

  void endRow() {
    row.sort((a, b) -> Integer.compare(a.column, b.column));
    all.addAll(row);
    row.clear();
    starts[++rows] = all.size();
  }

  Csr square() {
    int[] columns = new int[all.size()];
    Values values = Values.zeros(type, columns.length);
    for (int k = 0; k < columns.length; k++) {
      Entry entry = all.get(k);
      columns[k] = entry.column;
      values.set(k, entry.re, entry.im);
    }
    return Csr.of(size, size, starts, columns, values);
  }
}
