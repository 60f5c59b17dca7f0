package dev.rialto.sparse.solve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.exchange.Exchanger;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.problem.Grids;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Iterations and residuals that another library needs for the same problem. */
class PoissonTest {
  @ParameterizedTest
  @CsvSource({"60, 1, 175, 8.88856e-7", "60, 2, 175, 8.88856e-7", "60, 3, 175, 8.88856e-7"})
  void conjugateGradientsTakeTheKnownIterations(int n, int ranks, int iterations, double residual) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Exchanger exchanger = Exchanger.on(comm)) {
              Grids.Equation problem = Grids.poisson3d(n);
              IndexMap rows = IndexMap.even(exchanger, problem.size()).assemble();
              SparseMatrix a = problem.matrix(rows, DType.F64, Format.CSR);
              try (MultiVector b = problem.rightHandSide(a.map(), DType.F64);
                  MultiVector x = b.like()) {
                SolveResult result =
                    Method.CG.solve(a, Preconditioner.NONE, b, x, SolveOptions.standard());
                assertThat(result.iterations()).isEqualTo(iterations);
                assertThat(result.residual()).isCloseTo(residual, within(1e-11));
              }
            }
          });
    }
  }
}
