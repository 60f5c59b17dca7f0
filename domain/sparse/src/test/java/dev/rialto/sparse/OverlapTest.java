package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.array.Team;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.BlockJacobi;
import dev.rialto.sparse.precond.Factorization;
import dev.rialto.sparse.precond.Jacobi;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.precond.Schwarz;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.spi.data.DType;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Matrices and vectors some of whose indices several ranks own, against dense ones. */
class OverlapTest {
  private static final int N = 24;

  /** Every index has a first owner, and one in three has another; on one rank, all are its own. */
  private static long[] owned(Team team, long seed) {
    int ranks = team.size();
    Random random = new Random(seed);
    return LongStream.range(0, N)
        .filter(
            _ -> {
              int first = random.nextInt(ranks);
              int second = random.nextInt(3) == 0 ? random.nextInt(ranks) : first;
              int rank = team.rank();
              return rank == first || rank == second;
            })
        .toArray();
  }

  /** Small integers, so that sums are exact in any order; symmetric and definite if asked. */
  private static Scalar[][] dense(long seed, boolean complex, boolean definite) {
    Random random = new Random(seed);
    Scalar[][] dense = new Scalar[N][N];
    for (Scalar[] row : dense) {
      java.util.Arrays.fill(row, Scalar.ZERO);
    }
    for (int i = 0; i < N; i++) {
      for (int k = 0; k < 3; k++) {
        int j = random.nextInt(N);
        Scalar value = new Scalar(random.nextInt(7) - 3, complex ? random.nextInt(5) - 2 : 0);
        dense[i][j] = value;
        if (definite) {
          dense[j][i] = value.conjugate();
        }
      }
    }
    for (int i = 0; definite && i < N; i++) {
      double sum = 1;
      for (int j = 0; j < N; j++) {
        sum += i == j ? 0 : Math.ceil(dense[i][j].abs());
      }
      dense[i][i] = Scalar.of(sum);
    }
    return dense;
  }

  private static SparseMatrix matrix(Team team, long seed, DType type, Scalar[][] dense) {
    IndexMap rows = IndexMap.lists(team, N, owned(team, seed)).assemble();
    MatrixBuilder builder = SparseMatrix.on(rows, type);
    Random random = new Random(seed + 1);
    for (int i = 0; i < N; i++) {
      // A row is given by all its owners, or by one rank that may own it or not.
      int giver = random.nextInt(team.size());
      boolean byOwners = random.nextBoolean();
      int local = rows.local(i);
      boolean mine = byOwners ? local >= 0 && local < rows.owned() : giver == team.rank();
      for (int j = 0; mine && j < N; j++) {
        if (!dense[i][j].isZero()) {
          builder.add(i, j, dense[i][j]);
        }
      }
    }
    return builder.assemble();
  }

  private static Scalar input(DType type, long g) {
    return new Scalar(g % 5 - 2, type.kind() == DType.Kind.COMPLEX ? g % 3 - 1 : 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void productsMatchADenseMatrix(int ranks) {
    for (long seed = 0; seed < 6; seed++) {
      long s = seed;
      for (DType type : List.of(DType.F64, DType.C128, DType.F32)) {
        Scalar[][] dense = dense(seed, type.kind() == DType.Kind.COMPLEX, false);
        Ranks.run(
            ranks,
            team -> {
              SparseMatrix a = matrix(team, s, type, dense);
              for (boolean exact : new boolean[] {false, true}) {
                a.map().reproducible(exact);
                for (Op op : Op.values()) {
                  check(a, dense, op, s);
                }
              }
              long entries = 0;
              for (Scalar[] row : dense) {
                for (Scalar value : row) {
                  entries += value.isZero() ? 0 : 1;
                }
              }
              assertThat(a.entries()).isEqualTo(entries);
            });
      }
    }
  }

  private static void check(SparseMatrix a, Scalar[][] dense, Op op, long seed) {
    try (TestVector x = new TestVector(a.map(), a.type());
        TestVector y = x.like()) {
      for (int i = 0; i < a.map().owned(); i++) {
        x.set(i, 0, input(a.type(), a.map().global(i)));
        y.set(i, 0, Scalar.of((double) a.map().global(i)));
      }
      a.apply(op, Scalar.of(2), x.array(), Scalar.of(3), y.array());
      Scalar dot = Scalar.ZERO;
      for (int i = 0; i < N; i++) {
        Scalar sum = Scalar.of(3.0 * i);
        for (int j = 0; j < N; j++) {
          Scalar entry =
              switch (op) {
                case NONE -> dense[i][j];
                case TRANSPOSE -> dense[j][i];
                case ADJOINT -> dense[j][i].conjugate();
              };
          sum = sum.plus(Scalar.of(2).times(entry).times(input(a.type(), j)));
        }
        dot = dot.plus(input(a.type(), i).conjugate().times(sum));
        int local = a.map().local(i);
        if (local >= 0 && local < a.map().owned()) {
          assertThat(y.get(local)).as("seed %d %s row %d", seed, op, i).isEqualTo(sum);
        }
      }
      assertThat(x.dot(y)).isEqualTo(dot);
      y.fill(Scalar.ONE);
      assertThat(y.dot(y)).isEqualTo(Scalar.of(N));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void solversFindTheSolution(int ranks) {
    for (DType type : List.of(DType.F64, DType.C128)) {
      Scalar[][] dense = dense(3, type.kind() == DType.Kind.COMPLEX, true);
      Ranks.run(
          ranks,
          team -> {
            SparseMatrix a = matrix(team, 3, type, dense);
            for (Preconditioner m :
                List.of(
                    Preconditioner.NONE,
                    Jacobi.of(a),
                    BlockJacobi.of(a, new Factorization.Levels(0)),
                    Schwarz.of(a, 1, false, new Factorization.Levels(0)))) {
              for (Method method : List.of(Method.CG, Method.BICG, Method.GMRES)) {
                try (TestVector exact = TestVector.of(a);
                    TestVector b = TestVector.of(a);
                    TestVector x = TestVector.of(a)) {
                  for (int i = 0; i < a.map().owned(); i++) {
                    exact.set(i, 0, input(type, a.map().global(i)));
                  }
                  a.multiply(exact.array(), b.array());
                  SolveResult result =
                      method.solve(
                          a, m, b.array(), x.array(), SolveOptions.standard().withTolerance(1e-11));
                  assertThat(result.converged()).as("%s %s %s", method, m, result).isTrue();
                  x.axpby(Scalar.of(-1), exact, Scalar.ONE);
                  assertThat(x.normInf()).isCloseTo(0, within(1e-8));
                }
              }
              m.close();
            }
          });
    }
  }

  @Test
  void ownersThatDisagreeAreNamedOnAllRanks() {
    Ranks.run(
        3,
        team -> {
          int rank = team.rank();
          IndexMap rows = IndexMap.lists(team, 4, 0, 1 + rank).assemble();
          MatrixBuilder builder = SparseMatrix.on(rows, DType.F64).add(0, 0, rank < 2 ? 2 : 3);
          assertThatIllegalArgumentException()
              .isThrownBy(builder::assemble)
              .withMessageContaining("entry (0, 0) is 2.0 on rank 0 and 3.0 on rank 2");
        });
  }
}
