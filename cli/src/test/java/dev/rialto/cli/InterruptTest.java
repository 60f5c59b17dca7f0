package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ctrl-C at random moments: whatever a command is doing, it ends with 130, says so, and leaves no
 * half of a file. {@code -Drialto.interrupts=N} tries more moments, {@code
 * -Drialto.interrupts.seed=N} others.
 */
@Timeout(600)
class InterruptTest {
  private static final int MOMENTS = Integer.getInteger("rialto.interrupts", 1);
  private static final long SEED = Long.getLong("rialto.interrupts.seed", 1);

  /** As long as a busy machine may take to end a process; a command itself takes two seconds. */
  private static final long PATIENCE_SECONDS = 200;

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "solve poisson3d:60 --tol 1e-300 --max-iterations 100000000 --out DIR/x.npy",
        "tune transpose --shape 96x96x96 --fresh --effort exhaustive",
        "tune fft --shape 96x96x96 --effort exhaustive --settings DIR/s",
        "demo --grid 96 --out DIR",
        "conform local",
        "bench fft --json DIR/bench.json",
        "kernel bench DIR/p.rialto --search --effort exhaustive --schedule-out DIR/p.schedule",
        "run DIR/Forever.java",
      })
  void anInterruptEndsACommandInAnyPhase(String line) throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")));
    Files.writeString(folder.resolve("p.rialto"), "input x f64[8000000]\ny[i] = 2 * x[i]\n");
    Files.writeString(
        folder.resolve("Forever.java"), "void main() { while (true) { Thread.onSpinWait(); } }\n");
    SplittableRandom random = new SplittableRandom(SEED + line.hashCode());
    for (int i = 0; i < MOMENTS; i++) {
      long moment = random.nextLong(1_000, 4_000);
      interrupt(line, moment);
    }
  }

  private void interrupt(String line, long moment) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    for (String word : line.split(" ", -1)) {
      words.add(word.replace("DIR", folder.toString()));
    }
    Path said = folder.resolve("said");
    Process command =
        new ProcessBuilder(Interruptible.command(ShortLived.command(words)))
            .redirectOutput(folder.resolve("out").toFile())
            .redirectError(said.toFile())
            .start();
    boolean ended = command.waitFor(moment, TimeUnit.MILLISECONDS);
    assertThat(ended).as("%s ended by itself: %s", line, Files.readString(said)).isFalse();
    Process kill = new ProcessBuilder("kill", "-INT", "" + command.pid()).start();
    assertThat(kill.waitFor()).isZero();
    boolean stopped = command.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    command.destroyForcibly();

    String where = line + " after " + moment + " ms";
    assertThat(stopped).as(where).isTrue();
    assertThat(command.exitValue()).as(where + "\n" + Files.readString(said)).isEqualTo(130);
    assertThat(Files.readString(said)).as(where).doesNotContain("\tat ", "Exception");
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).as(where).noneMatch(file -> file.toString().endsWith(".part"));
    }
  }

  @Test
  void aProgramThatEndsTheJvmWasNotInterrupted() throws IOException, InterruptedException {
    Path program = folder.resolve("Exits.java");
    Files.writeString(program, "void main() { System.exit(7); }\n");
    Path said = folder.resolve("said");
    Process command =
        new ProcessBuilder(ShortLived.command(List.of("run", program.toString())))
            .redirectOutput(folder.resolve("out").toFile())
            .redirectError(said.toFile())
            .start();
    assertThat(command.waitFor()).isEqualTo(7);
    assertThat(Files.readString(said)).doesNotContain("Interrupted");
  }
}
