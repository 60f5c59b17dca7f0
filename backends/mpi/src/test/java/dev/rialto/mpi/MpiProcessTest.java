package dev.rialto.mpi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.JavaCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks as real processes, on each library that is installed. */
class MpiProcessTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Within which a job has to end once a rank has gone. */
  private static final long END_MILLIS = 10_000;

  private static final Pattern FAULT = Pattern.compile("fault at (\\d+)");

  @TempDir private Path folder;

  /** Further options for all JVMs. */
  private String options = "";

  /** What a job said, and how and when it ended. */
  private record Ended(int code, String output, long at) {
    /** Checks that the job ended badly, and soon after the fault that one rank has announced. */
    void isEndedBy(String... said) {
      assertThat(output).contains(said);
      assertThat(code).as(output).isNotZero();
      Matcher fault = FAULT.matcher(output);
      assertThat(fault.find()).as(output).isTrue();
      assertThat(at - Long.parseLong(fault.group(1))).as(output).isLessThan(END_MILLIS);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void ranksFindEachOther(String library) throws Exception {
    Ended job = launch(library, 3, "sum");
    assertThat(job.output())
        .contains("rank 0 of 3 has 6")
        .contains("rank 1 of 3 has 6")
        .contains("rank 2 of 3 has 6")
        .doesNotContain("WARNING");
    assertThat(job.code()).as(job.output()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aRankThatThrowsEndsTheJobAndIsNamed(String library) throws Exception {
    launch(library, 3, "throw").isEndedBy("rank 2 of 3", "the reactor is too hot");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aRankThatExitsEndsTheJobAndIsNamed(String library) throws Exception {
    launch(library, 3, "exit").isEndedBy("rank 2 of 3: the process ends before its rank has");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aRankThatIsKilledInACollectiveEndsTheJobAndIsNamed(String library) throws Exception {
    Ended job = launch(library, 3, "kill");
    job.isEndedBy("rank 2 was killed by signal 9");
    assertThat(job.code()).isEqualTo(128 + 9);
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void sizesThatDoNotMatchAreAnErrorOfTheRankThatNotices(String library) throws Exception {
    Ended job = launch(library, 2, "mismatch");
    assertThat(job.output()).contains("rank 1 of 2").containsIgnoringCase("trunc");
    assertThat(job.code()).isNotZero();
  }

  @ParameterizedTest
  @CsvSource({
    "openmpi, multiple, true",
    "openmpi, serialized, false",
    "openmpi, funneled, false",
    "mpich, funneled, false"
  })
  void fewerThreadsThanAllAreFineWhereTheLibraryGrantsNoMore(
      String library, String level, boolean several) throws Exception {
    options = " -Drialto.mpi.threads=" + level;
    Ended job = launch(library, 2, "threads");
    assertThat(job.output()).contains("rank 1 of 2 has 3", "several threads: " + several);
    if (level.equals("funneled")) {
      assertThat(job.output()).contains("another", "communicate on that thread");
    } else {
      assertThat(job.output()).doesNotContain("communicate on that thread");
    }
    assertThat(job.code()).as(job.output()).isZero();
  }

  @Test
  void aLauncherOfTheOtherFamilyIsTold() throws Exception {
    Installed.assume("openmpi");
    Installed.assume("mpich");
    List<String> ranks = JavaCommand.like(RankProgram.class, List.of("sum"));
    Ended job =
        run(
            MpiLauncher.command(
                Installed.kind("openmpi"), 2, ranks, Map.of(LibraryChoice.VARIABLE, "")),
            "mpich");
    assertThat(job.output())
        .contains("the launcher started 2 ranks")
        .contains("sees 1")
        .contains("RIALTO_MPI");
    assertThat(job.code()).isNotZero();
  }

  private Ended launch(String library, int ranks, String what) throws Exception {
    Installed.assume(library);
    List<String> arguments = List.of(what, Integer.toString(ranks));
    return run(JavaCommand.like(RankProgram.class, arguments), library);
  }

  private Ended run(List<String> command, String library) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put(LibraryChoice.VARIABLE, library);
    // Ranks live for a second: the compiler that takes longer is of no use to them.
    builder.environment().put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1" + options);
    Path output = folder.resolve("output");
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      boolean ended = process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
      long at = System.currentTimeMillis();
      String text = Files.readString(output, UTF_8);
      assertThat(ended).as("still runs after %s, having said: %s", LIMIT, text).isTrue();
      return new Ended(process.exitValue(), text, at);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
