package dev.rialto.bench;

import dev.rialto.spi.World;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A program for ranks that are processes: times the cases of {@link SparseSuite} twice, the first
 * time to warm up, and writes, on rank 0, {@code case time} to a file.
 */
public final class SparseRank {
  private SparseRank() {}

  /** Takes the file, the backend's name and the points along an edge. */
  public static void main(String[] args) {
    int n = Integer.parseInt(args[2]);
    try (World world = World.open("--comm", args[1])) {
      world.run(
          comm -> {
            var _ = SparseCases.run(comm, Math.min(n, 40));
            List<String> lines = new ArrayList<>();
            SparseCases.run(comm, n)
                .forEach(
                    (name, time) ->
                        lines.add(String.format(Locale.ROOT, "%s/%s %.6f", args[1], name, time)));
            if (comm.rank() == 0) {
              Files.write(Path.of(args[0]), lines);
            }
          });
    }
  }
}
