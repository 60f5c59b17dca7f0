package dev.rialto.example.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real jobs of real processes, and what becomes of them when a rank does not play along. */
class SocketJobTest {
  private static final int SIGKILL = 137;

  @TempDir Path folder;

  static List<String> command(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(RankProgram.class.getName());
    command.addAll(List.of(arguments));
    return command;
  }

  private Process launch(int ranks, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add(1, folder.toString());
    return new SocketLauncher().launch(ranks, command(all.toArray(String[]::new)), environment);
  }

  private static int exitCode(Process job) throws InterruptedException {
    assertThat(job.waitFor(200, TimeUnit.SECONDS)).as("the job ends").isTrue();
    return job.exitValue();
  }

  private String saidBy(int rank) throws IOException {
    return Files.readString(folder.resolve("rank" + rank));
  }

  @Test
  void processesOfOneJobFormAWorld() throws Exception {
    assertThat(exitCode(launch(3, Map.of(), "sum"))).isZero();
    for (int rank = 0; rank < 3; rank++) {
      assertThat(saidBy(rank)).isEqualTo("3");
    }
  }

  @Test
  void exitCodeIsThatOfTheRankThatFailed() throws Exception {
    assertThat(exitCode(launch(3, Map.of(), "exit", "0", "7", "0"))).isEqualTo(7);
  }

  @Test
  void killedRankEndsTheJobAndTheOthersNameIt() throws Exception {
    assertThat(exitCode(launch(3, Map.of(), "kill"))).isEqualTo(SIGKILL);
    assertThat(saidBy(0)).contains("rank 1 ");
    assertThat(saidBy(2)).contains("rank 1 ");
  }

  @Test
  void rankThatNeverJoinsIsNamedWhenTimeIsUp() throws Exception {
    Process job = launch(3, Map.of(SocketLauncher.TIMEOUT, "3"), "absent");
    assertThat(exitCode(job)).isEqualTo(1);
    assertThat(saidBy(0)).contains("rank 1 did not come", SocketLauncher.TIMEOUT);
  }

  @Test
  void ranksDoNotOutliveALauncherThatIsKilled() throws Exception {
    List<String> command = command("launch", folder.toString());
    Process launcher = new ProcessBuilder(command).inheritIO().start();
    ProcessHandle[] ranks = {await(launcher, "pid0"), await(launcher, "pid1")};
    launcher.destroyForcibly();
    for (ProcessHandle rank : ranks) {
      rank.onExit().get(200, TimeUnit.SECONDS);
    }
  }

  /** Waits for a file that a running launcher's rank writes its process to. */
  private ProcessHandle await(Process launcher, String file) throws Exception {
    Path path = folder.resolve(file);
    while (!Files.exists(path) || Files.size(path) == 0) {
      assertThat(launcher.waitFor(20, TimeUnit.MILLISECONDS)).as(file + " is missing").isFalse();
    }
    return ProcessHandle.of(Long.parseLong(Files.readString(path))).orElseThrow();
  }

  @Test
  void launcherRefusesNoRanks() {
    assertThatThrownBy(() -> new SocketLauncher().launch(0, List.of("true"), Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 ranks");
  }
}
