package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.cli.option.ExitCode;
import dev.rialto.system.JavaCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command in a shell: completion, and Ctrl-C. */
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
    try (Conversation bash = new Conversation(List.of("bash", "--norc", "-c", ask))) {
      assertThat(bash.awaitEnd().lines().map(String::strip)).contains(expected);
    }
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

  @Test
  void controlCEndsAConformWithTheRowsItHas() throws Exception {
    String said = interrupted("-0", "conform", "local", "--json");
    assertThat(said).contains("\"interrupted\": true").contains("\"id\": \"PROV-001\"");
    assertThat(said).containsPattern("Interrupted after \\d+ of \\d+ requirements");
  }

  /** Starts a command, interrupts it once it has said something, and returns all it said. */
  private String interrupted(String once, String... arguments) throws Exception {
    List<String> command = JavaCommand.like(Main.class, List.of(arguments));
    // On a terminal progress shows at once, so the test knows how far the command is.
    command.add(1, "-Drialto.stderr.terminal=true");
    try (Conversation conversation = new Conversation(Interruptible.command(command))) {
      conversation.awaitSaid(once);
      conversation.interrupt();
      String said = conversation.awaitEnd();
      assertThat(conversation.process.exitValue()).as(said).isEqualTo(ExitCode.INTERRUPTED);
      return said;
    }
  }

  /** A command that runs, and what it says. */
  private static final class Conversation implements AutoCloseable {
    private static final long LIMIT_SECONDS = 200;

    private final Process process;
    private final StringBuilder said = new StringBuilder();
    private final Thread reader = Thread.ofPlatform().daemon().unstarted(this::read);
    private boolean ended;

    Conversation(List<String> command) throws IOException {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
      reader.start();
    }

    private void read() {
      try (Reader words = process.inputReader()) {
        for (int word = words.read(); word >= 0; word = words.read()) {
          hear((char) word);
        }
      } catch (IOException e) {
        hear(e.toString());
      }
      end();
    }

    private synchronized void hear(Object words) {
      said.append(words);
      notifyAll();
    }

    private synchronized void end() {
      ended = true;
      notifyAll();
    }

    /** Waits until the command has said something; the test's time limit ends a wait in vain. */
    synchronized void awaitSaid(String text) throws InterruptedException {
      while (said.indexOf(text) < 0) {
        assertThat(ended).as("ended before it said '%s': %s", text, said).isFalse();
        wait();
      }
    }

    void interrupt() throws IOException, InterruptedException {
      String pid = Long.toString(process.pid());
      assertThat(new ProcessBuilder("kill", "-INT", pid).start().waitFor()).isZero();
    }

    /** Waits for the command's end and returns all it said. */
    String awaitEnd() throws InterruptedException {
      boolean over = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
      reader.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
      synchronized (this) {
        assertThat(over && ended).as("it hangs, having said: %s", said).isTrue();
        return said.toString();
      }
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
