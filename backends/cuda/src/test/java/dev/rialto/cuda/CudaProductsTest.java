package dev.rialto.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.MatrixKernels.Matrices;
import dev.rialto.spi.device.MatrixKernels.Product;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class CudaProductsTest {
  private static final MemorySegment MEMORY = MemorySegment.ofAddress(4096);

  private static Product product(DType type, Matrices c, Matrices a, Matrices b) {
    return new Product(type, 2, 100, 50, 72, c, a, b);
  }

  private static Matrices matrices(long first, long batch, long row, long column) {
    return new Matrices(MEMORY, first, batch, row, column);
  }

  @Test
  void factorsAreTransposedOrNotAndBeginWithWholePieces() {
    Matrices c = matrices(3, 5001, 51, 1);
    Matrices rows = matrices(8, 0, 80, 1);
    Matrices columns = matrices(16, 8000, 1, 104);
    for (DType type : new DType[] {DType.F16, DType.BF16}) {
      assertThat(CudaProducts.fits(product(type, c, rows, columns))).isTrue();
      assertThat(CudaProducts.fits(product(type, c, columns, rows))).isTrue();
      assertThat(CudaProducts.fits(product(type, c, rows, matrices(0, 0, 81, 1)))).isFalse();
      assertThat(CudaProducts.fits(product(type, c, rows, matrices(4, 0, 80, 1)))).isFalse();
      assertThat(CudaProducts.fits(product(type, c, matrices(0, 12, 80, 1), rows))).isFalse();
      assertThat(CudaProducts.fits(product(type, c, matrices(0, 0, 80, 2), rows))).isFalse();
      assertThat(CudaProducts.fits(product(type, c, matrices(0, 0, -80, 1), rows))).isFalse();
      assertThat(CudaProducts.fits(product(type, matrices(0, 0, 1, 100), rows, rows))).isFalse();
    }
    assertThat(CudaProducts.fits(product(DType.F32, c, rows, rows))).isFalse();
    assertThat(CudaProducts.fits(new Product(DType.F16, 1, 8, 8, 0, c, rows, rows))).isFalse();
  }

  @Test
  void theTextSaysHowFactorsLie() {
    assertThat(CudaProducts.text(DType.BF16, true, false))
        .startsWith("#define BF 1\n#define A_ALONG 1\n#define B_ALONG 0\n")
        .contains("half_product(");
  }
}
