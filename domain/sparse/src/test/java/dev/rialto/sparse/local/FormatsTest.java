package dev.rialto.sparse.local;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Products of every format, type and form against a dense product. */
class FormatsTest {
  private static final DType[] TYPES = {DType.F32, DType.F64, DType.C64, DType.C128};

  @ParameterizedTest
  @EnumSource(Format.class)
  void productsMatchADenseProduct(Format format) {
    Random random = new Random(7);
    for (DType type : TYPES) {
      for (int[] shape : new int[][] {{1, 1}, {9, 9}, {40, 23}, {17, 50}, {0, 3}, {700, 700}}) {
        Csr csr = random(random, type, shape[0], shape[1], 6);
        LocalMatrix matrix = csr.to(format);
        assertThat(matrix.entries()).isEqualTo(csr.entries());
        // Long vectors are for what happens between blocks of rows; the rest is seen on short ones.
        boolean all = shape[0] < 100;
        for (Op op : Op.values()) {
          for (Scalar a : new Scalar[] {Scalar.ONE, Scalar.of(-3), new Scalar(0.5, 2)}) {
            for (Scalar b : new Scalar[] {Scalar.ZERO, Scalar.ONE, Scalar.of(-2)}) {
              for (int stride : all ? new int[] {1, 3} : new int[] {1}) {
                check(random, csr, matrix, op, real(type, a), b, stride);
              }
            }
          }
        }
      }
    }
  }

  private static Scalar real(DType type, Scalar a) {
    return type.kind() == DType.Kind.COMPLEX ? a : Scalar.of(a.re());
  }

  private static void check(
      Random random, Csr csr, LocalMatrix matrix, Op op, Scalar a, Scalar b, int stride) {
    DType type = csr.type();
    int in = op == Op.NONE ? csr.columns() : csr.rows();
    int out = op == Op.NONE ? csr.rows() : csr.columns();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment x = arena.allocate(Math.max(1, (long) in * stride * type.size()), 8);
      MemorySegment y = arena.allocate(Math.max(1, (long) out * stride * type.size()), 8);
      Scalar[] xs = fill(random, type, x, in * stride);
      Scalar[] ys = fill(random, type, y, out * stride);
      matrix.multiply(op, a, x.address(), b, y.address(), stride, null);
      Scalar[] expected = new Scalar[out];
      for (int i = 0; i < out; i++) {
        expected[i] = b.times(ys[i * stride]);
      }
      for (int i = 0; i < csr.rows(); i++) {
        for (int k = csr.starts()[i]; k < csr.starts()[i + 1]; k++) {
          Scalar value = new Scalar(csr.values().re(k), csr.values().im(k));
          int j = csr.columnIndex()[k];
          int row = op == Op.NONE ? i : j;
          int column = op == Op.NONE ? j : i;
          Scalar entry = op == Op.ADJOINT ? value.conjugate() : value;
          expected[row] = expected[row].plus(a.times(entry).times(xs[column * stride]));
        }
      }
      double rounding = type == DType.F64 || type == DType.C128 ? 1e-13 : 1e-4;
      for (int i = 0; i < out; i++) {
        long at = (long) i * stride;
        double re = Numbers.re(type, y.address(), at);
        double im = Numbers.isComplex(type) ? Numbers.im(type, y.address(), at) : 0;
        double error = new Scalar(re, im).minus(expected[i]).abs();
        if (error > 100 * rounding) {
          throw new AssertionError(
              "%s %s row %d a=%s b=%s stride %d is off by %g"
                  .formatted(matrix, op, i, a, b, stride, error));
        }
        // Elements between are other columns of a multivector.
        for (int between = 1; between < stride; between++) {
          if (Numbers.re(type, y.address(), at + between) != ys[(int) at + between].re()) {
            throw new AssertionError(matrix + " wrote between the elements of a column");
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Format.class)
  void formatsGiveTheSameBits(Format format) {
    for (DType type : TYPES) {
      for (int size : new int[] {1, 7, 1003}) {
        Csr csr = random(new Random(3), type, size, size, 9);
        LocalMatrix matrix = csr.to(format);
        for (Op op : Op.values()) {
          for (Scalar a : new Scalar[] {Scalar.ONE, Scalar.of(-1), Scalar.of(0.3)}) {
            for (Scalar b : new Scalar[] {Scalar.ZERO, Scalar.ONE, Scalar.of(1.7)}) {
              for (int stride : new int[] {1, 3}) {
                assertThat(product(matrix, op, a, b, stride, null))
                    .as("%s %s a=%s b=%s stride %d", matrix, op, a, b, stride)
                    .isEqualTo(product(csr, op, a, b, stride, null));
              }
            }
          }
        }
        double[] dot = new double[2];
        double[] expected = new double[2];
        product(matrix, Op.NONE, Scalar.ONE, Scalar.ZERO, 1, dot);
        product(csr, Op.NONE, Scalar.ONE, Scalar.ZERO, 1, expected);
        assertThat(dot).as("%s", matrix).isEqualTo(expected);
      }
    }
  }

  /** Returns the bits of a product with vectors that depend on the sizes only. */
  private static byte[] product(
      LocalMatrix matrix, Op op, Scalar a, Scalar b, int stride, double @Nullable [] dot) {
    DType type = matrix.type();
    try (Arena arena = Arena.ofConfined()) {
      int count = matrix.rows() * stride;
      MemorySegment x = arena.allocate(type.bytes(count), 8);
      MemorySegment y = arena.allocate(type.bytes(count), 8);
      fill(new Random(4), type, x, count);
      fill(new Random(5), type, y, count);
      matrix.multiply(op, a, x.address(), b, y.address(), stride, dot);
      if (dot != null) {
        double[] plain = new double[2];
        VectorKernels.of(type)
            .dot(matrix.rows(), x.address(), y.address(), 1, PartialSums.into(plain), 0);
        assertThat(dot).as("%s", matrix).isEqualTo(plain);
      }
      return y.toArray(JAVA_BYTE);
    }
  }

  @Test
  void dotProductsSumInOneOrderWhateverTheBlocksAndTheStride() {
    int n = 1027;
    for (DType type : TYPES) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment x = arena.allocate(type.bytes(3L * n), 8);
        MemorySegment y = arena.allocate(type.bytes(3L * n), 8);
        fill(new Random(6), type, x, 3 * n);
        fill(new Random(7), type, y, 3 * n);
        VectorKernels kernels = VectorKernels.of(type);
        double[] whole = new double[2];
        kernels.dot(n, x.address(), y.address(), 1, PartialSums.into(whole), 0);
        double[] lanes = new double[VectorKernels.LANES];
        kernels.dotBlock(0, 8, x.address(), y.address(), lanes);
        kernels.dotBlock(8, 1000, x.address(), y.address(), lanes);
        kernels.dotBlock(1000, n, x.address(), y.address(), lanes);
        double[] blocks = new double[2];
        VectorKernels.addLanes(lanes, blocks);
        assertThat(blocks).as("%s", type).isEqualTo(whole);
        double[] strided = new double[2];
        kernels.dot(n, x.address(), y.address(), 3, PartialSums.into(strided), 0);
        // The same elements side by side.
        for (int i = 0; i < n; i++) {
          long size = type.size();
          MemorySegment.copy(x, 3L * i * size, x, i * size, size);
          MemorySegment.copy(y, 3L * i * size, y, i * size, size);
        }
        double[] packed = new double[2];
        kernels.dot(n, x.address(), y.address(), 1, PartialSums.into(packed), 0);
        assertThat(strided).as("%s", type).isEqualTo(packed);
      }
    }
  }

  @Test
  void wastefulPaddingIsRefused() {
    int n = 3000;
    int[] starts = new int[n + 1];
    int[] columns = new int[2 * n - 1];
    for (int i = 0; i < n; i++) {
      columns[i] = i;
      starts[i + 1] = n + i;
    }
    for (int i = 1; i < n; i++) {
      columns[n - 1 + i] = (int) ((i * 977L) % n);
    }
    double[] ones = new double[columns.length];
    Arrays.fill(ones, 1);
    Csr arrow = Csr.of(n, n, starts, columns, Values.of(DType.F64, ones));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> arrow.to(Format.ELL))
        .withMessageContaining("choose SELL or HYB");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> arrow.to(Format.DIA))
        .withMessageContaining("choose CSR or SELL");
    assertThat(arrow.to(Format.HYB).bytes()).isLessThan(3L * arrow.bytes());
  }

  @Test
  void wrongArraysAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> Csr.of(1, 2, new int[] {0, 2}, new int[] {1, 0}, Values.of(DType.F64, 1, 2)))
        .withMessageContaining("column 0 after 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Csr.of(2, 2, new int[] {0, 1}, new int[] {0}, Values.of(DType.F64, 1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Values.zeros(DType.I32, 3))
        .withMessageContaining("choose F32, F64, C64 or C128");
  }

  private static Scalar[] fill(Random random, DType type, MemorySegment segment, int count) {
    Scalar[] result = new Scalar[count];
    for (int i = 0; i < count; i++) {
      float re = random.nextFloat() - 0.5f;
      float im = type.kind() == DType.Kind.COMPLEX ? random.nextFloat() - 0.5f : 0;
      Numbers.set(type, segment.address(), i, re, im);
      result[i] = new Scalar(re, im);
    }
    return result;
  }

  /** Rows of 0 to twice {@code mean} entries near and far from the diagonal. */
  static Csr random(Random random, DType type, int rows, int columns, int mean) {
    int[] starts = new int[rows + 1];
    int[] index = new int[rows * columns];
    int count = 0;
    for (int i = 0; i < rows; i++) {
      boolean[] used = new boolean[columns];
      int entries = i % 7 == 3 ? 0 : random.nextInt(2 * mean);
      for (int k = 0; k < entries; k++) {
        used[(i + (k % 3 == 0 ? 17 * random.nextInt(9) : k)) % columns] = true;
      }
      for (int j = 0; j < columns; j++) {
        if (used[j]) {
          index[count++] = j;
        }
      }
      starts[i + 1] = count;
    }
    Values values = Values.zeros(type, count);
    for (int k = 0; k < count; k++) {
      values.set(k, random.nextFloat() - 0.5f, random.nextFloat() - 0.5f);
    }
    return Csr.of(rows, columns, starts, Arrays.copyOf(index, count), values);
  }
}
