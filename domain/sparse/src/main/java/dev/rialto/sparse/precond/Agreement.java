package dev.rialto.sparse.precond;

import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.local.Csr;
import dev.rialto.sparse.local.Ilu;
import dev.rialto.sparse.ownership.Gathered;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Lets all ranks fail where one does, instead of waiting for it. */
final class Agreement {
  private Agreement() {}

  /** Factors each rank's block, on all ranks or on none. Collective. */
  static Ilu factor(IndexMap map, Csr block, Factorization factorization) {
    @Nullable Ilu factors = null;
    String problem = "";
    try {
      factors = factorization.factor(block);
    } catch (ArithmeticException e) {
      problem = String.valueOf(e.getMessage());
    }
    check(map, problem);
    return Objects.requireNonNull(factors);
  }

  /**
   * Throws on all ranks if any has a problem. Collective.
   *
   * @param problem what this rank found; empty if nothing
   */
  static void check(IndexMap map, String problem) {
    String first = Gathered.problem(map.comm(), problem);
    if (!first.isEmpty()) {
      throw new ArithmeticException(first + "; choose another preconditioner or none");
    }
  }
}
