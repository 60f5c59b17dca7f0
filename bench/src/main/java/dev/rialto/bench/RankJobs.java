package dev.rialto.bench;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.system.JavaCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  /** Cases that ranks measure, threads of this process or processes. */
  @FunctionalInterface
  public interface Cases {
    /**
     * Measures all on the calling rank, until it is time to stop.
     *
     * @param fresh whether this process has yet to warm up
     */
    List<Line> measure(
        Communicator comm, List<String> arguments, boolean fresh, Suite.Progress progress)
        throws IOException;
  }

  /**
   * Runs as a rank that is a process: measures cases for the file that rank 0 writes, a line each.
   *
   * @param args the backend, the file, and what the cases are given
   */
  public static void main(String[] args, Cases cases) {
    List<String> arguments = List.of(args).subList(2, args.length);
    try (World world = Backends.get(args[0]).openWorld(0)) {
      world.run(
          comm -> {
            List<Line> lines = cases.measure(comm, arguments, true, Suite.Progress.NONE);
            if (comm.rank() == 0) {
              Files.write(Path.of(args[1]), lines.stream().map(Line::toString).toList());
            }
          });
    }
  }

  /**
   * Measures cases once, in threads of this process or in processes, as a backend has it.
   *
   * @param main the class whose main method runs the cases as a rank
   * @param folder where processes write
   */
  public static List<Line> round(
      String comm,
      int ranks,
      Class<?> main,
      Cases cases,
      List<String> arguments,
      boolean fresh,
      Path folder,
      Suite.Progress progress) {
    BackendProvider backend = Backends.get(comm);
    Optional<RankLauncher> launcher = backend.launcher();
    if (launcher.isEmpty()) {
      try (World world = backend.openWorld(ranks)) {
        return world.call(own -> cases.measure(own, arguments, fresh, progress)).getFirst();
      }
    }
    Path file = folder.resolve("times");
    List<String> words = new ArrayList<>(List.of(comm, file.toString()));
    words.addAll(arguments);
    return new RankJobs(launcher.get(), file, progress).run(ranks, JavaCommand.like(main, words));
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
