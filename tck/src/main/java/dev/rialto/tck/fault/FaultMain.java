package dev.rialto.tck.fault;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.World;
import dev.rialto.tck.LaunchedRanks;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A rank that is a process, in a job one rank of which fails. What it says goes to a file. */
final class FaultMain {
  private static final String FAILED = "failed";

  private FaultMain() {}

  static List<String> command(
      BackendProvider backend, Path folder, FailingOperation operation, Phase phase, int victim) {
    return LaunchedRanks.command(
        FaultMain.class,
        backend.getClass().getName(),
        folder.toString(),
        operation.name(),
        phase.name(),
        Integer.toString(victim));
  }

  /** Returns when the rank has failed, by the clock of the machine. */
  static long failedAt(Path folder) throws IOException {
    return Files.getLastModifiedTime(folder.resolve(FAILED)).toMillis();
  }

  /** Returns what all ranks said. */
  static String said(Path folder) throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        all.append(Files.readString(file));
      }
    }
    return all.toString();
  }

  /**
   * Runs as a rank.
   *
   * @param args what {@link #command} passes
   */
  public static void main(String[] args) throws Exception {
    BackendProvider backend = LaunchedRanks.backend(args[0]);
    Path folder = Path.of(args[1]);
    long process = ProcessHandle.current().pid();
    Path words = folder.resolve("rank-" + process);
    System.setErr(new PrintStream(Files.newOutputStream(words), true, StandardCharsets.UTF_8));
    FailingOperation operation = FailingOperation.valueOf(args[2]);
    Phase phase = Phase.valueOf(args[3]);
    int victim = Integer.parseInt(args[4]);
    try (World world = backend.openWorld(0)) {
      world.run(
          comm -> {
            try {
              FailingOperation.repeat(operation, comm, victim, phase);
            } catch (Injected e) {
              Files.createFile(folder.resolve(FAILED));
              throw e;
            }
          });
    } catch (RuntimeException e) {
      e.printStackTrace();
      System.exit(1);
    }
  }
}
