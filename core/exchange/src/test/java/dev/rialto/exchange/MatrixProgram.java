package dev.rialto.exchange;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.tck.TestDevices;
import java.util.Optional;
import java.util.stream.IntStream;

/** The processes of {@link ProcessMatrixTest}: the matrix on the first 1, 2, … ranks. */
final class MatrixProgram {
  private MatrixProgram() {}

  /** Runs on the backend that the first argument names, on the device that a second one does. */
  public static void main(String[] args) {
    try (World world = World.open("--comm", args[0])) {
      world.run(
          comm -> {
            for (int ranks = 1; ranks <= comm.size(); ranks++) {
              Optional<Communicator> group = comm.subgroup(IntStream.range(0, ranks).toArray());
              if (group.isPresent()) {
                try (Communicator some = group.get()) {
                  for (PlanCase each : Matrix.cases(ranks, 4)) {
                    if (args.length > 1) {
                      Matrix.run(some, each, TestDevices.get(args[1]));
                    } else {
                      Matrix.run(some, each);
                    }
                  }
                }
              }
            }
          });
    }
  }
}
