package dev.rialto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.cuda.driver.Cufft;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requirements beyond the kit: decisions without a GPU, and lines in the host's memory. */
@Tag("gpu")
class CufftTest {
  @Test
  void theTypeIsTheLibrarys() {
    assertThat(Cufft.type(Kind.FORWARD, DType.F32)).isEqualTo(0x29);
    assertThat(Cufft.type(Kind.INVERSE, DType.F64)).isEqualTo(0x69);
    assertThat(Cufft.type(Kind.REAL_TO_COMPLEX, DType.F64)).isEqualTo(0x6a);
    assertThat(Cufft.type(Kind.COMPLEX_TO_REAL, DType.F32)).isEqualTo(0x2c);
  }

  @Test
  void cosineTransformsAndLinesThatAreTooLongAreLeftToOthers() {
    assertThat(CufftEngine.canDo(FftSpec.of(Kind.FORWARD, DType.F64, 1 << 20, 3))).isTrue();
    assertThat(CufftEngine.canDo(FftSpec.of(Kind.DCT2, DType.F64, 8, 1))).isFalse();
    assertThat(CufftEngine.canDo(FftSpec.of(Kind.FORWARD, DType.F64, 1L << 40, 1))).isFalse();
    FftSpec real = FftSpec.of(Kind.REAL_TO_COMPLEX, DType.F64, 8, 2);
    assertThat(CufftEngine.canDo(real.withPlanes(2, 16, 10))).isTrue();
    assertThat(CufftEngine.canDo(real.withPlanes(2, 17, 10))).isFalse();
  }

  @Test
  void linesOfTheHostAreBroughtToTheGpuAndBack() {
    Gpu.assume();
    // Two lines of 4 complex points with a gap between them, which stays as it is.
    FftSpec spec = new FftSpec(Kind.FORWARD, DType.F64, 4, 2, 1, 5, 1, 5);
    double[] in = {1, 0, 2, 0, 3, 0, 4, 0, 77, 78, 1, 0, 0, 0, 0, 0, 0, 0};
    double[] out = new double[18];
    out[8] = 5;
    try (FftPlan plan = new CudaBackend().fftEngine().plan(spec)) {
      MemorySegment work = MemorySegment.ofArray(new byte[(int) plan.workspaceBytes()]);
      plan.execute(MemorySegment.ofArray(in), MemorySegment.ofArray(out), work);
      double[] expected = {10, 0, -2, 2, -2, 0, -2, -2, 5, 0, 1, 0, 1, 0, 1, 0, 1, 0};
      assertThat(out).containsExactly(expected, within(1e-12));
      plan.execute(MemorySegment.ofArray(in), MemorySegment.ofArray(in), work);
      assertThat(in).startsWith(new double[] {10, 0}).contains(77, 78);
    }
  }
}
