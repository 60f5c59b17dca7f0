package dev.rialto.sparse.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Triangular solves and factorizations: what they solve is multiplied out again. */
class TriangleTest {
  private static final int N = 60;

  /** A banded matrix whose diagonal dominates, with gaps next to the diagonal. */
  private static Csr matrix(DType type) {
    Random random = new Random(11);
    int[] starts = new int[N + 1];
    int[] columns = new int[N * N];
    int count = 0;
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        boolean near = Math.abs(i - j) == 1 && i % 5 != 0;
        if (i == j || near || Math.abs(i - j) == 7 || (i - j) % 23 == 11) {
          columns[count++] = j;
        }
      }
      starts[i + 1] = count;
    }
    Values values = Values.zeros(type, count);
    for (int i = 0; i < N; i++) {
      for (int k = starts[i]; k < starts[i + 1]; k++) {
        double size = columns[k] == i ? 9 : random.nextDouble() - 0.5;
        values.set(k, size, random.nextDouble() - 0.5);
      }
    }
    return Csr.of(N, N, starts, java.util.Arrays.copyOf(columns, count), values);
  }

  private static Scalar entry(Csr matrix, int row, int column, Op op) {
    int at = op == Op.NONE ? matrix.find(row, column) : matrix.find(column, row);
    Scalar value =
        at < 0 ? Scalar.ZERO : new Scalar(matrix.values().re(at), matrix.values().im(at));
    return op == Op.ADJOINT ? value.conjugate() : value;
  }

  private static Scalar value(DType type, int i) {
    return new Scalar(Math.sin(i), Numbers.isComplex(type) ? Math.cos(i) : 0);
  }

  private static Scalar get(DType type, MemorySegment x, int i) {
    double im = Numbers.isComplex(type) ? Numbers.im(type, x.address(), i) : 0;
    return new Scalar(Numbers.re(type, x.address(), i), im);
  }

  private static double rounding(DType type) {
    return Numbers.isDouble(type) ? 1e-13 : 1e-5;
  }

  @ParameterizedTest
  @EnumSource(
      value = DType.class,
      names = {"F32", "F64", "C64", "C128"})
  void trianglesAreSolvedInEveryForm(DType type) {
    Csr matrix = matrix(type);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment b = arena.allocate(16 * N, 64);
      MemorySegment x = arena.allocate(16 * N, 64);
      for (boolean upper : new boolean[] {true, false}) {
        for (boolean unit : new boolean[] {true, false}) {
          Triangle triangle = Triangle.of(matrix, upper, unit);
          for (Op op : Op.values()) {
            for (MemorySegment target : new MemorySegment[] {x, b}) {
              for (int i = 0; i < N; i++) {
                Numbers.set(type, b.address(), i, value(type, i).re(), value(type, i).im());
              }
              triangle.solve(op, b, target);
              for (int i = 0; i < N; i++) {
                Scalar sum = unit ? get(type, target, i) : Scalar.ZERO;
                for (int j = 0; j < N; j++) {
                  boolean above = op == Op.NONE ? j > i : i > j;
                  if ((i == j && !unit) || (i != j && above == upper)) {
                    sum = sum.plus(entry(matrix, i, j, op).times(get(type, target, j)));
                  }
                }
                assertThat(sum.minus(value(type, i)).abs())
                    .as("%s upper %s unit %s row %d", op, upper, unit, i)
                    .isLessThan(100 * rounding(type));
              }
            }
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = DType.class,
      names = {"F32", "F64", "C64", "C128"})
  void factorsWithAllFillAreADirectSolve(DType type) {
    Csr matrix = matrix(type);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment b = arena.allocate(16 * N, 64);
      MemorySegment x = arena.allocate(16 * N, 64);
      for (int i = 0; i < N; i++) {
        Numbers.set(type, b.address(), i, value(type, i).re(), value(type, i).im());
      }
      for (Ilu factors : new Ilu[] {Ilu.levels(matrix, N), Ilu.threshold(matrix, 0, N)}) {
        for (Op op : Op.values()) {
          factors.solve(op, b, x);
          for (int i = 0; i < N; i++) {
            Scalar sum = Scalar.ZERO;
            for (int j = 0; j < N; j++) {
              sum = sum.plus(entry(matrix, i, j, op).times(get(type, x, j)));
            }
            assertThat(sum.minus(value(type, i)).abs())
                .as("%s row %d", op, i)
                .isLessThan(100 * rounding(type));
          }
        }
      }
    }
  }

  @Test
  void aZeroOnTheDiagonalIsNamed() {
    Csr matrix = Csr.of(2, 2, new int[] {0, 1, 2}, new int[] {0, 0}, Values.of(DType.F64, 1, 1));
    assertThatExceptionOfType(ArithmeticException.class)
        .isThrownBy(() -> Triangle.of(matrix, false, false))
        .withMessageContaining("row 1");
    assertThatExceptionOfType(ArithmeticException.class)
        .isThrownBy(() -> Ilu.levels(matrix, 0))
        .withMessageContaining("row 1");
  }

  @Test
  void vectorsThatAreTooShortOrClosedAreRefused() {
    Triangle triangle = Triangle.of(matrix(DType.F64), true, true);
    MemorySegment closed;
    try (Arena arena = Arena.ofConfined()) {
      closed = arena.allocate(8 * N, 64);
      MemorySegment tooShort = closed.asSlice(8);
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> triangle.solve(Op.NONE, tooShort));
    }
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> triangle.solve(Op.NONE, closed))
        .withMessageContaining("closed");
  }
}
