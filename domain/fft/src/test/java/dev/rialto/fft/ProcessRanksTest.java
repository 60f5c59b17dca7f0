package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.system.JavaCommand;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same plans on ranks that are processes, on each MPI library that is installed. */
class ProcessRanksTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"openmpi, 5", "mpich, 3"}) // where more ranks than cores spin, five take a minute
  void plansOnProcessesMatchTheirDefinitions(String library, int ranks) throws Exception {
    List<String> command = JavaCommand.like(ProcessRanks.class, List.of());
    String output = ProcessJob.run(folder, library, ranks, command);
    assertThat(output).contains("pulled from the memory of " + ranks + " ranks");
    // Arrays are read where they are: no move is sent, the one that comes first neither.
    assertThat(output.substring(output.indexOf("arrays "), output.lastIndexOf("input")))
        .contains("pulled from the memory of " + ranks + " ranks")
        .doesNotContain("leave this rank");
  }
}
