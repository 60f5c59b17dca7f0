package dev.rialto.sparse.precond;

import dev.rialto.sparse.local.Csr;
import dev.rialto.sparse.local.Ilu;

/** The way to factor the matrix of one rank. */
public sealed interface Factorization {
  /** Factors a square matrix. */
  Ilu factor(Csr matrix);

  /**
   * Fill-in up to a level.
   *
   * @param level 0 for the pattern of the matrix: ILU(0)
   */
  record Levels(int level) implements Factorization {
    /** Checks the level. */
    public Levels {
      if (level < 0) {
        throw new IllegalArgumentException("fill-in up to level " + level + "; give at least 0");
      }
    }

    @Override
    public Ilu factor(Csr matrix) {
      return Ilu.levels(matrix, level);
    }

    @Override
    public String toString() {
      return "ILU(" + level + ")";
    }
  }

  /**
   * Fill-in by size: ILUT.
   *
   * @param drop entries below so much of their row's mean size are dropped
   * @param fill how many entries the rows of each factor keep at most
   */
  record Threshold(double drop, int fill) implements Factorization {
    /** Checks the numbers. */
    public Threshold {
      if (!(drop >= 0) || fill < 0) {
        throw new IllegalArgumentException(
            "entries below %s dropped, %d kept; give at least 0 for both".formatted(drop, fill));
      }
    }

    @Override
    public Ilu factor(Csr matrix) {
      return Ilu.threshold(matrix, drop, fill);
    }

    @Override
    public String toString() {
      return "ILUT(" + drop + ", " + fill + ")";
    }
  }
}
