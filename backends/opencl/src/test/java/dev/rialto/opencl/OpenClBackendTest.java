package dev.rialto.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import org.junit.jupiter.api.Test;

class OpenClBackendTest {
  private final OpenClBackend backend = new OpenClBackend();

  @Test
  void isFoundAsAService() {
    assertThat(Backends.all()).anyMatch(found -> found.name().equals("opencl"));
  }

  @Test
  void withoutADeviceItSaysWhyAndOffersNothing() {
    switch (backend.probe()) {
      case Probe.Available available -> {
        assertThat(available.devices()).isNotEmpty().first().asString().startsWith("opencl:0 (");
        assertThat(available.libraries()).isNotEmpty();
        assertThat(backend.devices()).hasSameSizeAs(available.devices());
        assertThat(backend.capabilities()).isNotEmpty();
      }
      case Probe.Unavailable(String reason, String remedy) -> {
        assertThat(reason).isNotBlank();
        assertThat(remedy).isNotBlank();
        assertThat(backend.capabilities()).isEmpty();
        assertThat(backend.devices()).isEmpty();
        assertThatThrownBy(backend::memorySpaces)
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("opencl has no memory spaces");
        assertThatThrownBy(backend::openStream).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(backend::transfer).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(backend::kernelCompiler)
            .isInstanceOf(UnsupportedOperationException.class);
      }
    }
  }
}
