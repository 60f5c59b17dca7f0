package dev.rialto.bench;

import dev.rialto.exchange.Exchanger;
import dev.rialto.runtime.Devices;
import dev.rialto.sparse.DeviceMatrix;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.SparseDevice;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.problem.Grids;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Stream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Products and conjugate gradients on a device by kernels in Java, against those that its backend
 * has of its own: as long as Java's take as long, those need not be. Times are milliseconds.
 */
final class SparseDeviceSuite implements Suite {
  private static final int FEW = 20;
  private static final int MANY = 120;
  private static final int REPEAT = 20;
  private static final String TRANSPOSED = "spmv-transposed";

  private final String name;

  SparseDeviceSuite(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return "sparse";
  }

  @Override
  public String description() {
    return "sparse products and conjugate gradients on a device";
  }

  @Override
  public BenchReport run(boolean quick, Progress progress) {
    Device device = Devices.open(name).device().spi();
    Optional<String> own = device.sparse().map(_ -> "kernels of " + device.name() + "'s backend");
    int n = quick ? 64 : 256;
    int rounds = quick ? 2 : 5;
    Samples java = new Samples();
    Samples backend = new Samples();
    boolean done =
        progress.measure(
            () -> {
              try (World one = World.local(1)) {
                one.run(comm -> rounds(comm, device, n, rounds, java, backend, progress));
              }
            });
    List<BenchRow> rows = new ArrayList<>();
    for (Format format : List.of(Format.SELL, Format.CSR)) {
      rows.add(row(spmv(format), java, backend, own));
      rows.add(row(cg(format), java, backend, own));
    }
    rows.add(row(TRANSPOSED, java, backend, own));
    return new BenchReport(
        name(),
        Instant.now(),
        Map.of(),
        rows,
        List.of(
            device.properties().description(),
            "Poisson's equation on a cube of %d points an edge, in F64; cg: one iteration."
                .formatted(n)),
        !done);
  }

  private static String spmv(Format format) {
    return "spmv/" + format.name().toLowerCase(Locale.ROOT);
  }

  private static String cg(Format format) {
    return "cg/" + format.name().toLowerCase(Locale.ROOT);
  }

  private static BenchRow row(String name, Samples java, Samples backend, Optional<String> peer) {
    return new BenchRow(
        name,
        "ms",
        java.time(name),
        backend.median(name),
        peer.orElse("none: the backend has no kernels of its own"),
        OptionalDouble.empty(),
        OptionalDouble.empty(),
        OptionalDouble.empty(),
        OptionalDouble.empty());
  }

  /** Takes turns, so that both see the same state of the machine; the first round warms up. */
  private static void rounds(
      Communicator comm,
      Device device,
      int n,
      int rounds,
      Samples java,
      Samples backend,
      Progress progress) {
    Grids.Equation problem = Grids.poisson3d(n);
    try (Exchanger exchanger = Exchanger.on(comm)) {
      IndexMap map = IndexMap.even(exchanger, problem.size()).assemble();
      SparseMatrix a = problem.matrix(map, DType.F64, Format.CSR);
      for (int round = 0; round <= rounds; round++) {
        progress.step(round, rounds + 1, "round " + round + " of " + rounds);
        progress.check();
        Samples unused = new Samples();
        try (SparseDevice home = SparseDevice.inJava(device, comm)) {
          measure(home, problem, a, round == 0 ? unused : java);
        }
        if (device.sparse().isPresent()) {
          try (SparseDevice home = SparseDevice.on(device, comm)) {
            measure(home, problem, a, round == 0 ? unused : backend);
          }
        }
      }
      progress.step(rounds + 1, rounds + 1, "done");
    }
  }

  private static void measure(
      SparseDevice home, Grids.Equation problem, SparseMatrix a, Samples samples) {
    for (Format format : List.of(Format.SELL, Format.CSR)) {
      try (DeviceMatrix there = home.matrix(a, format);
          MultiVector right = problem.rightHandSide(a.map(), DType.F64);
          MultiVector b = home.vector(right);
          MultiVector x = home.vector(right);
          MultiVector y = there.vector()) {
        samples.add(spmv(format), GpuSolvers.product(there, x, y));
        if (format == Format.SELL) {
          samples.add(TRANSPOSED, transposed(there, x, y));
        }
        double few = GpuSolvers.solve(there, b, x, FEW);
        double many = GpuSolvers.solve(there, b, x, MANY);
        samples.add(cg(format), (many - few) / (MANY - FEW));
      }
    }
  }

  private static double transposed(DeviceMatrix a, MultiVector x, MultiVector y) {
    Stream stream = a.home().stream();
    a.apply(Op.TRANSPOSE, Scalar.ONE, x, Scalar.ZERO, y);
    stream.await();
    long start = System.nanoTime();
    for (int i = 0; i < REPEAT; i++) {
      a.apply(Op.TRANSPOSE, Scalar.ONE, x, Scalar.ZERO, y);
    }
    stream.await();
    return (System.nanoTime() - start) * 1e-6 / REPEAT;
  }
}
