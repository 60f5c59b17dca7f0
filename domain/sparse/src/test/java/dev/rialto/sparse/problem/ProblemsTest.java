package dev.rialto.sparse.problem;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.exchange.tune.Effort;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.Ranks;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.StencilOperator;
import dev.rialto.sparse.TestVector;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProblemsTest {
  @Test
  void boxesAreEvenAndWhole() {
    for (int ranks : new int[] {1, 2, 3, 4, 6, 8}) {
      for (int n : new int[] {5, 8, 12}) {
        LongToIntFunction owner = Partition.boxes(3, n, ranks);
        int[] counts = new int[ranks];
        for (long g = 0; g < (long) n * n * n; g++) {
          counts[owner.applyAsInt(g)]++;
        }
        for (int count : counts) {
          assertThat(count).isBetween(1, n * n * n * 3 / ranks + 1);
        }
      }
    }
    assertThat(Partition.boxGrid(3, 8)).containsExactly(2, 2, 2);
    assertThat(Partition.boxGrid(3, 2)).containsExactly(2, 1, 1);
    assertThat(Partition.boxGrid(2, 6)).containsExactly(3, 2);
  }

  @Test
  void bisectionBalancesRowsAndCutsLittle() {
    Ranks.run(
        1,
        team -> {
          Grids.Equation problem = Grids.poisson2d(20);
          IndexMap rows = IndexMap.even(team, problem.size()).assemble();
          SparseMatrix a = problem.matrix(rows, DType.F64, Format.CSR);
          int[] owner = Partition.bisect(a.own(), 4);
          int[] counts = new int[4];
          int cut = 0;
          for (int i = 0; i < owner.length; i++) {
            counts[owner[i]]++;
            for (int k = a.own().starts()[i]; k < a.own().starts()[i + 1]; k++) {
              cut += owner[a.own().columnIndex()[k]] != owner[i] ? 1 : 0;
            }
          }
          assertThat(counts).containsOnly(100);
          // Of 1520 edges, counted twice; striping by number would cut nearly all.
          assertThat(cut).isLessThan(300);
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void aStencilIsTheMatrixOfItsGrid(int ranks) {
    for (DType type : new DType[] {DType.F64, DType.C64}) {
      Ranks.run(
          ranks,
          team -> {
            int n = 6;
            double h = 1.0 / (n + 1);
            double[] a = {1, 2, 3};
            double[] b = {0.5, -0.25, 1};
            Grids.Equation equation = new Grids.Equation(3, n, a, b, 7);
            double[] star = new double[7];
            star[0] = 7;
            for (int axis = 0; axis < 3; axis++) {
              star[0] += 2 * a[axis] / (h * h);
              star[1 + 2 * axis] = -a[axis] / (h * h) - b[axis] / (2 * h);
              star[2 + 2 * axis] = -a[axis] / (h * h) + b[axis] / (2 * h);
            }
            StencilOperator stencil = StencilOperator.of(team, type, n, n, n, star);
            SparseMatrix matrix =
                equation.matrix(stencil.map().withOwners().assemble(), type, Format.CSR);
            for (Op op : new Op[] {Op.NONE, Op.TRANSPOSE}) {
              try (TestVector x = new TestVector(stencil.map(), type).setAll(Math::sin);
                  TestVector y = x.like().setAll(Math::cos);
                  TestVector u = new TestVector(matrix.map(), type).setAll(Math::sin);
                  TestVector v = u.like().setAll(Math::cos)) {
                stencil.apply(op, Scalar.of(2), x.array(), Scalar.of(-1), y.array());
                matrix.apply(op, Scalar.of(2), u.array(), Scalar.of(-1), v.array());
                y.axpby(Scalar.of(-1), new TestVector(stencil.map(), v.array()), Scalar.ONE);
                assertThat(y.normInf()).isLessThan(type == DType.F64 ? 1e-11 : 1e-2);
              }
            }
            assertThat(stencil.normInf()).isGreaterThanOrEqualTo(matrix.normInf());
          });
    }
  }

  @Test
  void generatorsMakeSystemsThatSolve() {
    List<Problem> problems = new ArrayList<>();
    problems.add(Grids.poisson2d(15));
    problems.add(Grids.convectionDiffusion3d(8));
    problems.add(Grids.anisotropic3d(8, 0.1));
    problems.add(RandomMatrix.of(300, 5, false, 1));
    problems.add(RandomMatrix.of(300, 5, true, 2));
    Ranks.run(
        3,
        team -> {
          for (Problem problem : problems) {
            IndexMap rows = IndexMap.even(team, problem.size()).assemble();
            SparseMatrix a = problem.matrix(rows, DType.F64, Format.CSR);
            a.map().tune(Effort.ESTIMATE, DType.F64);
            try (TestVector b = new TestVector(a.map(), problem.rightHandSide(a.map(), DType.F64));
                TestVector x = b.like()) {
              SolveResult result =
                  Method.BICGSTAB.solve(
                      a, Preconditioner.NONE, b.array(), x.array(), SolveOptions.standard());
              assertThat(result.converged()).as("%s: %s", problem, result).isTrue();
              assertThat(result.trueResidual()).isLessThan(1e-5);
            }
          }
        });
  }
}
