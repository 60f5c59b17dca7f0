package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.array.Team;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.Jacobi;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.sparse.solve.StoppingRule;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Results that must not depend on ranks, owners or formats, down to the last bit. */
class ReproducibleTest {
  private static final int N = 150;
  private static final List<DType> TYPES = List.of(DType.F64, DType.F32, DType.C128, DType.C64);

  /** Ways to own the indices; the last two out of order and with overlaps. */
  private static List<Function<Team, IndexMapBuilder>> owners() {
    return List.of(
        team -> IndexMap.even(team, N),
        team -> IndexMap.partition(team, N, g -> (int) (g * 7 % team.size())),
        team ->
            IndexMap.lists(
                team,
                N,
                LongStream.iterate(N - 1, g -> g >= 0, g -> g - 1)
                    .filter(
                        g -> {
                          int ranks = team.size();
                          int rank = team.rank();
                          return g % ranks == rank || (g % 5 == 0 && (g + 1) % ranks == rank);
                        })
                    .toArray()));
  }

  /** Elements by their global index, as text that shows every bit. */
  private static Map<Long, String> bits(TestVector x) {
    Map<Long, String> bits = new TreeMap<>();
    for (int i = 0; i < x.map().owned(); i++) {
      Scalar value = x.get(i);
      bits.put(
          x.map().global(i), Double.toHexString(value.re()) + " " + Double.toHexString(value.im()));
    }
    return bits;
  }

  private static Map<Long, String> together(List<Map<Long, String>> parts) {
    Map<Long, String> all = new TreeMap<>();
    for (Map<Long, String> part : parts) {
      part.forEach(
          (index, value) -> {
            String before = all.put(index, value);
            assertThat(before == null || before.equals(value)).as("copies of %d", index).isTrue();
          });
    }
    return all;
  }

  /** A matrix whose entries are given once, so that assembling adds nothing. */
  private static SparseMatrix matrix(IndexMap rows, DType type, boolean hermitian) {
    boolean complex = type.kind() == DType.Kind.COMPLEX;
    MatrixBuilder builder = SparseMatrix.on(rows, type).duplicates(Duplicates.OVERWRITE);
    for (int i = 0; i < rows.owned(); i++) {
      long g = rows.global(i);
      if (!rows.isMaster(i)) {
        continue;
      }
      builder.add(g, g, 9.1);
      for (long d : new long[] {1, 4, 13, 60}) {
        double size = 1 / (1.7 + d);
        Scalar upper = new Scalar(-size * Math.sqrt(2), complex ? size : 0);
        Scalar lower = hermitian ? upper.conjugate() : new Scalar(-size / 3, 0);
        if (g + d < N) {
          builder.add(g, g + d, upper);
        }
        if (g - d >= 0) {
          builder.add(g, g - d, lower);
        }
      }
    }
    return builder.assemble();
  }

  @Test
  void productsHaveTheSameBitsForAnyOwners() {
    for (DType type : TYPES) {
      for (Op op : Op.values()) {
        List<Map<Long, String>> results = new ArrayList<>();
        for (int ranks : new int[] {1, 2, 3, 5}) {
          for (var owner : owners()) {
            results.add(
                together(
                    Ranks.call(
                        ranks,
                        team -> {
                          IndexMap rows = owner.apply(team).assemble();
                          SparseMatrix a = matrix(rows, type, false);
                          rows.reproducible(true);
                          a.format(ranks % 2 == 0 ? Format.HYB : Format.CSR);
                          try (TestVector x = TestVector.of(a).setAll(g -> Math.sin(1.0 + g));
                              TestVector y = TestVector.of(a).setAll(g -> Math.cos(2.0 * g))) {
                            a.apply(op, Scalar.of(-0.7), x.array(), Scalar.of(0.3), y.array());
                            return bits(y);
                          }
                        })));
          }
        }
        assertThat(results).as("%s %s", type, op).containsOnly(results.getFirst());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void solvesHaveTheSameBitsForAnyOwners(Method method) {
    boolean hermitian = method == Method.CG || method == Method.FCG || method == Method.CG1;
    for (DType type : TYPES) {
      List<Map<Long, String>> results = new ArrayList<>();
      List<String> histories = new ArrayList<>();
      for (int ranks : new int[] {1, 2, 3}) {
        for (var owner : owners()) {
          results.add(
              together(
                  Ranks.call(
                      ranks,
                      team -> {
                        IndexMap rows = owner.apply(team).assemble();
                        rows.reproducible(true);
                        SparseMatrix a = matrix(rows, type, hermitian);
                        try (Preconditioner m = Jacobi.of(a);
                            TestVector b = TestVector.of(a).setAll(g -> Math.sin(1.0 + g));
                            TestVector x = TestVector.of(a)) {
                          SolveResult result =
                              method.solve(
                                  a,
                                  m,
                                  b.array(),
                                  x.array(),
                                  SolveOptions.standard()
                                      .withTolerance(1e-5)
                                      .withRule(StoppingRule.BACKWARD_ERROR));
                          assertThat(result.converged()).as("%s %s", type, result).isTrue();
                          if (team.rank() == 0) {
                            histories.add(Arrays.toString(result.history()));
                          }
                          return bits(x);
                        }
                      })));
        }
      }
      assertThat(histories).as("%s", type).containsOnly(histories.getFirst());
      assertThat(results).as("%s", type).containsOnly(results.getFirst());
    }
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void solvesHaveTheSameBitsInEveryFormat(Method method) {
    boolean hermitian = method == Method.CG || method == Method.FCG || method == Method.CG1;
    for (DType type : TYPES) {
      Ranks.run(
          2,
          team -> {
            SparseMatrix a = matrix(IndexMap.even(team, N).assemble(), type, hermitian);
            List<Map<Long, String>> results = new ArrayList<>();
            for (Format format : Format.values()) {
              a.format(format);
              try (Preconditioner m = Jacobi.of(a);
                  TestVector b = TestVector.of(a).setAll(g -> Math.sin(1.0 + g));
                  TestVector x = TestVector.of(a)) {
                method.solve(
                    a, m, b.array(), x.array(), SolveOptions.standard().withTolerance(1e-4));
                results.add(bits(x));
              }
            }
            assertThat(results).as("%s", type).containsOnly(results.getFirst());
          });
    }
  }

  @Test
  void theWishIsSharedByAllMapsOfTheSameOwnersAndOutlivesASolve() {
    Ranks.run(
        2,
        team -> {
          IndexMap rows = IndexMap.even(team, N).assemble();
          SparseMatrix a = matrix(rows, DType.F64, true);
          a.map().reproducible(true);
          assertThat(rows.isReproducible()).isTrue();
          assertThat(matrix(rows, DType.F64, true).map().isReproducible()).isTrue();
          try (TestVector b = new TestVector(rows, DType.F64).fill(Scalar.ONE);
              TestVector x = TestVector.of(a)) {
            Method.CG.solve(a, Preconditioner.NONE, b.array(), x.array(), SolveOptions.standard());
            assertThat(a.map().isReproducible()).isTrue();
            rows.reproducible(false);
            assertThat(a.map().isReproducible()).isFalse();
          }
        });
  }

  @Test
  void newValuesAreFollowed() {
    Ranks.run(
        2,
        team -> {
          IndexMap rows = IndexMap.even(team, 6).assemble();
          rows.reproducible(true);
          MatrixBuilder builder = SparseMatrix.on(rows, DType.F64);
          for (long g = 0; g < 6; g++) {
            builder.add(g, (g + 1) % 6, team.rank() == 0 ? 2 : 0);
          }
          SparseMatrix a = builder.assemble();
          try (TestVector x = TestVector.of(a).fill(Scalar.ONE);
              TestVector y = TestVector.of(a)) {
            for (double value : new double[] {2, 5}) {
              for (Op op : Op.values()) {
                a.apply(op, Scalar.ONE, x.array(), Scalar.ZERO, y.array());
                assertThat(y.normInf()).isEqualTo(value);
                assertThat(y.norm1()).isEqualTo(6 * value);
              }
              for (long g = 0; g < 6; g++) {
                builder.add(g, (g + 1) % 6, team.rank() == 0 ? 5 : 0);
              }
              builder.assembleInto(a);
            }
          }
        });
  }
}
