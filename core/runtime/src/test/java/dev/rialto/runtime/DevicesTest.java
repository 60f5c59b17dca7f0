package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceProperties;
import dev.rialto.spi.error.BackendException;
import org.junit.jupiter.api.Test;

class DevicesTest {
  @Test
  void theHostsCoresAreADevice() {
    assertThat(Devices.list()).extracting(Device::name).contains("cpu:0");
    ComputeClient client = Devices.open("cpu:0");
    DeviceProperties properties = client.device().properties();
    assertThat(properties.cores()).isEqualTo(Runtime.getRuntime().availableProcessors());
    assertThat(properties.loadBytes()).isGreaterThanOrEqualTo(16);
    assertThat(properties.maxItems()).isPositive();
    assertThat(properties.memoryBytes()).isPositive();
    assertThat(properties.timing()).isEqualTo(DeviceProperties.Timing.HOST);
    assertThat(properties.features()).contains(DeviceProperties.Feature.JAVA_KERNELS);
    assertThat(client.ioVectorSizes(DType.F64)).contains(2, 1).isSortedAccordingTo((a, b) -> b - a);
    assertThat(properties.fingerprint()).isNotBlank();
  }

  @Test
  void clientsOfADeviceShareItsStreamsAndMemory() {
    ComputeClient one = Devices.open("cpu:0");
    ComputeClient two = Devices.open("cpu");
    assertThat(two.device()).isSameAs(one.device());
    assertThat(two.stream()).isSameAs(one.stream());
  }

  @Test
  void aDeviceThatIsNotThereIsNamedWithThoseThatAre() {
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> Devices.open("cpu:7"))
        .withMessageContaining("'cpu:7'")
        .withMessageContaining("cpu:0");
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> Devices.open("abacus:0"))
        .withMessageContaining("abacus");
  }
}
