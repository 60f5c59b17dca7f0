package dev.rialto.bench.gpu;

import dev.rialto.array.Array;
import dev.rialto.array.Team;
import dev.rialto.bench.BenchRow;
import dev.rialto.bench.Samples;
import dev.rialto.fft.FourierPlan;
import dev.rialto.runtime.Devices;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.LinearOperator;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.Vectors;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.problem.Grids;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Transforms of cubes and conjugate gradients in a GPU's memory; times are milliseconds.
 *
 * <p>Transforms are compared with the library's own plan of three axes, which the suite measures
 * under the same names; an iteration with the GPU's copy of as many bytes as it has to read and
 * write at least.
 */
public final class GpuSolvers {
  private static final String COPY = "the GPU's own copy of as many bytes";
  private static final int REPEAT = 20;
  private static final int RANKS = 4;
  private static final int FEW = 20;
  private static final int MANY = 120;
  private static final int SAMPLES = 3;

  private final Device device;
  private final int n;
  private final int[] cubes;
  private boolean iterated;

  public GpuSolvers(Device device, boolean quick) {
    this.device = device;
    this.n = quick ? 128 : 256;
    this.cubes = quick ? new int[] {256} : new int[] {256, 512};
  }

  private static String fft(int n) {
    return "fft/" + n;
  }

  private static String ranked(int n) {
    return fft(n) + "/" + RANKS + "-ranks";
  }

  private static String transposed(int n) {
    return ranked(n) + "-transposed";
  }

  private String cg(Format format) {
    return "cg/" + n + "/" + format.name().toLowerCase(java.util.Locale.ROOT);
  }

  private String product(Format format) {
    return cg(format).replace("cg/", "spmv/");
  }

  /** Returns the rows of all cases; {@code library} is who transforms in the peer. */
  public List<BenchRow> rows(Samples rialto, Samples peers, String library) {
    List<BenchRow> rows = new ArrayList<>();
    for (int cube : cubes) {
      rows.add(row(fft(cube), rialto, peers.median(fft(cube)), library, 1.05));
      rows.add(row(ranked(cube), rialto, peers.median(fft(cube)), library, 2));
      rows.add(row(transposed(cube), rialto, peers.median(fft(cube)), library, 0));
    }
    for (Format format : List.of(Format.SELL, Format.CSR)) {
      rows.add(row(product(format), rialto, peers.median(product(format)), COPY, 0));
      // Slices are what a matrix of even rows gets unless rows are asked for.
      double goal = format == Format.SELL ? 1.3 : 0;
      rows.add(row(cg(format), rialto, peers.median(cg(format)), COPY, goal));
    }
    return rows;
  }

  private static BenchRow row(
      String name, Samples rialto, OptionalDouble peer, String peerName, double goal) {
    return BenchRow.of(name, "ms", rialto.time(name)).against(peerName, peer).withGoal(goal);
  }

  /** Measures everything once; the first round also warms up. */
  public void round(Samples rialto, Samples peers) {
    for (int cube : cubes) {
      rialto.add(fft(cube), transform(null, cube, false));
      try (World ranks = World.local(RANKS)) {
        rialto.add(ranked(cube), ranks.call(comm -> transform(comm, cube, false)).getFirst());
        rialto.add(transposed(cube), ranks.call(comm -> transform(comm, cube, true)).getFirst());
      }
    }
    if (!iterated) {
      iterated = true;
      try (World one = World.local(1)) {
        one.run(comm -> iterate(comm, rialto, peers));
      }
    }
  }

  private double transform(@Nullable Communicator comm, int cube, boolean transposed) {
    var builder = FourierPlan.complex(DType.F64, cube, cube, cube).device(device);
    if (comm != null) {
      builder.on(comm);
    }
    if (transposed) {
      builder.transposedOutput();
    }
    try (FourierPlan plan = builder.build();
        Allocation in = device.memory().allocate(plan.inputBytes());
        Allocation out = device.memory().allocate(plan.outputBytes())) {
      for (int i = 0; i < 3; i++) {
        plan.forward(in.segment(), out.segment());
      }
      if (comm != null) {
        comm.barrier();
      }
      long start = System.nanoTime();
      for (int i = 0; i < REPEAT; i++) {
        plan.forward(in.segment(), out.segment());
      }
      if (comm != null) {
        comm.barrier();
      }
      return (System.nanoTime() - start) * 1e-6 / REPEAT;
    }
  }

  /** Building the matrix takes longest, so one round takes all samples. */
  private void iterate(Communicator comm, Samples rialto, Samples peers) {
    Grids.Equation problem = Grids.poisson3d(n);
    try (Team team = Team.on(comm, Devices.of(device))) {
      IndexMap rows = IndexMap.even(team, problem.size()).assemble();
      SparseMatrix a = problem.matrix(rows, DType.F64, Format.CSR);
      for (int sample = 0; sample < SAMPLES; sample++) {
        iterate(problem, a, rialto, peers);
      }
    }
  }

  private void iterate(Grids.Equation problem, SparseMatrix a, Samples rialto, Samples peers) {
    double bytesPerMilli = bandwidth(device, n);
    for (Format format : List.of(Format.SELL, Format.CSR)) {
      a.copyTo(a.map().space(), format);
      try (Array b = problem.rightHandSide(a.map(), DType.F64);
          Array x = problem.rightHandSide(a.map(), DType.F64);
          Array y = b.like()) {
        double bytes = a.bytesPerProduct();
        rialto.add(product(format), product(a, Op.NONE, x, y));
        peers.add(product(format), bytes / bytesPerMilli);
        solve(a, b, x, FEW);
        double few = solve(a, b, x, FEW);
        double many = solve(a, b, x, MANY);
        rialto.add(cg(format), (many - few) / (MANY - FEW));
        // The product reads p and writes q; updates read r, q, then x, r, p and write r, x, p.
        peers.add(cg(format), (bytes + 64.0 * a.map().size()) / bytesPerMilli);
      }
    }
  }

  /** Returns the milliseconds of one of several products in a row. */
  public static double product(LinearOperator a, Op op, Array x, Array y) {
    try (Vectors vectors = Vectors.of(a.map(), x)) {
      vectors.copy(x, y);
      a.apply(op, Scalar.ONE, x, Scalar.ZERO, y);
      vectors.await();
      long start = System.nanoTime();
      for (int i = 0; i < REPEAT; i++) {
        a.apply(op, Scalar.ONE, x, Scalar.ZERO, y);
      }
      vectors.await();
      return (System.nanoTime() - start) * 1e-6 / REPEAT;
    }
  }

  /** Returns the milliseconds of a solve with so many iterations. */
  public static double solve(LinearOperator a, Array b, Array x, int iterations) {
    SolveOptions options = SolveOptions.standard().withTolerance(0).withMaxIterations(iterations);
    try (Vectors vectors = Vectors.of(a.map(), x)) {
      vectors.fill(x, Scalar.ZERO);
    }
    long start = System.nanoTime();
    var _ = Method.CG.solve(a, Preconditioner.NONE, b, x, options);
    return (System.nanoTime() - start) * 1e-6;
  }

  /** Returns the bytes per millisecond of a device's own copy, read and written. */
  static double bandwidth(Device device, int n) {
    long bytes = Shape.of(n, n, n).count() * 64;
    try (Allocation from = device.memory().allocate(bytes);
        Allocation to = device.memory().allocate(bytes);
        Stream stream = device.openStream(0)) {
      MemorySegment source = from.segment();
      MemorySegment target = to.segment();
      device.transfer().copyAsync(source, target, bytes, stream);
      stream.await();
      long start = System.nanoTime();
      for (int i = 0; i < REPEAT; i++) {
        device.transfer().copyAsync(source, target, bytes, stream);
      }
      stream.await();
      return 2.0 * bytes * REPEAT / ((System.nanoTime() - start) * 1e-6);
    }
  }
}
