package dev.rialto.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A command that a test runs, with a limit on its time. */
final class Run {
  private final ProcessBuilder builder = new ProcessBuilder();
  private long patienceSeconds = 110;

  private Run() {}

  static Run in(Path folder) {
    Run run = new Run();
    run.builder.directory(folder.toFile()).redirectErrorStream(true);
    return run;
  }

  Run with(String variable, Object value) {
    builder.environment().put(variable, value.toString());
    return this;
  }

  Run without(String variable) {
    builder.environment().remove(variable);
    return this;
  }

  Run patience(long seconds) {
    patienceSeconds = seconds;
    return this;
  }

  Run command(String... words) {
    return command(List.of(words));
  }

  Run command(List<String> words) {
    builder.command(words);
    return this;
  }

  /** Runs it and returns what it said; fails if it fails. */
  String succeeds() throws IOException, InterruptedException {
    return endsWith(0);
  }

  /** Runs it and returns what it said; fails if it ends with another exit code. */
  String endsWith(int code) throws IOException, InterruptedException {
    Path output = Files.createTempFile("run", ".log");
    Process process = builder.redirectOutput(output.toFile()).start();
    process.getOutputStream().close();
    try {
      boolean ended = process.waitFor(patienceSeconds, TimeUnit.SECONDS);
      String said = Files.readString(output);
      assertThat(ended).as("%s hangs, having said: %s", builder.command(), said).isTrue();
      assertThat(process.exitValue()).as("%s: %s", builder.command(), said).isEqualTo(code);
      return said;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      Files.delete(output);
    }
  }
}
