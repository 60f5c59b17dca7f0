package dev.rialto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.spi.Probe;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of a GPU are skipped without one, unless {@code RIALTO_GPU} is {@code required}. */
@Tag("gpu")
class GpuPresenceTest {
  @Test
  void aGpuIsThereIfItIsRequired() {
    assumeTrue("required".equals(System.getenv("RIALTO_GPU")), "RIALTO_GPU does not require a GPU");
    assertThat(new CudaBackend().probe()).isInstanceOf(Probe.Available.class);
  }
}
