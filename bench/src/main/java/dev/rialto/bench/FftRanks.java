package dev.rialto.bench;

import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A rank of {@link FftCubes}: measures all cubes for the file that rank 0 writes, a line {@code
 * case microseconds} each.
 */
final class FftRanks {
  private FftRanks() {}

  /**
   * Runs as a rank.
   *
   * @param args the backend, the file and the edges of the cubes
   */
  public static void main(String[] args) {
    int[] edges = Arrays.stream(args).skip(2).mapToInt(Integer::parseInt).toArray();
    try (World world = Backends.get(args[0]).openWorld(0)) {
      world.run(
          comm -> {
            List<String> lines = new ArrayList<>();
            FftCubes.all(comm, args[0], edges, true, Suite.Progress.NONE)
                .forEach((name, time) -> lines.add(new RankJobs.Line(name, time, 0).toString()));
            if (comm.rank() == 0) {
              Files.write(Path.of(args[1]), lines);
            }
          });
    }
  }
}
