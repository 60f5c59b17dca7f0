package dev.rialto.bench;

import dev.rialto.spi.RankLauncher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Programs that are started as ranks, measure, and leave what they measured in a file.
 *
 * @param launcher starts all of them, so with the same options
 * @param file where they write
 * @param progress ends them when it is time to stop
 */
public record RankJobs(RankLauncher launcher, Path file, Suite.Progress progress) {
  private static final int LIMIT_SECONDS = 300;
  private static final int LOOK_MILLIS = 100;

  /**
   * One measured case.
   *
   * @param allocated bytes on the heap by one repetition; 0 for a program that has none
   */
  public record Line(String name, double micros, double allocated) {
    static Line parse(String line) {
      String[] words = line.split(" ", -1);
      return new Line(
          words[0],
          Double.parseDouble(words[1]),
          words.length > 2 ? Double.parseDouble(words[2]) : 0);
    }

    @Override
    public String toString() {
      return name + " " + micros + " " + allocated;
    }
  }

  /** Runs a program once, as so many ranks. */
  public List<Line> run(int ranks, List<String> command) {
    try {
      Files.deleteIfExists(file);
      Process process = launcher.launch(ranks, command, Map.of());
      await(process, command, LIMIT_SECONDS, progress);
      if (process.exitValue() != 0) {
        throw failure(command, "ended with code " + process.exitValue());
      }
      return Files.readAllLines(file).stream().map(Line::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }

  /** Waits until a program has ended, and ends it and all it started where it takes too long. */
  static void await(Process process, List<String> command, int seconds, Suite.Progress progress)
      throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    try {
      while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        progress.check();
        if (System.nanoTime() > end) {
          throw failure(command, "did not end within " + seconds + " s");
        }
      }
    } finally {
      Stream.concat(process.descendants(), Stream.of(process.toHandle()))
          .toList()
          .forEach(ProcessHandle::destroyForcibly);
    }
  }

  private static IllegalStateException failure(List<String> command, String how) {
    return new IllegalStateException("the job '" + String.join(" ", command) + "' " + how);
  }
}
