package dev.rialto.cli.solve;

import dev.rialto.exchange.Exchanger;
import dev.rialto.sparse.DeviceMatrix;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.SparseDevice;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;

/** Times of what a device does without telling the host when. */
public final class DeviceTimes {
  private DeviceTimes() {}

  private static final int PRODUCTS = 20;

  /** Returns the seconds of one of several products in a row. */
  static double product(Communicator comm, DeviceMatrix a, MultiVector b, MultiVector y) {
    try (MultiVector x = a.vector().copy(b)) {
      a.apply(x, y);
      a.home().stream().await();
      comm.barrier();
      long start = System.nanoTime();
      for (int i = 0; i < PRODUCTS; i++) {
        a.apply(x, y);
      }
      a.home().stream().await();
      comm.barrier();
      return (System.nanoTime() - start) * 1e-9 / PRODUCTS;
    }
  }

  /** Returns the bytes per second of passes over long vectors. */
  public static double bandwidth(Communicator comm, SparseDevice home, Exchanger exchanger) {
    int length = 1 << 25;
    int passes = 10;
    IndexMap map = IndexMap.blocks(exchanger, length).assemble();
    try (MultiVector zeros = new MultiVector(map, DType.F64);
        MultiVector x = home.vector(zeros);
        MultiVector y = home.vector(zeros)) {
      y.axpby(Scalar.ONE, x, Scalar.of(0.5));
      home.stream().await();
      comm.barrier();
      long start = System.nanoTime();
      for (int pass = 0; pass < passes; pass++) {
        y.axpby(Scalar.ONE, x, Scalar.of(0.5));
      }
      home.stream().await();
      comm.barrier();
      return 24.0 * length * comm.size() * passes * 1e9 / (System.nanoTime() - start);
    }
  }
}
