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
 */
record RankJobs(RankLauncher launcher, Path file) {
  private static final int LIMIT_SECONDS = 300;

  /**
   * One measured case.
   *
   * @param allocated bytes on the heap by one repetition; 0 for a program that has none
   */
  record Line(String name, double micros, double allocated) {
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
  List<Line> run(int ranks, List<String> command) {
    try {
      Files.deleteIfExists(file);
      Process process = launcher.launch(ranks, command, Map.of());
      try {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
          throw failure(command, "did not end within " + LIMIT_SECONDS + " s");
        }
      } finally {
        Stream.concat(process.descendants(), Stream.of(process.toHandle()))
            .toList()
            .forEach(ProcessHandle::destroyForcibly);
      }
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

  private static IllegalStateException failure(List<String> command, String how) {
    return new IllegalStateException("the job '" + String.join(" ", command) + "' " + how);
  }
}
