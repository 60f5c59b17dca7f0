package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.jit.lift.BlockQuotient;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("gpu")
final class BlockQuotientTest {
  private static void check(long number, long divisor) {
    long word = BlockQuotient.word(divisor);
    assertThat((2 * number * (word & 0xffffffffL)) >>> 32 >>> (word >>> 32))
        .as("%d / %d", number, divisor)
        .isEqualTo(number / divisor);
  }

  @Test
  void quotientsOfBlocksAreExact() {
    long most = BlockQuotient.MOST_BLOCKS;
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      long divisor = i < 300 ? i + 1 : random.nextLong(1, 1L << random.nextInt(1, 32));
      long times = most / divisor;
      for (long number :
          new long[] {0, divisor - 1, divisor, times * divisor - 1, times * divisor, most}) {
        check(Math.min(number, most), divisor);
      }
      check(random.nextLong(most + 1), divisor);
    }
    check(most, most);
    check(most - 1, most);
  }

  @Test
  void aLaunchOfTooManyBlocksIsRefused() {
    ComputeClient client = Devices.open("cpu:0");
    KernelBody.Of1<I32> body = (Item it, I32 x) -> x.set(0, it.local());
    try (JavaKernel kernel =
            JavaKernels.on(client).withTarget("jvm").withBlock(1, 1).compile(body);
        Buffer x = client.empty(DType.I32, 1)) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> kernel.launch(Shape.of(1 << 20, 1 << 20), x))
          .withMessageContaining("1099511627776 blocks over several axes")
          .withMessageContaining("make the blocks larger");
    }
  }
}
