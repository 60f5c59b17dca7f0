package dev.rialto.bench.comm;

import dev.rialto.bench.RankJobs;
import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A rank of {@link ExchangeSuite}: measures all cases for the file that rank 0 writes, a line
 * {@code case microseconds bytes} each.
 */
final class ExchangeRanks {
  private ExchangeRanks() {}

  /**
   * Runs as a rank.
   *
   * @param args the backend, the file, the edge of the cube, the nanoseconds for each case; and how
   *     the names of those that are wanted begin, if not all are
   */
  public static void main(String[] args) {
    int edge = Integer.parseInt(args[2]);
    long nanos = Long.parseLong(args[3]);
    Path folder = Objects.requireNonNull(Path.of(args[1]).getParent());
    String prefix = args.length > 4 ? args[4] : "";
    try (World world = Backends.get(args[0]).openWorld(0)) {
      world.run(
          comm -> {
            List<String> lines = new ArrayList<>();
            for (CommCase each : ExchangeCase.all(args[0], edge, folder)) {
              if (!each.name().startsWith(prefix)) {
                continue;
              }
              RankTimer.Timing timing = RankTimer.time(comm, each, nanos);
              lines.add(
                  new RankJobs.Line(each.name(), timing.micros(), timing.allocated()).toString());
            }
            if (comm.rank() == 0) {
              Files.write(Path.of(args[1]), lines);
            }
          });
    }
  }
}
