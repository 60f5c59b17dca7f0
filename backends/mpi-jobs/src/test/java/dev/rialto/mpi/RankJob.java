package dev.rialto.mpi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.mpi.library.LibraryChoice;
import dev.rialto.system.JavaCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs programs of tests on ranks that are processes. */
final class RankJob {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Within which a job has to end once a rank has gone, also on a machine that is busy. */
  private static final long END_MILLIS = 60_000;

  private static final Pattern FAULT = Pattern.compile("fault at (\\d+)");

  private RankJob() {}

  /** The output of a job, its exit code and the time of its end. */
  record Ended(int code, String output, long at) {
    /** Checks that the job ended badly, and soon after the fault that one rank has announced. */
    void isEndedBy(String... said) {
      assertThat(output).contains(said);
      assertThat(code).as(output).isNotZero();
      Matcher fault = FAULT.matcher(output);
      assertThat(fault.find()).as(output).isTrue();
      assertThat(at - Long.parseLong(fault.group(1))).as(output).isLessThan(END_MILLIS);
    }
  }

  /**
   * Runs a program that launches itself on ranks if it is told their number.
   *
   * @param options further options for all JVMs
   */
  static Ended run(
      Path folder, Class<?> program, String library, String options, int ranks, String what)
      throws Exception {
    Installed.assume(library);
    List<String> arguments = List.of(what, Integer.toString(ranks));
    return run(folder, JavaCommand.like(program, arguments), library, options);
  }

  /** Runs a command to its end. */
  static Ended run(Path folder, List<String> command, String library, String options)
      throws Exception {
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
