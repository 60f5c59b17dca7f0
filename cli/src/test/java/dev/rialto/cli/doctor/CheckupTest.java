package dev.rialto.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.cli.doctor.Finding.State;
import dev.rialto.system.InstalledLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each check on a machine that is made of files. */
class CheckupTest {
  private static final String OPEN_MPI = "mpirun (Open MPI) 4.1.4\n";
  private static final String HYDRA = "HYDRA build details:\n    Version:           4.0.2\n";

  @TempDir private Path root;
  private final Map<String, String> environment = new HashMap<>();
  private final Map<String, String> programs = new HashMap<>();
  private final Set<InstalledLibrary> libraries = EnumSet.noneOf(InstalledLibrary.class);
  private Optional<Path> cache = Optional.empty();

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
        "proc/self/limits; Max address space         1000000              1000000; addresses; SLOW",
        "proc/self/limits; Max address space         unlimited            1000000; addresses; GOOD",
        "proc/self/limits; Max open files            unlimited            unlimited; open files;"
            + " GOOD",
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
  void aLauncherWhoseLibraryIsFoundIsRight() {
    programs.put("mpirun", OPEN_MPI);
    programs.put("mpiexec", OPEN_MPI);
    libraries.add(InstalledLibrary.OPEN_MPI);
    assertThat(finding("mpirun").state()).isEqualTo(State.GOOD);
    assertThat(finding("mpirun").observation()).contains("Open MPI 4.1.4");
    assertThat(findings()).noneMatch(finding -> finding.subject().equals("mpiexec"));
  }

  @Test
  void aLauncherWithTheLibraryOfTheOtherFamilyIsWrong() {
    programs.put("mpirun", HYDRA);
    libraries.add(InstalledLibrary.OPEN_MPI);
    assertThat(finding("mpirun").state()).isEqualTo(State.WRONG);
    assertThat(finding("mpirun").observation())
        .isEqualTo(
            "mpirun starts ranks of MPICH 4.0.2, whose library is not found, unlike that of"
                + " Open MPI");
    libraries.add(InstalledLibrary.MPICH);
    assertThat(finding("mpirun").state()).isEqualTo(State.GOOD);
  }

  @Test
  void aChoiceOfTheFamilyThatTheLauncherIsNotOfIsWrong() {
    environment.put("RIALTO_MPI", "mpich");
    libraries.addAll(List.of(InstalledLibrary.OPEN_MPI, InstalledLibrary.MPICH));
    programs.put("mpirun", OPEN_MPI);
    assertThat(finding("mpirun").state()).isEqualTo(State.WRONG);
    assertThat(finding("mpirun").remedy()).contains("--mpi mpich");
    programs.put("mpirun", HYDRA);
    assertThat(finding("mpirun").state()).isEqualTo(State.GOOD);
  }

  @Test
  void launchersOfTwoFamiliesAreBothTold() {
    programs.put("mpirun", OPEN_MPI);
    programs.put("mpiexec", HYDRA);
    assertThat(finding("mpirun").observation()).contains("Open MPI");
    assertThat(finding("mpiexec").observation()).contains("MPICH");
  }

  @Test
  void anUnknownLauncherNeedsThePathOfItsLibrary() {
    programs.put("mpirun", "Some MPI 1.0");
    assertThat(finding("mpirun").observation()).contains("Some MPI 1.0");
    assertThat(finding("mpirun").remedy()).contains("RIALTO_MPI");
  }

  @Test
  void slurmCannotSayWhichOfTwoLibrariesIsMeant() {
    programs.put("srun", "slurm 23.11.4");
    libraries.addAll(List.of(InstalledLibrary.OPEN_MPI, InstalledLibrary.MPICH));
    assertThat(finding("srun").state()).isEqualTo(State.WRONG);
    environment.put("RIALTO_MPI", "mpich");
    assertThat(finding("srun").state()).isEqualTo(State.GOOD);
  }

  @Test
  void lockedMemoryMattersWithInfiniBand() throws IOException {
    write("proc/self/limits", "Max locked memory         65536                65536");
    assertThat(findings()).noneMatch(finding -> finding.subject().equals("locked memory"));
    Files.createDirectories(root.resolve("sys/class/infiniband/mlx5_0"));
    assertThat(finding("locked memory").state()).isEqualTo(State.SLOW);
  }

  @Test
  void aCacheThatCannotBeWrittenIsNamed() throws IOException {
    assertThat(finding("cache").state()).isEqualTo(State.SLOW);
    Path file = root.resolve("file");
    Files.writeString(file, "");
    cache = Optional.of(file.resolve("below"));
    assertThat(finding("cache").observation()).contains(file.toString());
    assertThat(finding("cache").state()).isEqualTo(State.SLOW);
    cache = Optional.of(root.resolve("new/folder"));
    assertThat(finding("cache").state()).isEqualTo(State.GOOD);
  }

  @Test
  void everythingOfThisMachineIsLookedAt() {
    List<Finding> here = Checkup.of(Observed.machine());
    assertThat(here)
        .extracting(Finding::subject)
        .contains(
            "Java",
            "cpu",
            "local",
            "mpi",
            "fftw",
            "cuda",
            "target cc",
            "target gccjit",
            "codec zfp")
        .contains("cache")
        .doesNotHaveDuplicates();
    assertThat(here)
        .allMatch(finding -> finding.remedy().isEmpty() == (finding.state() == State.GOOD));
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
            command -> Optional.ofNullable(programs.get(command.getFirst())),
            libraries::contains,
            cache));
  }

  private Finding finding(String subject) {
    return findings().stream()
        .filter(finding -> finding.subject().equals(subject))
        .findFirst()
        .orElseThrow();
  }
}
