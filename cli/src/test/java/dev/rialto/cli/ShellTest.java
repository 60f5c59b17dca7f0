package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.JavaCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a shell and the command do together: completing, and Ctrl-C. */
class ShellTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "sol, solve",
    "solve --max, --max-iterations",
    "solve x --solver gm, gmres",
    "solve --solver=gm, gmres",
    "kernel ex, explain"
  })
  void bashCompletes(String typed, String expected) throws Exception {
    StringWriter script = new StringWriter();
    assertThat(
            Main.run(new PrintWriter(script), new PrintWriter(script), false, "completion", "bash"))
        .isZero();
    Path file = Files.writeString(folder.resolve("completion"), script.toString());
    String ask =
        """
        source '%s'
        words='%s'
        COMP_WORDS=(rialto ${words/=/ = })
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        complete -p rialto >/dev/null && _rialto
        printf '%%s\\n' "${COMPREPLY[@]}"
        """
            .formatted(file, typed);
    Process bash = start(List.of("bash", "--norc", "-c", ask));
    assertThat(said(bash).lines().map(String::strip)).contains(expected);
  }

  @Test
  void controlCEndsASolveWithWhatItReached() throws Exception {
    String said =
        interrupted(
            "residual",
            "solve",
            "poisson3d:30",
            "--format=csr",
            "--solver=richardson",
            "--precond=jacobi",
            "--tol=1e-300",
            "--max-iterations=2000000000");
    assertThat(said).contains("CANCELLED").contains("|b - Ax|");
  }

  @Test
  void controlCEndsTheDemoWithWhatItReached() throws Exception {
    String said =
        interrupted(
            "matrix", "demo", "--grid=96", "--tol=1e-13", "--effort=estimate", "--out=" + folder);
    // In the middle of the set-up it says the step; later it shows the results it has.
    assertThat(said)
        .containsPattern("Interrupted(: this is what was reached| after \\d+ of \\d+ steps)");
  }

  /** Starts a command, interrupts it once it has said something, and returns all it said. */
  private String interrupted(String once, String... arguments) throws Exception {
    List<String> command = JavaCommand.like(Main.class, List.of(arguments));
    // On a terminal progress shows at once, so the test knows how far the command is.
    command.add(1, "-Drialto.stderr.terminal=true");
    // Whoever runs the tests in the background may have told them to ignore interrupts.
    command.addAll(0, List.of("env", "--default-signal=INT"));
    Process process = start(command);
    try {
      await(process, once);
      assertThat(new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor())
          .isZero();
      String said = said(process);
      assertThat(process.exitValue()).as(said).isEqualTo(ExitCode.INTERRUPTED);
      return said;
    } finally {
      process.destroyForcibly();
    }
  }

  private Process start(List<String> command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("output").toFile())
        .start();
  }

  private String said(Process process) throws Exception {
    boolean ended = process.waitFor(200, TimeUnit.SECONDS);
    String said = Files.readString(folder.resolve("output"));
    assertThat(ended).as("it hangs, having said: %s", said).isTrue();
    return said;
  }

  /** Waits until a process has said something; the test's time limit ends a wait in vain. */
  private void await(Process process, String text) throws Exception {
    Path output = folder.resolve("output");
    while (!Files.readString(output).contains(text)) {
      assertThat(process.isAlive()).as(Files.readString(output)).isTrue();
      Thread.onSpinWait();
      Thread.sleep(20);
    }
  }
}
