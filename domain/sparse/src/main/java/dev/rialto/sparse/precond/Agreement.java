package dev.rialto.sparse.precond;

import dev.rialto.exchange.plan.LongLists;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.local.Csr;
import dev.rialto.sparse.local.Ilu;
import dev.rialto.spi.comm.Communicator;
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
      problem = "rank " + map.comm().rank() + ": " + e.getMessage();
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
    Communicator comm = map.comm();
    LongLists told = new LongLists(comm.size());
    for (int rank = 0; rank < comm.size(); rank++) {
      told.add(rank, problem.isEmpty() ? 0 : 1);
    }
    LongLists heard = told.exchange(comm);
    for (int rank = 0; rank < comm.size(); rank++) {
      if (heard.get(rank)[0] != 0) {
        throw new ArithmeticException(
            (problem.isEmpty() ? "rank " + rank + " cannot make its preconditioner" : problem)
                + "; choose another preconditioner or none");
      }
    }
  }
}
