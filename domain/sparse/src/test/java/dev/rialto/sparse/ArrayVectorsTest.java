package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.array.Array;
import dev.rialto.array.Complex;
import dev.rialto.array.ComplexArray;
import dev.rialto.array.Decomposition;
import dev.rialto.array.F64Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.RealArray;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.sparse.io.MatrixMarket;
import dev.rialto.sparse.io.MatrixMarketException;
import dev.rialto.sparse.io.MatrixMarketWriter;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.Jacobi;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays as vectors of matrices, against sums over a dense matrix. */
class ArrayVectorsTest {
  private static final int ROWS = 5;
  private static final int COLUMNS = 4;
  private static final int SIZE = ROWS * COLUMNS;

  @TempDir private Path folder;

  private interface Body {
    void run(Team team) throws Exception;
  }

  private static void run(int ranks, Body body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              body.run(team);
            }
          });
    }
  }

  private static List<Decomposition> decompositions(int ranks) {
    return List.of(
        Decomposition.block(),
        Decomposition.block(1, ranks),
        Decomposition.cyclic(ranks),
        Decomposition.hash(),
        (shape, all) ->
            shape.rank() == 2
                ? Grid.block(shape, all, 1).withOrder(1, 0)
                : Grid.block(shape, all, 1, 1).withOrder(1, 0, 2));
  }

  /** A matrix without symmetry in which most entries are 0. */
  private static Scalar entry(long i, long j, DType type) {
    boolean none = i != j && (i * 7 + j * 3) % 5 != 0;
    double imaginary = type.kind() == DType.Kind.COMPLEX ? (i - 2 * j) / 16.0 : 0;
    return none ? Scalar.ZERO : new Scalar(i == j ? 8 + i : (i + 2 * j) / 8.0, imaginary);
  }

  private static Scalar value(long element, DType type) {
    double imaginary = type.kind() == DType.Kind.COMPLEX ? element % 5 - 2 : 0;
    return new Scalar(element % 7 - 3, imaginary);
  }

  private static void fill(Array array) {
    switch (array) {
      case RealArray real -> real.generate(i -> value(i, array.type()).re());
      case ComplexArray complex ->
          complex.generate(
              i -> new Complex(value(i, array.type()).re(), value(i, array.type()).im()));
      default -> throw new AssertionError(array);
    }
  }

  private static SparseMatrix matrix(IndexSpace rows, DType type) {
    MatrixBuilder builder = SparseMatrix.on(rows, type);
    for (long i = 0; i < SIZE; i++) {
      for (long j = 0; j < SIZE; j++) {
        if (rows.team().communicator().rank() == 0 && !entry(i, j, type).isZero()) {
          builder.add(i, j, entry(i, j, type));
        }
      }
    }
    return builder.assemble();
  }

  /** Returns 2 op(A) x - y where x is {@link #value}, and so is y, of one of several vectors. */
  private static Scalar expected(Op op, long i, int vector, int width, DType type) {
    Scalar sum = Scalar.ZERO;
    for (long j = 0; j < SIZE; j++) {
      Scalar factor =
          switch (op) {
            case NONE -> entry(i, j, type);
            case TRANSPOSE -> entry(j, i, type);
            case ADJOINT -> entry(j, i, type).conjugate();
          };
      sum = sum.plus(factor.times(value(j * width + vector, type)));
    }
    return sum.times(Scalar.of(2)).plus(value(i * width + vector, type).negated());
  }

  private static void check(Op op, Array y, int width) {
    DType type = y.type();
    switch (y) {
      case RealArray real ->
          real.forEach(
              (i, value) ->
                  assertThat(value)
                      .as("%s of %s at %d", op, y, i)
                      .isEqualTo(expected(op, i / width, (int) (i % width), width, type).re()));
      case ComplexArray complex ->
          complex.forEach(
              (i, value) ->
                  assertThat(new Scalar(value.re(), value.im()))
                      .as("%s of %s at %d", op, y, i)
                      .isEqualTo(expected(op, i / width, (int) (i % width), width, type)));
      default -> throw new AssertionError(y);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void productsOfGridsMatchTheDenseMatrix(int ranks) {
    run(
        ranks,
        team -> {
          for (Decomposition decomposition : decompositions(ranks)) {
            IndexSpace grid = team.space(ROWS, COLUMNS).divided(decomposition);
            products(grid, DType.C128, false);
          }
          IndexSpace grid = team.space(ROWS, COLUMNS);
          products(grid, DType.F64, false);
          products(grid, DType.F32, false);
          products(grid, DType.C64, true);
        });
  }

  private static void products(IndexSpace grid, DType type, boolean reproducible) {
    SparseMatrix a = matrix(grid, type);
    a.map().reproducible(reproducible);
    try (Array x = grid.array(type);
        Array y = x.like()) {
      for (Op op : Op.values()) {
        product(a, op, x, y, 1);
      }
    }
  }

  private static void product(SparseMatrix a, Op op, Array x, Array y, int width) {
    fill(x);
    fill(y);
    a.apply(op, Scalar.of(2), x, Scalar.of(-1), y);
    check(op, y, width);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void oneMoreAxisIsSeveralVectors(int ranks) {
    run(
        ranks,
        team -> {
          for (Decomposition decomposition :
              List.of(Decomposition.block(), Decomposition.block(1, ranks))) {
            IndexSpace grid = team.space(ROWS, COLUMNS).divided(decomposition);
            SparseMatrix a = matrix(grid, DType.C128);
            for (Op op : Op.values()) {
              try (Array x = team.space(ROWS, COLUMNS, 3).divided(decomposition).c128();
                  Array y = x.like()) {
                product(a, op, x, y, 3);
              }
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void arraysWithAHaloAreVectorsToo(int ranks) {
    run(
        ranks,
        team -> {
          IndexSpace grid = team.space(ROWS, COLUMNS).over(ranks / 2 + 1).halo(1);
          SparseMatrix a = matrix(grid, DType.F64);
          for (Op op : Op.values()) {
            try (Array padded = grid.f64();
                Array plain = team.space(ROWS, COLUMNS).over(ranks / 2 + 1).f64()) {
              product(a, op, padded, plain, 1);
              product(a, op, plain, padded, 1);
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aGridIsSolvedForItsUnknowns(int ranks) {
    run(
        ranks,
        team -> {
          int n = 8;
          IndexSpace grid = team.space(n, n).divided(Decomposition.block(1, ranks)).halo(1);
          MatrixBuilder rows = SparseMatrix.on(grid, DType.F64);
          try (F64Array b = grid.f64();
              F64Array x = b.like();
              F64Array wanted = b.like()) {
            wanted.set((i, j) -> Math.sin((double) (i + 2 * j)));
            b.forEach(
                (row, _) -> {
                  long i = grid.index(row)[0];
                  long j = grid.index(row)[1];
                  rows.add(row, row, 5);
                  rows.add(row, grid.element((i + 1) % n, j), -1);
                  rows.add(row, grid.element((i + n - 1) % n, j), -1);
                  rows.add(row, grid.element(i, (j + 1) % n), -1);
                  rows.add(row, grid.element(i, (j + n - 1) % n), -1);
                });
            SparseMatrix a = rows.assemble();
            a.multiply(wanted, b);
            try (Preconditioner m = Jacobi.of(a)) {
              SolveOptions options = SolveOptions.standard().withTolerance(1e-12);
              assertThat(Method.CG.solve(a, m, b, x, options).converged()).isTrue();
            }
            x.axpy(-1, wanted);
            assertThat(x.norm()).isCloseTo(0, within(1e-9));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void anArrayIsAVectorInItsOwnMemory(int ranks) {
    run(
        ranks,
        team -> {
          SparseMatrix a = matrix(team.space(SIZE), DType.F64);
          try (F64Array x = team.f64(SIZE);
              F64Array y = team.f64(SIZE);
              Jacobi jacobi = Jacobi.of(a)) {
            x.generate(i -> i);
            y.generate(i -> -2.0 * i);
            try (Vectors vectors = Vectors.of(a.map(), x)) {
              vectors.scale(Scalar.of(3), x);
            }
            assertThat(x.sum()).isEqualTo(3.0 * SIZE * (SIZE - 1) / 2);
            jacobi.apply(Op.NONE, x, y);
            y.forEach((i, value) -> assertThat(value).isEqualTo(3.0 * i * (1 / (8.0 + i))));
          }
        });
  }

  /** An operator of one's own, which has arrays to work with. */
  private record Plain(SparseMatrix matrix) implements LinearOperator {
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
      matrix.apply(op, a, x, b, y);
    }
  }

  @Test
  void operatorsOfOnesOwnAreSolvedWith() {
    run(
        3,
        team -> {
          SparseMatrix a = matrix(team.space(SIZE), DType.F64);
          try (F64Array b = team.f64(SIZE);
              F64Array x = team.f64(SIZE);
              F64Array same = team.f64(SIZE)) {
            b.generate(i -> 1 + i % 3);
            SolveOptions options = SolveOptions.standard();
            Method.GMRES.solve(a, Preconditioner.NONE, b, x, options);
            Method.GMRES.solve(new Plain(a), Preconditioner.NONE, b, same, options);
            same.axpy(-1, x);
            assertThat(same.norm()).isZero();
            assertThat(x.norm()).isPositive();
          }
        });
  }

  @Test
  void arraysOfAGridAreVectorsOfAStencil() {
    run(
        3,
        team -> {
          double[] star = {7, -1, -0.5, -1, -1, -1, -0.25};
          StencilOperator stencil = StencilOperator.of(team, DType.F64, 6, 4, 5, star);
          try (F64Array x = team.f64(6, 4, 5);
              F64Array y = team.f64(6, 4, 5);
              F64Array wanted = team.f64(6, 4, 5)) {
            x.generate(i -> Math.sin((double) i));
            stencil.multiply(x, y);
            wanted.set(
                (i, j, k) ->
                    7 * at(i, j, k)
                        - at(i - 1, j, k)
                        - 0.5 * at(i + 1, j, k)
                        - at(i, j - 1, k)
                        - at(i, j + 1, k)
                        - at(i, j, k - 1)
                        - 0.25 * at(i, j, k + 1));
            wanted.axpy(-1, y);
            assertThat(y.norm()).isPositive();
            assertThat(wanted.norm()).isCloseTo(0, within(1e-13));
          }
        });
  }

  /** Returns the value at a point of a grid of 6 x 4 x 5; 0 beyond. */
  private static double at(long i, long j, long k) {
    boolean inside = i >= 0 && i < 6 && j >= 0 && j < 4 && k >= 0 && k < 5;
    return inside ? Math.sin((double) ((i * 4 + j) * 5 + k)) : 0;
  }

  @Test
  void arraysThatDoNotFitAreRefused() {
    run(
        2,
        team -> {
          IndexSpace grid = team.space(ROWS, COLUMNS);
          SparseMatrix a = matrix(grid, DType.F64);
          try (F64Array x = grid.f64();
              F64Array y = grid.f64();
              F64Array line = team.f64(SIZE);
              F64Array across = grid.divided(Decomposition.block(1, 2)).f64();
              F64Array twice = team.f64(2 * SIZE);
              Array floats = grid.f32()) {
            for (Array wrong : List.of(across, twice, floats)) {
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> a.multiply(wrong, y))
                  .withMessageContaining(wrong.toString());
              assertThatIllegalArgumentException()
                  .isThrownBy(
                      () ->
                          Method.CG.solve(
                              a, Preconditioner.NONE, x, wrong, SolveOptions.standard()))
                  .withMessageContaining(wrong.toString());
            }
            // Rows 0 to 11 and 12 to 19, elements 0 to 9 and 10 to 19.
            assertThatIllegalArgumentException().isThrownBy(() -> a.multiply(line, y));
            assertThatIllegalArgumentException()
                .isThrownBy(() -> a.multiply(x, x))
                .withMessageContaining("same memory");
            assertThatIllegalArgumentException()
                .isThrownBy(
                    () -> Method.CG.solve(a, Preconditioner.NONE, x, x, SolveOptions.standard()))
                .withMessageContaining("same memory");
            a.multiply(x, y);
          }
          F64Array closed = grid.f64();
          closed.close();
          try (F64Array y = grid.f64()) {
            assertThatIllegalStateException()
                .isThrownBy(() -> a.multiply(closed, y))
                .withMessageContaining("is closed");
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void filesOfMatrixMarketFillAndHoldArrays(int ranks) {
    Path file = folder.resolve("x.mtx");
    Path matrix = folder.resolve("a.mtx");
    run(
        ranks,
        team -> {
          IndexSpace grid =
              team.space(ROWS, COLUMNS).divided(Decomposition.block(1, ranks)).halo(1);
          try (F64Array x = grid.f64();
              F64Array line = team.f64(SIZE);
              F64Array longer = team.f64(SIZE + 1)) {
            x.generate(i -> i / 3.0);
            MatrixMarketWriter.write(file, x);
            MatrixMarketWriter.write(matrix, matrix(grid, DType.F64));
            MatrixMarket.open(file).readVector(line);
            line.forEach((i, value) -> assertThat(value).isEqualTo(i / 3.0));
            assertThatExceptionOfType(MatrixMarketException.class)
                .isThrownBy(() -> MatrixMarket.open(file).readVector(longer))
                .withMessageContaining("a vector of 21 is needed");
            SparseMatrix a = MatrixMarket.open(matrix).readMatrix(team, DType.F64);
            try (F64Array y = line.like()) {
              product(a, Op.NONE, line, y, 1);
            }
          }
        });
  }
}
