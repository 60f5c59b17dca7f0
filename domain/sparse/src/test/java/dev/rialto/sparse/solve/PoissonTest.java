package dev.rialto.sparse.solve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.Ranks;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.TestVector;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.precond.BlockJacobi;
import dev.rialto.sparse.precond.Factorization;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.problem.Grids;
import dev.rialto.sparse.problem.Partition;
import dev.rialto.spi.data.DType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Iterations and residuals that another library needs for the same problem. */
class PoissonTest {
  @ParameterizedTest
  @CsvSource({
    "60, 2, CSR, point-to-point, 175, 8.88856e-7",
    "80, 1, SELL, shared, 230, 9.47223e-7",
    "100, 2, DIA, shared, 284, 9.92049e-7"
  })
  @Timeout(500)
  void largeCubesTakeTheKnownIterations(
      int n, int ranks, Format format, String scheme, int iterations, double residual) {
    Ranks.run(
        ranks,
        team -> {
          Grids.Equation problem = Grids.poisson3d(n);
          IndexMap rows = IndexMap.even(team, problem.size()).assemble();
          SparseMatrix a = problem.matrix(rows, DType.F64, format);
          a.map().scheme(scheme);
          SolveResult plain = solve(problem, a, Preconditioner.NONE);
          assertThat(plain.iterations()).isEqualTo(iterations);
          assertThat(plain.residual()).isCloseTo(residual, within(1e-5 * residual));
          if (n == 60) {
            assertThat(
                    solve(problem, a, BlockJacobi.of(a, new Factorization.Levels(0))).iterations())
                .isEqualTo(58);
          }
        });
  }

  @Test
  void formatsSchemesAndRanksDoNotChangeTheIterations() {
    int expected = iterations(1, "point-to-point", Format.CSR);
    for (String scheme :
        List.of(
            "point-to-point",
            "scheduled",
            "all-to-all",
            "neighbor",
            "persistent-neighbor",
            "rma-pull",
            "rma-push",
            "shared",
            "point-to-point/pipelined",
            "point-to-point/fused")) {
      assertThat(iterations(3, scheme, Format.DIA)).as(scheme).isEqualTo(expected);
    }
    for (Format format : Format.values()) {
      assertThat(iterations(4, "shared", format)).as("%s", format).isEqualTo(expected);
    }
  }

  private static int iterations(int ranks, String scheme, Format format) {
    return Ranks.call(
            ranks,
            team -> {
              Grids.Equation problem = Grids.poisson3d(14);
              IndexMap rows =
                  IndexMap.partition(team, problem.size(), Partition.boxes(3, problem.n(), ranks))
                      .assemble();
              SparseMatrix a = problem.matrix(rows, DType.F64, format);
              a.map().scheme(scheme);
              return solve(problem, a, Preconditioner.NONE).iterations();
            })
        .getFirst();
  }

  private static SolveResult solve(Grids.Equation problem, SparseMatrix a, Preconditioner m) {
    try (m;
        TestVector b = new TestVector(a.map(), problem.rightHandSide(a.map(), DType.F64));
        TestVector x = b.like()) {
      SolveResult result = Method.CG.solve(a, m, b.array(), x.array(), SolveOptions.standard());
      assertThat(result.converged()).as("%s", result).isTrue();
      return result;
    }
  }
}
