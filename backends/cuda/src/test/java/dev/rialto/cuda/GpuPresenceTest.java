package dev.rialto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.spi.Probe;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of a GPU are skipped where there is none, unless somebody asked for them. */
@Tag("gpu")
class GpuPresenceTest {
  @Test
  void aGpuIsThereIfItIsRequired() {
    assumeTrue("required".equals(System.getenv("RIALTO_GPU")), "nobody asked for a GPU");
    assertThat(new CudaBackend().probe()).isInstanceOf(Probe.Available.class);
  }
}
