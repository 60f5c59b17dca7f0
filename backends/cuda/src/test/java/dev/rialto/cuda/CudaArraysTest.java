package dev.rialto.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.data.DType;
import org.junit.jupiter.api.Test;

/** Numbers of types in kernels. */
class CudaArraysTest {
  @Test
  void numbersOfTypesAreThoseOfTheKernels() {
    assertThat(CudaArrays.kind(DType.C128)).isEqualTo(CudaArrays.kind(DType.F64)).isZero();
    assertThat(CudaArrays.kind(DType.BF16)).isEqualTo(3);
    assertThat(CudaArrays.SOURCE).contains("case 3: change<BF16>", "case 0x13: convert<F32, BF16>");
  }
}
