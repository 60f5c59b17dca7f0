package dev.rialto.mpi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks as real processes, on each library that is installed. */
class MpiProcessTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Within which a job has to end once a rank is gone, on top of the time to get there. */
  private static final Duration END = Duration.ofSeconds(10);

  @TempDir private Path folder;

  /** What a job said, and how it ended. */
  private record Ended(int code, String output, Duration after) {}

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void ranksFindEachOther(String library) throws Exception {
    Ended job = run(library, library, 3, "sum");
    assertThat(job.output())
        .contains("rank 0 of 3 has 6")
        .contains("rank 1 of 3 has 6")
        .contains("rank 2 of 3 has 6");
    assertThat(job.code()).as(job.output()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aRankThatThrowsEndsTheJobAndIsNamed(String library) throws Exception {
    Ended job = run(library, library, 2, "throw");
    assertThat(job.output()).contains("rank 1 of 2").contains("the reactor is too hot");
    assertThat(job.code()).isNotZero();
    assertThat(job.after()).isLessThan(END);
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aRankThatExitsEndsTheJobAndIsNamed(String library) throws Exception {
    Ended job = run(library, library, 2, "exit");
    assertThat(job.output()).contains("rank 1 of 2");
    assertThat(job.code()).isNotZero();
    assertThat(job.after()).isLessThan(END);
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aRankThatIsKilledEndsTheJobAndIsNamed(String library) throws Exception {
    Ended job = run(library, library, 2, "kill");
    assertThat(job.output()).contains("rank 1");
    assertThat(job.code()).isNotZero();
    assertThat(job.after()).isLessThan(END);
  }

  @Test
  void aLauncherOfTheOtherFamilyIsTold() throws Exception {
    assumeTrue(isInstalled("openmpi") && isInstalled("mpich"), "needs Open MPI and MPICH");
    Ended job = run("openmpi", "mpich", 2, "sum");
    assertThat(job.output())
        .contains("the launcher started 2 ranks")
        .contains("sees 1")
        .contains("RIALTO_MPI");
    assertThat(job.code()).isNotZero();
  }

  private Ended run(String launcher, String library, int ranks, String what) throws Exception {
    assumeTrue(isInstalled(launcher), launcher + " is not installed");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(RankProgram.class.getName(), what));
    Map<String, String> environment = Map.of(LibraryChoice.VARIABLE, library);
    ProcessBuilder builder =
        new ProcessBuilder(MpiLauncher.command(kind(launcher), ranks, command, environment));
    builder.environment().putAll(environment);
    Path output = folder.resolve("output");
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      Instant start = Instant.now();
      boolean ended = process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
      Duration after = Duration.between(start, Instant.now());
      String text = Files.readString(output, UTF_8);
      assertThat(ended).as("still runs after %s, having said: %s", LIMIT, text).isTrue();
      return new Ended(process.exitValue(), text, after);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static MpiLibrary kind(String name) {
    return MpiLibrary.ALL.stream()
        .filter(kind -> kind.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Whether a launcher is there that is surely this library's. */
  private static boolean isInstalled(String name) {
    return kind(name).launchers().stream()
        .filter(program -> !program.equals("mpirun") && !program.equals("mpiexec"))
        .anyMatch(program -> MpiLauncher.onPath(program).isPresent());
  }
}
