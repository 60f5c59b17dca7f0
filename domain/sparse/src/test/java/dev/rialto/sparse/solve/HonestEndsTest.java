package dev.rialto.sparse.solve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.rialto.array.Array;
import dev.rialto.array.Team;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.LinearOperator;
import dev.rialto.sparse.MatrixBuilder;
import dev.rialto.sparse.Ranks;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.TestVector;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.Factorization;
import dev.rialto.sparse.precond.Jacobi;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.solve.SolveResult.Reason;
import dev.rialto.spi.data.DType;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The reported ends of solvers, compared with a residual that plain loops compute from x. */
class HonestEndsTest {
  private static final int N = 48;
  private static final List<DType> TYPES = List.of(DType.F64, DType.C128, DType.F32, DType.C64);
  private static final EnumSet<Method> SYMMETRIC = EnumSet.of(Method.CG, Method.FCG, Method.CG1);

  /** A band with a condition of some hundreds; Hermitian for methods that need it. */
  private static Scalar[][] dense(Method method, boolean complex) {
    boolean symmetric = SYMMETRIC.contains(method);
    // Richardson's iteration must converge in some hundred steps.
    double diagonal = method == Method.RICHARDSON ? 2.6 : complex ? 2.1 : 2.02;
    Scalar[][] dense = new Scalar[N][N];
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        double im = complex ? (j > i ? 0.25 : symmetric ? -0.25 : 0.125) : 0;
        dense[i][j] =
            i == j
                ? Scalar.of(diagonal)
                : Math.abs(i - j) == 1
                    ? new Scalar(symmetric || j > i ? -1 : -0.875, im)
                    : Scalar.ZERO;
      }
    }
    return dense;
  }

  private static SparseMatrix matrix(Team team, DType type, Scalar[][] dense) {
    IndexMap rows = IndexMap.even(team, N).assemble();
    MatrixBuilder builder = SparseMatrix.on(rows, type);
    for (int i = 0; i < rows.owned(); i++) {
      int g = (int) rows.global(i);
      for (int j = 0; j < N; j++) {
        if (!dense[g][j].isZero()) {
          builder.add(g, j, dense[g][j]);
        }
      }
    }
    return builder.assemble();
  }

  private static Scalar right(boolean complex, long g) {
    return new Scalar((float) Math.sin(1.0 + g), complex ? (float) Math.cos(3.0 * g) : 0);
  }

  /** The measure of a stopping rule at x, by plain loops in double precision. */
  private static double measured(
      StoppingRule rule, Scalar[][] dense, boolean complex, Scalar[] x, Scalar[] guess) {
    double[] now = norms(dense, complex, x);
    double[] start = norms(dense, complex, guess);
    return switch (rule) {
      case RIGHT_HAND_SIDE -> now[0] / now[2];
      case INITIAL_RESIDUAL -> now[0] / start[0];
      case BACKWARD_ERROR -> now[1] / (now[4] * now[5] + now[3]);
    };
  }

  /** Norms: |r|, |r| max, |b|, |b| max, |A| max, |x| max. */
  private static double[] norms(Scalar[][] dense, boolean complex, Scalar[] x) {
    double[] norms = new double[6];
    for (int i = 0; i < N; i++) {
      Scalar sum = right(complex, i);
      norms[2] = Math.hypot(norms[2], sum.abs());
      norms[3] = Math.max(norms[3], sum.abs());
      double row = 0;
      for (int j = 0; j < N; j++) {
        sum = sum.minus(dense[i][j].times(x[j]));
        row += dense[i][j].abs();
      }
      norms[0] = Math.hypot(norms[0], sum.abs());
      norms[1] = Math.max(norms[1], sum.abs());
      norms[4] = Math.max(norms[4], row);
      norms[5] = Math.max(norms[5], x[i].abs());
    }
    return norms;
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void convergedMeansThatTheToleranceIsReached(Method method) {
    for (DType type : TYPES) {
      boolean complex = type.kind() == DType.Kind.COMPLEX;
      boolean single = type == DType.F32 || type == DType.C64;
      Scalar[][] dense = dense(method, complex);
      for (int ranks : new int[] {1, 2}) {
        Ranks.run(
            ranks,
            team -> {
              SparseMatrix a = matrix(team, type, dense);
              for (StoppingRule rule : StoppingRule.values()) {
                // Two ranks do the same in the same order; what differs is the sums.
                double[] tolerances =
                    ranks == 1
                        ? new double[] {1e-3, 1e-6, 1e-9, 1e-13, 1e-30}
                        : new double[] {1e-9, 1e-30};
                for (double tolerance : tolerances) {
                  try (Preconditioner m = Jacobi.of(a)) {
                    String what = method + " " + type + " " + rule + " " + tolerance;
                    check(a, m, method, rule, tolerance, dense, single ? 1e-7 : 1e-15, what);
                  }
                }
              }
            });
      }
    }
  }

  /** Counts its products, which are those of a matrix. */
  private record Counted(SparseMatrix matrix, AtomicInteger products) implements LinearOperator {
    @Override
    public IndexMap map() {
      return matrix.map();
    }

    @Override
    public DType type() {
      return matrix.type();
    }

    @Override
    public void apply(Op op, Scalar a, Array x, Scalar b, Array y) {
      products.incrementAndGet();
      matrix.apply(op, a, x, b, y);
    }
  }

  @Test
  void solveTakesTwoProductsBesidesThoseOfItsIterations() {
    Ranks.run(
        1,
        team -> {
          SparseMatrix matrix = matrix(team, DType.F64, dense(Method.CG, false));
          Counted a = new Counted(matrix, new AtomicInteger());
          try (TestVector b = TestVector.of(a).fill(Scalar.ONE);
              TestVector x = TestVector.of(a).fill(Scalar.of(2))) {
            b.set(0, 0, Scalar.of(2));
            SolveOptions options =
                SolveOptions.standard().withTolerance(1e-30).withMaxIterations(5);
            SolveResult result =
                Method.CG.solve(a, Preconditioner.NONE, b.array(), x.array(), options);
            assertThat(result.iterations()).isEqualTo(5);
            assertThat(a.products()).hasValue(5 + 2);
          }
        });
  }

  private static void check(
      SparseMatrix a,
      Preconditioner m,
      Method method,
      StoppingRule rule,
      double tolerance,
      Scalar[][] dense,
      double rounding,
      String what) {
    boolean complex = a.type().kind() == DType.Kind.COMPLEX;
    try (TestVector b = TestVector.of(a);
        TestVector x = TestVector.of(a).fill(Scalar.of(2))) {
      for (int i = 0; i < a.map().owned(); i++) {
        b.set(i, 0, right(complex, a.map().global(i)));
      }
      Scalar[] guess = gather(x);
      SolveOptions options =
          SolveOptions.standard()
              .withRule(rule)
              .withTolerance(tolerance)
              .withMaxIterations(2000)
              .withRestart(60);
      SolveResult result = method.solve(a, m, b.array(), x.array(), options);
      double truth = measured(rule, dense, complex, gather(x), guess);
      // The residual itself is rounded: by the sizes of A x and b.
      double slack = 200 * rounding;
      assertThat(result.residual()).as("%s %s", what, result).isCloseTo(truth, within(slack));
      if (result.reason() == Reason.CONVERGED) {
        assertThat(truth).as("%s %s", what, result).isLessThanOrEqualTo(tolerance + slack);
        assertThat(result.residual()).isLessThanOrEqualTo(tolerance);
      } else {
        // All of these systems can be solved: nothing but rounding or patience is in the way.
        assertThat(result.reason())
            .as("%s %s", what, result)
            .isIn(Reason.STAGNATED, Reason.ITERATION_LIMIT);
        assertThat(tolerance).as("%s %s", what, result).isLessThan(slack);
        if (result.reason() == Reason.STAGNATED) {
          assertThat(truth).as("%s %s", what, result).isLessThan(100 * slack);
        }
      }
      assertThat(result.history()).hasSize(result.iterations() + 1);
    }
  }

  /** Returns all elements, on each rank. */
  private static Scalar[] gather(TestVector x) {
    double[] parts = new double[2 * N];
    for (int g = 0; g < N; g++) {
      int local = x.map().local(g);
      if (local >= 0 && local < x.map().owned()) {
        parts[2 * g] = x.get(local).re();
        parts[2 * g + 1] = x.get(local).im();
      }
    }
    double[] sums = x.map().comm().sum(parts);
    Scalar[] all = new Scalar[N];
    Arrays.setAll(all, g -> new Scalar(sums[2 * g], sums[2 * g + 1]));
    return all;
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void anExactGuessIsConvergence(Method method) {
    Ranks.run(
        2,
        team -> {
          SparseMatrix a = matrix(team, DType.F64, dense(method, false));
          for (StoppingRule rule : StoppingRule.values()) {
            try (TestVector x = TestVector.of(a).fill(Scalar.of(4));
                TestVector b = TestVector.of(a)) {
              a.multiply(x.array(), b.array());
              SolveOptions options = SolveOptions.standard().withRule(rule).withTolerance(0);
              SolveResult result =
                  method.solve(a, Preconditioner.NONE, b.array(), x.array(), options);
              assertThat(result.reason()).as("%s %s", rule, result).isEqualTo(Reason.CONVERGED);
              assertThat(result.iterations()).isZero();
            }
          }
        });
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void theSizeOfTheRightHandSideDoesNotMatter(Method method) {
    Ranks.run(
        2,
        team -> {
          SparseMatrix a = matrix(team, DType.F64, dense(method, false));
          try (Preconditioner m = Jacobi.of(a);
              TestVector one = TestVector.of(a);
              TestVector b = TestVector.of(a).setAll(g -> Math.sin(1.0 + g));
              TestVector x = TestVector.of(a)) {
            SolveOptions options =
                SolveOptions.standard().withTolerance(1e-9).withMaxIterations(2000);
            method.solve(a, m, b.array(), one.array(), options);
            for (int power : new int[] {-990, -560, 560, 990}) {
              double size = Math.scalb(1.0, power);
              try (TestVector scaled = TestVector.of(a).axpby(Scalar.of(size), b, Scalar.ZERO)) {
                x.fill(Scalar.ZERO);
                SolveResult result = method.solve(a, m, scaled.array(), x.array(), options);
                assertThat(result.converged()).as("2^%d %s", power, result).isTrue();
                assertThat(result.trueResidual()).isLessThan(1e-9);
                x.scale(Scalar.of(1 / size)).axpby(Scalar.of(-1), one, Scalar.ONE);
                assertThat(x.normInf()).isLessThan(1e-5);
                assertThat(scaled.norm2()).isCloseTo(b.norm2() * size, within(1e-12 * size));
              }
            }
          }
        });
  }

  /** Sizes of a matrix and of a right-hand side whose solution is out of a type's range. */
  private static Stream<Arguments> solutionsThatDoNotFit() {
    return Stream.of(
        arguments(DType.F64, 1e-200, 1e300),
        arguments(DType.F64, 1e200, 1e-300),
        arguments(DType.F64, 1e-290, 1e50),
        arguments(DType.F64, 1e280, 1e-50),
        arguments(DType.C128, 1e-200, 1e300),
        arguments(DType.C128, 1e200, 1e-300),
        arguments(DType.F32, 1e-20, 1e30),
        arguments(DType.F32, 1e20, 1e-30),
        arguments(DType.C64, 1e-20, 1e30),
        arguments(DType.C64, 1e20, 1e-30));
  }

  @ParameterizedTest
  @MethodSource("solutionsThatDoNotFit")
  void aSolutionOutOfRangeIsNoSuccess(DType type, double matrix, double right) {
    Scalar[][] dense = dense(Method.CG, false);
    for (Scalar[] row : dense) {
      Arrays.setAll(row, j -> row[j].times(Scalar.of(matrix)));
    }
    Ranks.run(
        2,
        team -> {
          SparseMatrix a = matrix(team, type, dense);
          for (Method method : Method.values()) {
            for (StoppingRule rule : StoppingRule.values()) {
              try (TestVector b = TestVector.of(a).setAll(g -> right * (2 + Math.sin(1.0 + g)));
                  TestVector x = TestVector.of(a);
                  Preconditioner m = Jacobi.of(a)) {
                SolveOptions options = SolveOptions.standard().withRule(rule);
                SolveResult result = method.solve(a, m, b.array(), x.array(), options);
                String what = method + " " + rule + " " + result;
                assertThat(result.converged()).as(what).isFalse();
                assertThat(result.reason()).as(what).isEqualTo(Reason.OUT_OF_RANGE);
                assertThat(result.detail())
                    .as(what)
                    .contains("|b| / |A| is 1e", type + " holds", "scale b or the matrix");
              }
            }
          }
        });
  }

  @Test
  void aSolutionAtTheEndOfTheRangeConverges() {
    Scalar[][] dense = dense(Method.CG, false);
    for (Scalar[] row : dense) {
      Arrays.setAll(row, j -> row[j].times(Scalar.of(1e-8)));
    }
    Ranks.run(
        2,
        team -> {
          SparseMatrix a = matrix(team, DType.F64, dense);
          for (double right : new double[] {1e297, 1e-315}) {
            try (TestVector b = TestVector.of(a).fill(Scalar.of(right));
                TestVector x = TestVector.of(a)) {
              SolveResult result =
                  Method.CG.solve(
                      a, Preconditioner.NONE, b.array(), x.array(), SolveOptions.standard());
              assertThat(result.converged()).as("%s", result).isTrue();
              assertThat(x.normInf()).isPositive().isFinite();
            }
          }
        });
  }

  @Test
  void numbersThatNoSolveCanHaveAreRefused() {
    SolveOptions standard = SolveOptions.standard();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> standard.withRestart(Integer.MAX_VALUE))
        .withMessageContaining("restart 2147483647, degree 2; give at most 10000 and 100");
    assertThatIllegalArgumentException().isThrownBy(() -> standard.withDegree(Integer.MAX_VALUE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Factorization.Levels(-1))
        .withMessageContaining("level -1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Factorization.Threshold(Double.NaN, 20));
    assertThatIllegalArgumentException().isThrownBy(() -> new Factorization.Threshold(0.1, -1));
  }

  @Test
  void whatDoesNotFitIsRefused() {
    Ranks.run(
        2,
        team -> {
          SparseMatrix a = matrix(team, DType.F64, dense(Method.CG, false));
          int rank = team.rank();
          SolveOptions options = SolveOptions.standard();
          try (TestVector b = TestVector.of(a).fill(Scalar.ONE);
              TestVector x = TestVector.of(a);
              TestVector single = new TestVector(a.map(), DType.F32);
              TestVector complex = new TestVector(a.map(), DType.C128);
              TestVector two = new TestVector(a.map(), DType.F64, 2)) {
            assertThatIllegalArgumentException()
                .isThrownBy(
                    () -> Method.CG.solve(a, Preconditioner.NONE, b.array(), b.array(), options))
                .withMessageContaining("the same memory");
            for (TestVector other : List.of(single, complex)) {
              assertThatIllegalArgumentException()
                  .isThrownBy(
                      () ->
                          Method.CG.solve(
                              a, Preconditioner.NONE, other.array(), x.array(), options))
                  .withMessageContaining("as a vector of F64");
            }
            assertThatIllegalArgumentException()
                .isThrownBy(
                    () -> Method.CG.solve(a, Preconditioner.NONE, b.array(), two.array(), options))
                .withMessageContaining("x is 2 vectors");
            SolveOptions mine = options.withTolerance(rank == 0 ? 1e-6 : 1e-7);
            assertThatThrownBy(
                    () -> Method.CG.solve(a, Preconditioner.NONE, b.array(), x.array(), mine))
                .hasMessageContaining("tolerance 1.0E-6")
                .hasMessageContaining("tolerance 1.0E-7");
          }
          assertThatIllegalArgumentException().isThrownBy(() -> options.withRelaxation(Double.NaN));
        });
  }

  @Test
  void vectorsOfAnotherMapWithTheSameOwnersAreSolvedFor() {
    Ranks.run(
        3,
        team -> {
          SparseMatrix a = matrix(team, DType.F64, dense(Method.CG, false));
          IndexMap plain = IndexMap.even(team, N).assemble();
          try (TestVector b = new TestVector(plain, DType.F64).fill(Scalar.ONE);
              TestVector x = b.like();
              TestVector there = TestVector.of(a);
              TestVector r = TestVector.of(a)) {
            SolveResult result =
                Method.CG.solve(
                    a, Preconditioner.NONE, b.array(), x.array(), SolveOptions.standard());
            assertThat(result.converged()).isTrue();
            a.multiply(there.copy(x).array(), r.array());
            r.axpby(Scalar.of(-1), b, Scalar.ONE);
            assertThat(r.norm2() / b.norm2()).isCloseTo(result.trueResidual(), within(1e-12));
          }
        });
  }
}
