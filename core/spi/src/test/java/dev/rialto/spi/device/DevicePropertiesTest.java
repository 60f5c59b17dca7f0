package dev.rialto.spi.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.DeviceProperties.Feature;
import dev.rialto.spi.device.DeviceProperties.Use;
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
  void whatADeviceCanDoIsToldByType() {
    DeviceProperties cores = withLoads(16, 4096);
    assertThat(cores.supports(DType.I32, Use.ARITHMETIC)).isTrue();
    assertThat(cores.supports(DType.F64, Use.ARITHMETIC)).isFalse();
    assertThat(cores.supports(DType.F16, Use.ARITHMETIC)).isFalse();
    assertThat(cores.supports(DType.F32, Use.SUBGROUPS)).isFalse();
    DeviceProperties gpu =
        new DeviceProperties(
            "test",
            "test",
            1,
            16,
            32,
            0,
            1,
            1,
            0,
            4096,
            1,
            DeviceProperties.Timing.DEVICE,
            Set.of(Feature.ATOMICS, Feature.HALF, Feature.DOUBLE, Feature.TILES));
    for (DType type : new DType[] {DType.F16, DType.BF16, DType.F32, DType.F64}) {
      assertThat(gpu.supports(type, Use.TILES)).isTrue();
      assertThat(gpu.supports(type, Use.ARITHMETIC)).isTrue();
      assertThat(cores.supports(type, Use.TILES)).isFalse();
    }
    assertThat(gpu.supports(DType.I32, Use.TILES)).isFalse();
    assertThat(gpu.supports(DType.F32, Use.ATOMICS)).isTrue();
    assertThat(gpu.supports(DType.I64, Use.ATOMICS)).isFalse();
    assertThat(gpu.supports(DType.F64, Use.ATOMICS)).isFalse();
    for (DType type : new DType[] {DType.I8, DType.U16, DType.U32, DType.F16, DType.BF16}) {
      assertThat(gpu.supports(type, Use.ATOMICS)).isTrue();
      assertThat(gpu.supports(type, Use.SUBGROUPS)).isTrue();
    }
    assertThat(gpu.supports(DType.U64, Use.ATOMICS)).isFalse();
    assertThat(gpu.types(Use.TILES)).containsExactly(DType.F16, DType.BF16, DType.F32, DType.F64);
    assertThat(cores.types(Use.ATOMICS)).isEmpty();
    assertThat(gpu.supports(DType.I64, Use.SUBGROUPS)).isTrue();
    assertThat(gpu.supports(DType.C64, Use.ARITHMETIC)).isFalse();
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
