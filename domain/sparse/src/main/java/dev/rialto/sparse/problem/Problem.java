package dev.rialto.sparse.problem;

import dev.rialto.array.Array;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.MatrixBuilder;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Values;
import dev.rialto.spi.data.DType;

/**
 * A linear system whose rows any rank can compute by itself.
 *
 * <p>Made by {@link Grids} and {@link RandomMatrix}.
 */
public interface Problem {
  /** Returns how many rows there are. */
  long size();

  /** Hears the entries of a row. */
  @FunctionalInterface
  interface Row {
    /** Takes one entry. */
    void entry(long column, double value);
  }

  /** Tells the entries of a row and returns the right-hand side. */
  double row(long row, Row entries);

  /** Returns the matrix on the owners of a map. Collective. */
  default SparseMatrix matrix(IndexMap rows, DType type, Format format) {
    MatrixBuilder builder = SparseMatrix.on(rows, type);
    for (int i = 0; i < rows.owned(); i++) {
      long row = rows.global(i);
      row(row, (column, value) -> builder.add(row, column, value));
    }
    return builder.assemble(format);
  }

  /** Makes the right-hand side, a vector of a map. Collective. */
  default Array rightHandSide(IndexMap map, DType type) {
    Values values = Values.zeros(type, map.owned());
    for (int i = 0; i < values.size(); i++) {
      values.set(i, row(map.global(i), (_, _) -> {}), 0);
    }
    Array made = map.space().array(type);
    made.copyFrom(values.memory());
    return made;
  }
}
