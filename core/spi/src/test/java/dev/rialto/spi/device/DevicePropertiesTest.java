package dev.rialto.spi.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rialto.spi.data.DType;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DevicePropertiesTest {
  private static DeviceProperties withLoads(int bytes, long page) {
    return new DeviceProperties(
        "test", "test", 1, bytes, 1, 0, 1, 1, 0, page, 1, DeviceProperties.Timing.HOST, Set.of());
  }

  @Test
  void vectorsAreThePowersOfTwoThatOneLoadHolds() {
    DeviceProperties wide = withLoads(16, 4096);
    assertThat(wide.ioVectorSizes(DType.F32)).containsExactly(4, 2, 1);
    assertThat(wide.ioVectorSizes(DType.I8)).containsExactly(16, 8, 4, 2, 1);
    assertThat(withLoads(24, 4096).ioVectorSizes(DType.F64)).containsExactly(2, 1);
  }

  @Test
  void anElementWiderThanALoadIsMovedAlone() {
    assertThat(withLoads(8, 4096).ioVectorSizes(DType.C128)).containsExactly(1);
  }

  @Test
  void numbersThatMeanNothingAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> withLoads(0, 4096))
        .withMessageContaining("loadBytes 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> withLoads(8, 3000))
        .withMessageContaining("3000");
  }
}
