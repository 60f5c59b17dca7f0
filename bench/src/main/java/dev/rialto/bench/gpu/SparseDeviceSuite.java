package dev.rialto.bench.gpu;

import dev.rialto.array.Array;
import dev.rialto.array.Team;
import dev.rialto.bench.BenchReport;
import dev.rialto.bench.BenchRow;
import dev.rialto.bench.Samples;
import dev.rialto.bench.Suite;
import dev.rialto.runtime.Devices;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.problem.Grids;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Products and conjugate gradients on a device, against its own copy of as many bytes as they have
 * to read and write at least. Times are milliseconds.
 */
public final class SparseDeviceSuite implements Suite {
  private static final int FEW = 20;
  private static final int MANY = 120;
  private static final String TRANSPOSED = "spmv-transposed";
  private static final List<Format> FORMATS = List.of(Format.SELL, Format.CSR);

  private final String name;

  public SparseDeviceSuite(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return "sparse";
  }

  @Override
  public BenchReport run(boolean quick, Progress progress) {
    Device device = Devices.open(name).device().spi();
    int n = quick ? 64 : 256;
    int rounds = quick ? 2 : 5;
    Samples times = new Samples();
    Samples copies = new Samples();
    boolean done =
        progress.measure(
            () -> {
              try (World one = World.local(1)) {
                one.run(comm -> rounds(comm, device, n, rounds, times, copies, progress));
              }
            });
    List<BenchRow> rows = new ArrayList<>();
    for (Format format : FORMATS) {
      rows.add(row(spmv(format), times, copies));
      rows.add(row(cg(format), times, copies));
    }
    rows.add(row(TRANSPOSED, times, copies));
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

  private static BenchRow row(String name, Samples times, Samples copies) {
    return BenchRow.of(name, "ms", times.time(name))
        .against("the device's own copy of as many bytes", copies.median(name));
  }

  /** Takes turns with the copy, so that both see the same state; the first round warms up. */
  private static void rounds(
      Communicator comm,
      Device device,
      int n,
      int rounds,
      Samples times,
      Samples copies,
      Progress progress) {
    Grids.Equation problem = Grids.poisson3d(n);
    try (Team team = Team.on(comm, Devices.of(device))) {
      IndexMap map = IndexMap.even(team, problem.size()).assemble();
      SparseMatrix a = problem.matrix(map, DType.F64, Format.CSR);
      for (int round = 0; round <= rounds; round++) {
        progress.step(round, rounds + 1, "round " + round + " of " + rounds);
        progress.check();
        boolean counts = round > 0;
        measure(problem, a, counts ? times : new Samples());
        double bytesPerMilli = GpuSolvers.bandwidth(device, n);
        double product = a.bytesPerProduct() / bytesPerMilli;
        for (Format format : counts ? FORMATS : List.<Format>of()) {
          copies.add(spmv(format), product);
          copies.add(cg(format), product + 64.0 * a.map().size() / bytesPerMilli);
        }
        if (counts) {
          copies.add(TRANSPOSED, product);
        }
      }
      progress.step(rounds + 1, rounds + 1, "done");
    }
  }

  private static void measure(Grids.Equation problem, SparseMatrix a, Samples samples) {
    for (Format format : FORMATS) {
      a.copyTo(a.map().space(), format);
      try (Array b = problem.rightHandSide(a.map(), DType.F64);
          Array x = problem.rightHandSide(a.map(), DType.F64);
          Array y = b.like()) {
        samples.add(spmv(format), GpuSolvers.product(a, Op.NONE, x, y));
        if (format == Format.SELL) {
          samples.add(TRANSPOSED, GpuSolvers.product(a, Op.TRANSPOSE, x, y));
        }
        double few = GpuSolvers.solve(a, b, x, FEW);
        double many = GpuSolvers.solve(a, b, x, MANY);
        samples.add(cg(format), (many - few) / (MANY - FEW));
      }
    }
  }
}
