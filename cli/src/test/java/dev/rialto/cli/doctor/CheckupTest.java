package dev.rialto.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.cli.doctor.Finding.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each check on a machine that is made of files. */
class CheckupTest {
  @TempDir private Path root;
  private final Map<String, String> environment = new HashMap<>();
  private String mpirun = "mpirun (Open MPI) 4.1.4";

  @Test
  void aMachineWithoutTheFilesOfLinuxHasNothingWrong() {
    assertThat(findings()).noneMatch(finding -> finding.state() == State.WRONG);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "sys/kernel/mm/transparent_hugepage/enabled; always madvise [never]; huge pages; SLOW",
        "sys/kernel/mm/transparent_hugepage/enabled; always [madvise] never; huge pages; GOOD",
        "sys/devices/system/clocksource/clocksource0/current_clocksource; hpet; clock; SLOW",
        "sys/devices/system/clocksource/clocksource0/current_clocksource; tsc; clock; GOOD",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor; powersave; frequency; SLOW",
        "proc/self/limits; Max open files            256                  4096; open files; SLOW",
        "proc/self/limits; Max open files            unlimited            unlimited; open files; GOOD",
      })
  void eachFileIsJudged(String file, String text, String subject, State state) throws IOException {
    write(file, text);
    assertThat(finding(subject).state()).isEqualTo(state);
    assertThat(finding(subject).remedy().isEmpty()).isEqualTo(state == State.GOOD);
  }

  @Test
  void aBoundProcessIsNamed() throws IOException {
    write("proc/self/status", "Name:\tjava\nCpus_allowed_list:\t0-1\n");
    write("sys/devices/system/cpu/online", "0-7");
    assertThat(finding("binding").observation()).contains("0-1 of 0-7");
  }

  @Test
  void severalMemoryNodesWantBoundRanks() throws IOException {
    Files.createDirectories(root.resolve("sys/devices/system/node/node0"));
    Files.createDirectories(root.resolve("sys/devices/system/node/node1"));
    assertThat(finding("NUMA").remedy()).contains("bind");
  }

  @Test
  void aLauncherOfTheOtherFamilyIsWrong() {
    environment.put("RIALTO_MPI", "mpich");
    assertThat(finding("mpirun").state()).isEqualTo(State.WRONG);
    mpirun = "HYDRA build details:";
    assertThat(finding("mpirun").state()).isEqualTo(State.GOOD);
  }

  @Test
  void aHomeThatCannotBeWrittenIsNamed() throws IOException {
    Path file = root.resolve("file");
    Files.writeString(file, "");
    environment.put("XDG_CACHE_HOME", file.resolve("below").toString());
    assertThat(finding("cache").state()).isEqualTo(State.SLOW);
    environment.put("XDG_CACHE_HOME", root.toString());
    assertThat(finding("cache").state()).isEqualTo(State.GOOD);
  }

  private void write(String file, String text) throws IOException {
    Files.createDirectories(root.resolve(file).getParent());
    Files.writeString(root.resolve(file), text);
  }

  private List<Finding> findings() {
    return Checkup.ofSystem(
        new Observed(
            root,
            environment,
            command ->
                command.getFirst().equals("mpirun") ? Optional.of(mpirun) : Optional.empty()));
  }

  private Finding finding(String subject) {
    return findings().stream()
        .filter(finding -> finding.subject().equals(subject))
        .findFirst()
        .orElseThrow();
  }
}
