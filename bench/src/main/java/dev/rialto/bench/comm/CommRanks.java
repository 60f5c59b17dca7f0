package dev.rialto.bench.comm;

import dev.rialto.bench.RankJobs;
import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A rank of {@link ProcessCommSuite}: measures all cases for the file that rank 0 writes, a line
 * {@code case microseconds bytes} each.
 *
 * <p>First each operation is repeated in its smallest size until the JVM has surely compiled it. A
 * rank may be bound to one processor, on which it spins while the compiler works, so that takes a
 * while.
 */
final class CommRanks {
  /** The time of repetitions before a case is measured, in times of measuring it. */
  private static final int WARM_UP = 6;

  private CommRanks() {}

  /**
   * Runs as a rank.
   *
   * @param args the backend, the file, the nanoseconds for each case and, for some cases only,
   *     {@code checked}
   */
  public static void main(String[] args) {
    Path file = Path.of(args[1]);
    long nanos = Long.parseLong(args[2]);
    try (World world = Backends.get(args[0]).openWorld(0)) {
      List<CommCase> cases =
          args.length > 3 ? CommCase.ofCheckedProcesses(args[0]) : CommCase.ofProcesses(args[0]);
      world.run(comm -> measure(comm, cases, nanos, file));
    }
  }

  private static void measure(Communicator comm, List<CommCase> cases, long nanos, Path file)
      throws IOException {
    Set<String> warm = new HashSet<>();
    for (CommCase each : cases) {
      if (warm.add(each.name().substring(0, each.name().indexOf('/')))) {
        RankTimer.time(comm, each, WARM_UP * nanos);
      }
    }
    // Other sizes and operations can cost those before them their compiled code: a second round.
    for (CommCase each : cases) {
      RankTimer.time(comm, each, nanos);
    }
    List<String> lines = new ArrayList<>();
    for (CommCase each : cases) {
      RankTimer.Timing timing = RankTimer.time(comm, each, nanos);
      lines.add(new RankJobs.Line(each.name(), timing.micros(), timing.allocated()).toString());
    }
    if (comm.rank() == 0) {
      Files.write(file, lines);
    }
  }
}
