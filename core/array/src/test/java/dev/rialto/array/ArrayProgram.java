package dev.rialto.array;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import java.util.Optional;
import java.util.stream.IntStream;

/** The processes of {@link ProcessesTest}: every algorithm on the first 1, 2, … ranks. */
final class ArrayProgram {
  private ArrayProgram() {}

  /** Runs on the backend that the first argument names. */
  public static void main(String[] args) {
    try (World world = World.open("--comm", args[0])) {
      world.run(
          comm -> {
            for (int ranks = 1; ranks <= comm.size(); ranks++) {
              Optional<Communicator> group = comm.subgroup(IntStream.range(0, ranks).toArray());
              if (group.isPresent()) {
                try (Communicator some = group.get();
                    Team team = Team.on(some)) {
                  for (Algorithms.Subject subject : Algorithms.Subject.values()) {
                    for (long seed = 0; seed < 3; seed++) {
                      Algorithms.run(team, subject, 1000L * ranks + seed, seed == 1);
                    }
                  }
                }
              }
            }
          });
    }
  }
}
