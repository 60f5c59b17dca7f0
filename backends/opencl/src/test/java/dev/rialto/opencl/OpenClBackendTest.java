package dev.rialto.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.Backends;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class OpenClBackendTest {
  private static final Path PAGE = Path.of("../../docs/opencl.md");

  private final OpenClBackend backend = new OpenClBackend();

  @Test
  void isFoundAsAService() {
    assertThat(Backends.all()).anyMatch(found -> found.name().equals("opencl"));
  }

  /** With {@code -Drialto.docs=write} the table is written. */
  @Test
  void thePageHasTheCapabilitiesThatAreDeclared() throws IOException {
    OpenClTests.assume();
    String head = "| capability | what it is |\n|---|---|\n";
    String page = Files.readString(PAGE);
    int begin = page.indexOf(head) + head.length();
    StringBuilder table = new StringBuilder();
    for (Capability each : new TreeSet<>(backend.capabilities())) {
      table.append("| `").append(each).append("` | ").append(each.what()).append(" |\n");
    }
    String written =
        page.substring(0, begin) + table + page.substring(page.indexOf("\n\n", begin) + 1);
    if ("write".equals(System.getProperty("rialto.docs"))) {
      Files.writeString(PAGE, written);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(written);
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
        assertThatThrownBy(backend::fftEngine)
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("opencl has no");
      }
    }
  }

  /** A driver's compiler takes them, and the JVM cannot do without. */
  @Test
  void theJvmKeepsItsSignalHandlers() {
    OpenClTests.assume();
    OpenClDevice device = (OpenClDevice) backend.devices().getFirst();
    String text =
        "__kernel void kept%d(__global int *x) { x[0] = 1; }".formatted(System.nanoTime());
    assertThat(device.compiler().build("kept", text)).isNotEmpty();
    assertThat(SignalHandlers.changed()).isFalse();
  }

  /** The driver's compiler goes down the sum by recursion, further than a thread's stack allows. */
  @Test
  void longExpressionsAreCompiled() {
    OpenClTests.assume();
    OpenClDevice device = (OpenClDevice) backend.devices().getFirst();
    String text =
        "__kernel void sum(__global float *x) { x[0] = x[1]" + " + x[2]".repeat(10_000) + "; }";
    assertThat(device.compiler().build("sum", text)).isNotEmpty();
  }
}
