package dev.rialto.sparse.problem;

import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.MatrixBuilder;
import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.local.Format;
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

  /** Returns the right-hand side on a map. */
  default MultiVector rightHandSide(IndexMap map, DType type) {
    return new MultiVector(map, type).setAll(row -> row(row, (_, _) -> {}));
  }
}
