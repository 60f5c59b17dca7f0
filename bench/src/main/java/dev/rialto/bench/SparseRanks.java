package dev.rialto.bench;

import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A rank of {@link SparseSuite}: measures all cases, after a small problem to warm up, for the file
 * that rank 0 writes, a line {@code case milliseconds} each.
 */
final class SparseRanks {
  private SparseRanks() {}

  /**
   * Runs as a rank.
   *
   * @param args the backend, the file and the points along an edge
   */
  public static void main(String[] args) {
    int n = Integer.parseInt(args[2]);
    try (World world = Backends.get(args[0]).openWorld(0)) {
      world.run(
          comm -> {
            var _ = SparseCases.run(comm, Math.min(n, 40), Suite.Progress.NONE);
            List<String> lines = new ArrayList<>();
            SparseCases.run(comm, n, Suite.Progress.NONE)
                .forEach((name, time) -> lines.add(name + " " + time));
            if (comm.rank() == 0) {
              Files.write(Path.of(args[1]), lines);
            }
          });
    }
  }
}
