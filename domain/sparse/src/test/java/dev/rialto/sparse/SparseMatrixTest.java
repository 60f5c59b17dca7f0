package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.array.Array;
import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SparseMatrixTest {
  private static final int N = 60;

  /** The whole matrix, as every rank can compute it. */
  private static Scalar[][] dense(boolean complex) {
    Random random = new Random(17);
    Scalar[][] dense = new Scalar[N][N];
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        boolean near = Math.abs(i - j) < 3 || (i * 7 + j * 3) % 31 == 0;
        double re = random.nextInt(9) - 4;
        double im = random.nextInt(9) - 4;
        dense[i][j] = near && i % 13 != 5 ? new Scalar(re, complex ? im : 0) : Scalar.ZERO;
      }
    }
    return dense;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void productsMatchADenseMatrix(int ranks) {
    for (DType type : new DType[] {DType.F64, DType.C64}) {
      boolean complex = type.kind() == DType.Kind.COMPLEX;
      Scalar[][] dense = dense(complex);
      Ranks.run(
          ranks,
          team -> {
            int rank = team.rank();
            // Owners are scattered, the pattern is not symmetric, and any rank gives any entry.
            IndexMap rows = IndexMap.partition(team, N, g -> (int) (g * g % 11) % ranks).assemble();
            MatrixBuilder builder = SparseMatrix.on(rows, type);
            for (int i = 0; i < N; i++) {
              for (int j = 0; j < N; j++) {
                if ((i + j) % ranks == rank && !dense[i][j].isZero()) {
                  // In two halves, which add up.
                  builder.add(i, j, dense[i][j].times(Scalar.of(0.5)));
                  builder.add(i, j, dense[i][j].times(Scalar.of(0.5)));
                }
              }
            }
            SparseMatrix a = builder.assemble();
            for (Format format : Format.values()) {
              a.format(format);
              for (Op op : Op.values()) {
                for (int width : new int[] {1, 2}) {
                  check(a, dense, op, width);
                }
              }
            }
            a.chooseFormat();
            check(a, dense, Op.NONE, 1);
          });
    }
  }

  private static void check(SparseMatrix a, Scalar[][] dense, Op op, int width) {
    try (TestVector x = new TestVector(a.map(), a.type(), width);
        TestVector y = x.like()) {
      IndexMap map = a.map();
      for (int i = 0; i < map.owned(); i++) {
        for (int v = 0; v < width; v++) {
          x.set(i, v, input(a.type(), map.global(i), v));
          y.set(i, v, Scalar.ONE);
        }
      }
      a.apply(op, Scalar.of(2), x.array(), Scalar.of(3), y.array());
      for (int i = 0; i < map.owned(); i++) {
        int row = (int) map.global(i);
        for (int v = 0; v < width; v++) {
          Scalar sum = Scalar.of(3);
          for (int j = 0; j < N; j++) {
            Scalar entry =
                switch (op) {
                  case NONE -> dense[row][j];
                  case TRANSPOSE -> dense[j][row];
                  case ADJOINT -> dense[j][row].conjugate();
                };
            sum = sum.plus(Scalar.of(2).times(entry).times(input(a.type(), j, v)));
          }
          assertThat(y.get(i, v)).as("%s %s row %d", a.format(), op, row).isEqualTo(sum);
        }
      }
    }
  }

  /** Small integers, so that sums are exact in any order. */
  private static Scalar input(DType type, long g, int v) {
    return new Scalar(g % 7 - 3 + v, type.kind() == DType.Kind.COMPLEX ? g % 5 - 2 : 0);
  }

  @Test
  void duplicatesFollowThePolicy() {
    Ranks.run(
        2,
        team -> {
          IndexMap rows = IndexMap.even(team, 4).assemble();
          int rank = team.rank();
          for (Duplicates policy : new Duplicates[] {Duplicates.ADD, Duplicates.OVERWRITE}) {
            SparseMatrix a =
                SparseMatrix.on(rows, DType.F64)
                    .duplicates(policy)
                    .add(0, 0, 10 + rank)
                    .add(3, 3, 20 + rank)
                    .assemble();
            if (rank == 0) {
              assertThat(a.diagonal().re(0)).isEqualTo(policy == Duplicates.ADD ? 21 : 11);
            } else {
              // The owner's own entry comes first, so the other rank's overwrites it.
              assertThat(a.diagonal().re(1)).isEqualTo(policy == Duplicates.ADD ? 41 : 20);
            }
          }
        });
    assertThatThrownBy(
            () ->
                Ranks.run(
                    1,
                    team ->
                        SparseMatrix.on(IndexMap.even(team, 2).assemble(), DType.F64)
                            .duplicates(Duplicates.FAIL)
                            .add(1, 0, 1)
                            .add(1, 0, 2)
                            .assemble()))
        .rootCause()
        .hasMessageContaining("entry (1, 0) is given twice");
  }

  @Test
  void valuesAreReplacedWithinThePattern() {
    Ranks.run(
        2,
        team -> {
          IndexMap rows = IndexMap.even(team, 6).assemble();
          MatrixBuilder builder = SparseMatrix.on(rows, DType.F64);
          for (int i = 0; i < rows.owned(); i++) {
            long g = rows.global(i);
            builder.add(g, g, 1).add(g, (g + 1) % 6, 2);
          }
          SparseMatrix a = builder.assemble(Format.SELL);
          if (team.rank() == 0) {
            for (long g = 0; g < 6; g++) {
              builder.add(g, g, 5).add(g, (g + 1) % 6, 7);
            }
          }
          builder.assembleInto(a);
          try (TestVector x = new TestVector(a.map(), DType.F64).fill(Scalar.ONE);
              TestVector y = x.like()) {
            a.multiply(x.array(), y.array());
            for (int i = 0; i < rows.owned(); i++) {
              assertThat(y.get(i).re()).isEqualTo(12);
            }
          }
          assertThat(a.entries()).isEqualTo(12);
        });
  }

  @Test
  void refusedValuesLeaveTheMatrixAsItWas() {
    Ranks.run(
        3,
        team -> {
          IndexMap rows = IndexMap.even(team, 6).assemble();
          MatrixBuilder builder = SparseMatrix.on(rows, DType.F64);
          for (int i = 0; i < rows.owned(); i++) {
            builder.add(rows.global(i), rows.global(i), 4);
          }
          SparseMatrix a = builder.assemble(Format.SELL);
          if (team.rank() == 2) {
            builder.add(4, 4, 9).add(4, 5, 1);
          }
          assertThatThrownBy(() -> builder.assembleInto(a))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("rank 2: entry (4, 5) is not in the pattern");
          builder.duplicates(Duplicates.FAIL).add(0, 0, 1);
          assertThatThrownBy(() -> builder.assembleInto(a))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("entry (0, 0) is given twice");
          try (TestVector x = TestVector.of(a).fill(Scalar.ONE);
              TestVector y = TestVector.of(a)) {
            a.multiply(x.array(), y.array());
            y.axpby(Scalar.of(-4), x, Scalar.ONE);
            assertThat(y.normInf()).isZero();
          }
          assertThatThrownBy(() -> SparseMatrix.on(rows, DType.F32).assembleInto(a))
              .hasMessageContaining("a matrix of F64");
        });
  }

  @Test
  void operatorsRefuseOperandsThatTheirLoopsWouldTakeForOthers() {
    Ranks.run(
        2,
        team -> {
          StencilOperator star =
              StencilOperator.of(team, DType.F64, 2, 3, 2, 6, -1, -1, -1, -1, -1, -1);
          SparseMatrix matrix = SparseMatrix.on(star.map(), DType.F64).assemble();
          IndexMap other = IndexMap.even(team, 4).assemble();
          for (LinearOperator a : List.of(star, matrix)) {
            IndexMap map = a.map();
            try (Array x = map.space().array(DType.F64);
                Array y = x.like();
                Array shorter = other.space().array(DType.F64);
                Array narrow = map.space().array(DType.F32);
                Array two = map.space(2).array(DType.F64)) {
              refused(() -> a.multiply(shorter, y), "map().space()");
              refused(() -> a.multiply(x, shorter), "map().space()");
              refused(() -> a.multiply(narrow, y), "as a vector of F64");
              refused(() -> a.multiply(x, narrow), "as a vector of F64");
              refused(() -> a.multiply(x, two), "x is 1 vectors and y 2");
              refused(() -> a.multiply(x, x), "the same memory");
              Scalar i = new Scalar(0, 1);
              refused(() -> a.apply(Op.NONE, i, x, Scalar.ZERO, y), "is complex");
              refused(() -> a.apply(Op.NONE, Scalar.ONE, x, i, y), "is complex");
              try (Vectors v = Vectors.of(map, x)) {
                refused(() -> v.conjugateStep(i, x, x, x, y), "is complex");
                refused(() -> v.nextDirection(Scalar.ONE, x, y, i, y), "is complex");
                refused(() -> v.copy(two, y), "as many vectors");
                refused(() -> v.copy(shorter, y), "map().space()");
              }
            }
          }
        });
  }

  private static void refused(ThrowingCallable call, String words) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  @Test
  void aViewOfTheVectorIsNoPlaceForTheProduct() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                F64Array x = team.f64(8);
                F64Array y = team.f64(8)) {
              SparseMatrix a = SparseMatrix.on(x.space(), DType.F64).add(0, 7, 2).assemble();
              F64Array same = x.slice(0, 0, 8);
              refused(() -> a.multiply(x, x), "the same memory");
              refused(() -> a.multiply(x, same), "the same memory");
              refused(() -> a.multiply(same, x), "the same memory");
              a.multiply(same, y);
            }
          });
    }
  }

  @Test
  void extendedMatricesHoldTheRowsAround() {
    Ranks.run(
        3,
        team -> {
          IndexMap rows = IndexMap.even(team, 12).assemble();
          MatrixBuilder builder = SparseMatrix.on(rows, DType.F64);
          for (int i = 0; i < rows.owned(); i++) {
            long g = rows.global(i);
            builder.add(g, g, 2.0 + g);
            if (g > 0) {
              builder.add(g, g - 1, -1);
            }
            if (g < 11) {
              builder.add(g, g + 1, -1);
            }
          }
          SparseMatrix a = builder.assemble();
          ExtendedRows extended = a.extend(2);
          int rank = team.rank();
          assertThat(extended.map().locals()).isEqualTo(rank == 1 ? 8 : 6);
          for (int i = 0; i < extended.map().locals(); i++) {
            int at = extended.matrix().find(i, i);
            assertThat(extended.matrix().values().re(at)).isEqualTo(2.0 + extended.map().global(i));
          }
        });
  }
}
