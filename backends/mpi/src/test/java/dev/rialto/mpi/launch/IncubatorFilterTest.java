package dev.rialto.mpi.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IncubatorFilterTest {
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          'WARNING: Using incubator modules: jdk.incubator.vector|', ''
          'a|WARNING: Using incubator modules: jdk.incubator.vector|b|', 'a|b|'
          'WARNING: Using incubator modules: jdk.other|', 'WARNING: Using incubator modules: jdk.other|'
          'WARNING: WARNING: Using incubator modules: jdk.incubator.vector|', 'WARNING: WARNING: Using incubator modules: jdk.incubator.vector|'
          'WARN', 'WARN'
          'x WARNING', 'x WARNING'
          """)
  void onlyTheAnnouncementIsLeftOut(String said, String passed) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (IncubatorFilter filter = new IncubatorFilter(out)) {
      filter.write(said.replace('|', '\n').getBytes(UTF_8));
    }
    assertThat(out.toString(UTF_8)).isEqualTo(passed.replace('|', '\n'));
  }
}
