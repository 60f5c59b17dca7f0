package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.spi.Probe;
import dev.rialto.spi.code.CodeTarget;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Says which targets the other tests run on: one that is missing shows here as skipped. */
class TargetsTest {
  @ParameterizedTest
  @ValueSource(strings = {"interpreter", "jvm", "cc", "gccjit", "cuda", "opencl"})
  void isThere(String name) {
    CodeTarget target = JitBackend.targets().get(name);
    assertThat(target).isNotNull();
    Probe probe = target.probe();
    assumeTrue(probe instanceof Probe.Available, () -> name + " is not tested: " + probe);
    assertThat(target.fingerprint()).isNotEmpty();
  }
}
