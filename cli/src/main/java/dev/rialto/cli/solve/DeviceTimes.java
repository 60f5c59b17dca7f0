package dev.rialto.cli.solve;

import dev.rialto.array.Array;
import dev.rialto.array.Team;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.LinearOperator;
import dev.rialto.sparse.Vectors;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;

/** Times of what a device does without telling the host when. */
public final class DeviceTimes {
  private DeviceTimes() {}

  private static final int PRODUCTS = 20;

  /** Returns the seconds of one of several products in a row. */
  static double product(Communicator comm, LinearOperator a, Array x, Array y) {
    try (Vectors vectors = Vectors.of(a.map(), x)) {
      vectors.copy(x, y);
      a.multiply(x, y);
      vectors.await();
      comm.barrier();
      long start = System.nanoTime();
      for (int i = 0; i < PRODUCTS; i++) {
        a.multiply(x, y);
      }
      vectors.await();
      comm.barrier();
      return (System.nanoTime() - start) * 1e-9 / PRODUCTS;
    }
  }

  /** Returns the bytes per second of passes over long vectors where a team's arrays are. */
  public static double bandwidth(Team team) {
    int length = 1 << 25;
    int passes = 10;
    Communicator comm = team.communicator();
    IndexMap map = IndexMap.blocks(team, length).assemble();
    try (Array x = map.space().array(DType.F64);
        Array y = x.like();
        Vectors vectors = Vectors.of(map, x)) {
      vectors.axpby(Scalar.ONE, x, Scalar.of(0.5), y);
      vectors.await();
      comm.barrier();
      long start = System.nanoTime();
      for (int pass = 0; pass < passes; pass++) {
        vectors.axpby(Scalar.ONE, x, Scalar.of(0.5), y);
      }
      vectors.await();
      comm.barrier();
      return 24.0 * length * comm.size() * passes * 1e9 / (System.nanoTime() - start);
    }
  }
}
