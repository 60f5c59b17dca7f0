package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CompilationException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Launches and blocks of several axes, on every target, against the method as the JVM runs it. */
@Tag("gpu")
class AxesTest {
  private static final KernelBody.Of1<I64> PLACES =
      (Item it, I64 out) -> {
        long at = it.global() * 8;
        out.set(at, it.global(0) * 1_000 + it.global(1));
        out.set(at + 1, it.globalSize(0) * 1_000 + it.globalSize(1));
        out.set(at + 2, it.local(0) * 1_000L + it.local(1));
        out.set(at + 3, it.blockSize(0) * 1_000L + it.blockSize(1));
        out.set(at + 4, it.block(0) * 1_000 + it.block(1));
        out.set(at + 5, it.blocks(0) * 1_000 + it.blocks(1));
        out.set(at + 6, it.local() * 1_000L + it.blockSize());
        out.set(at + 7, it.block() * 1_000_000 + it.blocks() * 1_000 + it.globalSize());
      };

  @Test
  void everyItemKnowsItsPlaceAlongBothAxes() {
    KernelTargets.compare(PLACES, Shape.of(4, 5), Shape.of(11, 13), new long[11 * 13 * 8]);
    KernelTargets.compare(PLACES, Shape.of(1, 16), Shape.of(3, 16), new long[3 * 16 * 8]);
    KernelTargets.compare(PLACES, Shape.of(4, 5), Shape.of(0, 13), new long[8]);
  }

  @Test
  void threeAxesAndBarriersGoTogether() {
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 y, F64 x) -> {
          double[] tile = it.sharedDoubles(2 * 3 * 4);
          long n = it.globalSize(1);
          long m = it.globalSize(2);
          long at = (it.global(0) * n + it.global(1)) * m + it.global(2);
          tile[it.local()] = x.get(at);
          if (it.block(2) >= 0) {
            it.barrier();
          }
          int j = it.blockSize(2) - 1 - it.local(2);
          int k = it.blockSize(1) - 1 - it.local(1);
          double sum = tile[(it.local(0) * it.blockSize(1) + k) * it.blockSize(2) + j];
          it.barrier();
          tile[it.local()] = sum + it.local(1);
          it.barrier();
          y.set(at, tile[it.blockSize() - 1 - it.local()]);
        };
    double[] x = new double[5 * 7 * 9];
    for (int i = 0; i < x.length; i++) {
      x[i] = i;
    }
    KernelTargets.compare(body, Shape.of(2, 3, 4), Shape.of(5, 7, 9), new double[x.length], x);
  }

  @Test
  void aConditionOnAnAxisDecidesForTheBlockAroundABarrier() {
    KernelBody.Of1<I64> body =
        (Item it, I64 y) -> {
          long[] first = it.sharedLongs(1);
          if (it.blockSize(0) == 3) {
            if (it.local(0) == 0 && it.local(1) == 0) {
              first[0] = it.global();
            }
            it.barrier();
            y.set(it.global(), first[0]);
          }
        };
    KernelTargets.compare(body, Shape.of(3, 4), Shape.of(8, 9), new long[72]);
  }

  @Test
  void axesThatThereAreNotAreRefused() {
    ComputeClient client = Devices.open("cpu:0");
    JavaKernels flat = JavaKernels.on(client).withTarget("jvm");
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> flat.kernel(PLACES))
        .withMessageContaining("asks for axis 1 of 1");
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> flat.withBlock(2, 2, 2, 2))
        .withMessageContaining("give 1 to 3 axes");
    try (JavaKernel kernel = flat.withBlock(4, 5).kernel(PLACES);
        Buffer out = client.empty(8 * 8)) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> kernel.launch(10, out))
          .withMessageContaining("give as many axes");
    }
  }
}
