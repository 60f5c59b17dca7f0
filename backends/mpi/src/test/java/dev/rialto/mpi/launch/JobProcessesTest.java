package dev.rialto.mpi.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Shells of ranks that are killed below a launcher that never asks how they ended. */
class JobProcessesTest {
  private Process launcher;
  private ProcessHandle shell;

  @BeforeEach
  void start() throws Exception {
    launcher = new ProcessBuilder("sh", "-c", "sleep 600 & echo $!; exec sleep 600").start();
    String number = launcher.inputReader(US_ASCII).readLine();
    shell = ProcessHandle.of(Long.parseLong(number)).orElseThrow();
  }

  @AfterEach
  void end() {
    shell.destroyForcibly();
    launcher.destroyForcibly();
  }

  @Test
  void aShellThatIsKilledIsMissedThoughItsParentDoesNotAskForItsCode() {
    JobProcesses processes = new JobProcesses(launcher);
    processes.note(Map.of(1, numbers(shell)));
    assertThat(processes.withoutShell(Set.of())).isEmpty();
    kill();
    assertThat(processes.withoutShell(Set.of())).containsExactly(1);
    assertThat(processes.withoutShell(Set.of(1))).isEmpty();
  }

  @Test
  void aShellThatIsKilledBeforeItsNumberIsReadIsMissed() throws Exception {
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    JobProcesses processes = new JobProcesses(launcher);
    processes.note(Map.of(0, numbers(gone.toHandle()), 2, numbers(shell)));
    assertThat(processes.withoutShell(Set.of())).containsExactly(0);
  }

  @Test
  void whatIsLeftIsKilled() throws Exception {
    JobProcesses processes = new JobProcesses(launcher);
    processes.note(Map.of(0, numbers(shell)));
    processes.killAll();
    assertThat(ProcessState.hasEnded(shell)).isTrue();
    assertThat(ProcessState.hasEnded(launcher.toHandle())).isTrue();
  }

  private long[] numbers(ProcessHandle of) {
    return new long[] {of.pid(), launcher.pid()};
  }

  private void kill() {
    shell.destroyForcibly();
    while (!ProcessState.hasEnded(shell)) {
      Thread.onSpinWait();
    }
  }
}
