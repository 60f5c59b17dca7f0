package dev.rialto.mpi.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cause of the end of a job, found from the notes of its ranks and their shells. */
class CasualtyTest {
  @TempDir private Path path;
  private JobFolder folder;

  @BeforeEach
  void makeFolder() {
    folder = new JobFolder(path);
  }

  @Test
  void whoNotedItsEndFirstIsFoundThoughAllNotesHaveOneTime() throws IOException {
    noteCode(0, 137, 1);
    noteCode(1, 137, 0);
    noteCode(2, 143, 2);
    assertThat(casualty()).contains(new Casualty("rank 1 was killed by signal 9", 137));
  }

  @Test
  void aRankThatWasAskedToEndIsNotTheFirstWhereAnotherEndedByItself() throws IOException {
    noteCode(0, 143, 0);
    noteCode(1, 0, 1);
    noteCode(2, 3, 2);
    assertThat(casualty()).contains(new Casualty("rank 2 ended with code 3", 3));
  }

  @Test
  void onlyTheShellIsKnownWhereItsRankNotedNothing() throws IOException {
    noteCode(0, 0, 0);
    assertThat(Casualty.of(folder.ended(), List.of(1, 2)))
        .contains(new Casualty("the shell of rank 1, 2 was killed", 137));
  }

  @Test
  void ranksThatEndWellAreNone() throws IOException {
    noteCode(0, 0, 0);
    noteCode(1, 0, 1);
    assertThat(casualty()).isEmpty();
    assertThat(folder.isEnding()).isFalse();
  }

  @Test
  void wordsBeforeTheFirstBadCodeAreTheReason() throws IOException {
    noteProcess(0, ProcessHandle.current().pid());
    noteCode(1, 0, 0);
    folder.say(0, "too hot\nby far");
    noteCode(2, 137, 1);
    assertThat(folder.said()).containsExactly(new JobFolder.Words(0, false, "too hot\nby far"));
  }

  @Test
  void wordsAfterABadCodeAreLate() throws IOException {
    noteCode(1, 137, 0);
    folder.say(0, "I was asked to end");
    assertThat(folder.said()).containsExactly(new JobFolder.Words(0, true, "I was asked to end"));
  }

  @Test
  void wordsAfterAShellWasKilledAreLate() throws Exception {
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    noteProcess(0, ProcessHandle.current().pid());
    noteProcess(1, gone.pid());
    folder.say(0, "I was asked to end");
    assertThat(folder.said()).containsExactly(new JobFolder.Words(0, true, "I was asked to end"));
  }

  @Test
  void aShellThatEndsWellAfterItsNoteIsNoReason() throws Exception {
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    noteProcess(1, gone.pid());
    noteCode(1, 0, 0);
    assertThat(folder.isEnding()).isFalse();
  }

  @Test
  void wordsAreLateOnceTheJobIsAskedToEnd() throws IOException {
    folder.end();
    folder.say(2, "I was asked to end");
    assertThat(folder.said()).containsExactly(new JobFolder.Words(2, true, "I was asked to end"));
  }

  @Test
  void theShellNotesHowManyEndedBefore() throws Exception {
    for (int rank : List.of(2, 0)) {
      assertThat(runShell(rank, "exit " + (rank + 5))).isEqualTo(rank + 5);
    }
    assertThat(folder.ended())
        .containsExactly(new JobFolder.Ended(2, 7, 0), new JobFolder.Ended(0, 5, 1));
    assertThat(folder.processes()).isEmpty();
  }

  private int runShell(int rank, String script) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(JobFolder.SHELL);
    command.addAll(List.of("sh", "-c", script));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put(JobFolder.VARIABLE, path.toString());
    builder.environment().put("OMPI_COMM_WORLD_RANK", Integer.toString(rank));
    return builder.start().waitFor();
  }

  private Optional<Casualty> casualty() throws IOException {
    return Casualty.of(folder.ended(), List.of());
  }

  private void noteCode(int rank, int code, int before) throws IOException {
    Path file = path.resolve(rank + ".code");
    Files.writeString(file, code + " " + before + "\n", UTF_8);
    Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
  }

  private void noteProcess(int rank, long shell) throws IOException {
    Files.writeString(path.resolve(rank + ".pid"), shell + " " + shell + "\n", UTF_8);
  }
}
