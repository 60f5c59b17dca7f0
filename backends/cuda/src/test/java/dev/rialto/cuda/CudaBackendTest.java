package dev.rialto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import org.junit.jupiter.api.Test;

class CudaBackendTest {
  private final CudaBackend backend = new CudaBackend();

  @Test
  void isFoundAsAService() {
    assertThat(Backends.all()).anyMatch(found -> found.name().equals("cuda"));
  }

  @Test
  void withoutAGpuItSaysWhyAndOffersNothing() {
    switch (backend.probe()) {
      case Probe.Available available -> {
        assertThat(available.devices()).isNotEmpty().first().asString().startsWith("cuda:0 (");
        assertThat(backend.devices()).hasSameSizeAs(available.devices());
        assertThat(backend.capabilities()).isNotEmpty();
      }
      case Probe.Unavailable(String reason, String remedy) -> {
        assertThat(reason).isNotBlank();
        assertThat(remedy).isNotBlank();
        assertThat(backend.capabilities()).isEmpty();
        assertThat(backend.devices()).isEmpty();
        assertThatThrownBy(backend::fftEngine)
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("cuda has no");
      }
    }
  }
}
