package dev.rialto.sparse.solve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.array.Team;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.MatrixBuilder;
import dev.rialto.sparse.Ranks;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.TestVector;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.BlockJacobi;
import dev.rialto.sparse.precond.Factorization;
import dev.rialto.sparse.precond.Jacobi;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.precond.Schwarz;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Cancellation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SolversTest {
  private static final int N = 90;

  /** A banded matrix: definite and Hermitian, or neither. */
  private static SparseMatrix matrix(Team team, DType type, boolean hermitian) {
    return matrix(team, N, type, hermitian);
  }

  private static SparseMatrix matrix(Team team, int n, DType type, boolean hermitian) {
    IndexMap rows = IndexMap.even(team, n).assemble();
    boolean complex = type.kind() == DType.Kind.COMPLEX;
    MatrixBuilder builder = SparseMatrix.on(rows, type);
    for (int i = 0; i < rows.owned(); i++) {
      long g = rows.global(i);
      builder.add(g, g, new Scalar(5, complex && !hermitian ? 1 : 0));
      for (long d : new long[] {1, 7}) {
        Scalar upper = new Scalar(-1, complex ? 0.5 : 0);
        Scalar lower = hermitian ? upper.conjugate() : new Scalar(-0.4, complex ? 0.3 : 0);
        if (g + d < n) {
          builder.add(g, g + d, upper);
        }
        if (g - d >= 0) {
          builder.add(g, g - d, lower);
        }
      }
    }
    return builder.assemble();
  }

  private static Scalar solution(DType type, long g) {
    return new Scalar(1 + g % 5, type.kind() == DType.Kind.COMPLEX ? g % 3 - 1 : 0);
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void everyMethodFindsTheSolution(Method method) {
    boolean hermitian = method == Method.CG || method == Method.FCG || method == Method.CG1;
    for (DType type : new DType[] {DType.F64, DType.C128, DType.F32, DType.C64}) {
      boolean single = type == DType.F32 || type == DType.C64;
      for (int ranks : new int[] {1, 2}) {
        Ranks.run(
            ranks,
            team -> {
              SparseMatrix a = matrix(team, type, hermitian);
              List<Preconditioner> preconditioners = new ArrayList<>();
              if (method != Method.RICHARDSON) {
                preconditioners.add(Preconditioner.NONE);
              }
              preconditioners.add(Jacobi.of(a));
              preconditioners.add(BlockJacobi.of(a, new Factorization.Levels(0)));
              for (Preconditioner m : preconditioners) {
                try (TestVector exact = new TestVector(a.map(), type);
                    TestVector b = exact.like();
                    TestVector x = exact.like()) {
                  for (int i = 0; i < a.map().owned(); i++) {
                    exact.set(i, 0, solution(type, a.map().global(i)));
                  }
                  a.multiply(exact.array(), b.array());
                  SolveOptions options =
                      SolveOptions.standard()
                          .withTolerance(single ? 1e-5 : 1e-10)
                          .withMaxIterations(300)
                          .withDegree(3);
                  SolveResult result = method.solve(a, m, b.array(), x.array(), options);
                  assertThat(result.converged()).as("%s %s %s", type, m, result).isTrue();
                  assertThat(result.trueResidual()).isLessThan(single ? 1e-3 : 1e-8);
                  assertThat(result.history()).hasSize(result.iterations() + 1);
                  x.axpby(Scalar.of(-1), exact, Scalar.ONE);
                  assertThat(x.normInf()).isLessThan(single ? 1e-2 : 1e-8);
                }
                m.close();
              }
            });
      }
    }
  }

  @Test
  void manyRanksSolveAFewRowsEach() {
    Ranks.run(
        64,
        team -> {
          SparseMatrix a = matrix(team, 1600, DType.F64, true);
          try (Jacobi jacobi = Jacobi.of(a);
              TestVector exact = TestVector.of(a).setAll(g -> 1 + g % 5);
              TestVector b = exact.like();
              TestVector x = exact.like()) {
            a.multiply(exact.array(), b.array());
            SolveOptions options = SolveOptions.standard().withTolerance(1e-10);
            SolveResult result = Method.CG.solve(a, jacobi, b.array(), x.array(), options);
            assertThat(result.converged()).as("%s", result).isTrue();
            x.axpby(Scalar.of(-1), exact, Scalar.ONE);
            assertThat(x.normInf()).isLessThan(1e-8);
          }
        });
  }

  @Test
  void preconditionersLowerTheIterations() {
    Ranks.run(
        3,
        team -> {
          SparseMatrix a = matrix(team, DType.F64, true);
          int none = iterations(a, Method.CG, Preconditioner.NONE);
          int ilu0 = iterations(a, Method.CG, BlockJacobi.of(a, new Factorization.Levels(0)));
          int ilu2 = iterations(a, Method.CG, BlockJacobi.of(a, new Factorization.Levels(2)));
          int ilut =
              iterations(a, Method.CG, BlockJacobi.of(a, new Factorization.Threshold(1e-3, 20)));
          int additive =
              iterations(a, Method.CG, Schwarz.of(a, 2, false, new Factorization.Levels(4)));
          int restricted =
              iterations(a, Method.GMRES, Schwarz.of(a, 7, true, new Factorization.Levels(9)));
          assertThat(ilu0).isLessThan(none);
          assertThat(ilu2).isLessThanOrEqualTo(ilu0);
          assertThat(ilut).isLessThanOrEqualTo(ilu0);
          assertThat(additive).isLessThan(none);
          assertThat(restricted).isLessThan(ilu2);
        });
  }

  private static int iterations(SparseMatrix a, Method method, Preconditioner m) {
    try (m;
        TestVector b = new TestVector(a.map(), a.type()).setAll(Math::sin);
        TestVector x = b.like()) {
      SolveResult result =
          method.solve(a, m, b.array(), x.array(), SolveOptions.standard().withTolerance(1e-10));
      assertThat(result.converged()).as("%s %s", m, result).isTrue();
      return result.iterations();
    }
  }

  private static SparseMatrix diagonal(Team team, double... values) {
    IndexMap rows = IndexMap.even(team, values.length).assemble();
    MatrixBuilder builder = SparseMatrix.on(rows, DType.F64);
    for (int i = 0; i < rows.owned(); i++) {
      builder.add(rows.global(i), rows.global(i), values[(int) rows.global(i)]);
    }
    return builder.assemble();
  }

  private static SolveResult solve(SparseMatrix a, Method method, double... right) {
    try (TestVector b = new TestVector(a.map(), DType.F64).setAll(g -> right[(int) g]);
        TestVector x = b.like()) {
      return method.solve(a, Preconditioner.NONE, b.array(), x.array(), SolveOptions.standard());
    }
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void ranksWithoutRowsTakePart(Method method) {
    Ranks.run(
        4,
        team -> {
          SparseMatrix a = diagonal(team, 2, 4);
          for (Preconditioner m :
              List.of(
                  Jacobi.of(a),
                  BlockJacobi.of(a, new Factorization.Levels(0)),
                  Schwarz.of(a, 1, false, new Factorization.Levels(0)))) {
            try (m;
                TestVector b = new TestVector(a.map(), DType.F64).fill(Scalar.ONE);
                TestVector x = b.like()) {
              SolveResult result =
                  method.solve(a, m, b.array(), x.array(), SolveOptions.standard());
              assertThat(result.converged()).as("%s %s", m, result).isTrue();
              assertThat(x.norm1()).isCloseTo(0.75, within(1e-5));
            }
          }
        });
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void singularMatricesAreNeverASuccess(Method method) {
    Ranks.run(
        2,
        team -> {
          // The right-hand side is not in the range.
          SolveResult result = solve(diagonal(team, 1, 2, 0, 3), method, 1, 1, 1, 1);
          assertThat(result.converged()).as("%s", result).isFalse();
          assertThat(result.trueResidual()).isNotNaN();
        });
  }

  @Test
  void indefiniteMatricesAreNamed() {
    Ranks.run(
        2,
        team -> {
          for (Method method : List.of(Method.CG, Method.FCG, Method.CG1)) {
            SolveResult result = solve(diagonal(team, 1, -2, 3, -4), method, 1, 2, 1, 2);
            assertThat(result.reason()).isEqualTo(SolveResult.Reason.BREAKDOWN);
            assertThat(result.detail()).contains("not positive definite");
          }
          assertThat(solve(diagonal(team, 1, -2, 3, -4), Method.GMRES, 1, 2, 1, 2).converged())
              .isTrue();
        });
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void notANumberIsABreakdown(Method method) {
    Ranks.run(
        2,
        team -> {
          SolveResult result = solve(diagonal(team, 1, 2, 3, 4), method, 1, Double.NaN, 1, 1);
          assertThat(result.reason()).isEqualTo(SolveResult.Reason.BREAKDOWN);
        });
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void aZeroRightHandSideAndAGuessThatIsRightNeedNoIteration(Method method) {
    Ranks.run(
        2,
        team -> {
          SparseMatrix a = diagonal(team, 1, 2, 3, 4);
          assertThat(solve(a, method, 0, 0, 0, 0).iterations()).isZero();
          try (TestVector x = new TestVector(a.map(), DType.F64).fill(Scalar.of(3));
              TestVector b = x.like()) {
            a.multiply(x.array(), b.array());
            SolveResult result =
                method.solve(a, Preconditioner.NONE, b.array(), x.array(), SolveOptions.standard());
            assertThat(result.converged()).isTrue();
            assertThat(result.iterations()).isZero();
          }
        });
  }

  @Test
  void anyRankCanCancel() {
    Ranks.run(
        3,
        team -> {
          SparseMatrix a = matrix(team, DType.F64, true);
          Cancellation cancellation = new Cancellation();
          try (TestVector b = new TestVector(a.map(), DType.F64).fill(Scalar.ONE);
              TestVector x = b.like()) {
            SolveOptions options =
                SolveOptions.standard()
                    .withTolerance(0)
                    .withCancellation(cancellation)
                    .withMonitor(
                        (iteration, _) -> {
                          if (iteration == 5 && team.rank() == 1) {
                            cancellation.cancel();
                          }
                        });
            SolveResult result =
                Method.CG.solve(a, Preconditioner.NONE, b.array(), x.array(), options);
            assertThat(result.reason()).isEqualTo(SolveResult.Reason.CANCELLED);
            assertThat(result.iterations()).isEqualTo(6);
          }
        });
  }

  @Test
  void stoppingRulesMeasureWhatTheySay() {
    Ranks.run(
        2,
        team -> {
          SparseMatrix a = matrix(team, DType.F64, true);
          try (TestVector b = new TestVector(a.map(), DType.F64).fill(Scalar.ONE);
              TestVector x = b.like().fill(Scalar.of(100));
              TestVector r = b.like()) {
            SolveOptions options = SolveOptions.standard().withMaxIterations(3);
            for (StoppingRule rule : StoppingRule.values()) {
              x.fill(Scalar.of(100));
              double initial = residual(a, b, x, r).norm2();
              SolveResult result =
                  Method.CG.solve(
                      a, Preconditioner.NONE, b.array(), x.array(), options.withRule(rule));
              residual(a, b, x, r);
              double expected =
                  switch (rule) {
                    case RIGHT_HAND_SIDE -> r.norm2() / b.norm2();
                    case INITIAL_RESIDUAL -> r.norm2() / initial;
                    case BACKWARD_ERROR -> r.normInf() / (a.normInf() * x.normInf() + b.normInf());
                  };
              assertThat(result.reason()).isEqualTo(SolveResult.Reason.ITERATION_LIMIT);
              assertThat(result.residual()).isCloseTo(expected, within(1e-9 * expected));
            }
          }
        });
  }

  private static TestVector residual(SparseMatrix a, TestVector b, TestVector x, TestVector r) {
    a.multiply(x.array(), r.array());
    return r.axpby(Scalar.ONE, b, Scalar.of(-1));
  }

  @Test
  void reproducibleSolvesGiveTheSameBitsForOneMatrixOrder() {
    // A diagonal matrix sums nothing, so all that could differ between ranks are the reductions.
    double[] diagonal = new double[40];
    for (int i = 0; i < 40; i++) {
      diagonal[i] = 1 + i * 0.37;
    }
    List<Double> residuals = new ArrayList<>();
    for (int ranks : new int[] {1, 2, 3}) {
      residuals.add(
          Ranks.call(
                  ranks,
                  team -> {
                    SparseMatrix a = diagonal(team, diagonal);
                    a.map().reproducible(true);
                    try (TestVector b = new TestVector(a.map(), DType.F64).setAll(Math::sin);
                        TestVector x = b.like()) {
                      return Method.CG
                          .solve(
                              a, Preconditioner.NONE, b.array(), x.array(), SolveOptions.standard())
                          .residual();
                    }
                  })
              .getFirst());
    }
    assertThat(residuals).containsOnly(residuals.getFirst());
  }
}
