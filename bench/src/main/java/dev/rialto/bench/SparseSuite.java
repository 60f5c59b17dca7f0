package dev.rialto.bench;

import dev.rialto.array.Team;
import dev.rialto.bench.gpu.SparseDeviceSuite;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.io.MatrixMarket;
import dev.rialto.sparse.io.MatrixMarketWriter;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.problem.Grids;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.system.JavaCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Products and conjugate gradients on a cube of grid points, two ranks, against PETSc.
 *
 * <p>Rounds alternate with the peer's; the first of Rialto's warms up and is dropped.
 */
final class SparseSuite implements Suite {
  private static final int RANKS = 2;
  private static final double READ_MEGABYTES_PER_SECOND = 200;
  private static final int READINGS = 3;
  private static final String READ = "read-matrix-market/local";

  /** The most that a case may take of the peer's time for its counterpart. */
  private record Goal(String name, String peer, double most) {}

  private static final List<Goal> GOALS =
      List.of(
          new Goal(SparseCases.SPMV, "spmv", 1.0),
          new Goal(SparseCases.BEST, "spmv", 0.75),
          new Goal(SparseCases.CG, "cg", 0.85),
          new Goal(SparseCases.CG_BEST, "cg", 0.85),
          new Goal(SparseCases.ILU, "cg-ilu0", 1.0));

  private final String comm;

  /** Makes a suite of ranks that a backend links. */
  SparseSuite(String comm) {
    this.comm = comm;
  }

  @Override
  public String name() {
    return "sparse";
  }

  @Override
  public String description() {
    return "sparse products and conjugate gradients of two ranks";
  }

  @Override
  public Optional<Suite> on(String device) {
    return Optional.of(new SparseDeviceSuite(device));
  }

  @Override
  public BenchReport run(boolean quick, Progress progress) {
    int n = quick ? 60 : 100;
    int rounds = quick ? 3 : 6;
    Samples rialto = new Samples();
    Samples others = new Samples();
    try (TemporaryFolder folder = new TemporaryFolder()) {
      Optional<Peer> peer = petsc(folder.path(), n);
      Path file = folder.path().resolve("poisson.mtx");
      double megabytes = write(file, quick ? 60 : 80);
      boolean done =
          progress.measure(
              () -> {
                for (int round = 0; round < rounds; round++) {
                  progress.step(round, rounds, "round " + (round + 1) + " of " + rounds);
                  Map<String, Double> times = round(n, folder.path(), progress);
                  double reading = read(file, progress);
                  if (round > 0) {
                    rialto.addAll(times);
                    rialto.add(READ, reading);
                  }
                  peer.ifPresent(program -> others.addAll(program.times(progress)));
                }
                progress.step(rounds, rounds, "done");
              });
      List<BenchRow> rows = new ArrayList<>();
      for (Goal goal : GOALS) {
        rows.add(row(goal, n, rialto, others, peer));
      }
      rows.add(reading(rialto, megabytes));
      Map<String, String> libraries = new LinkedHashMap<>();
      peer.ifPresent(p -> libraries.put("petsc", p.name()));
      return new BenchReport(
          name(),
          Instant.now(),
          libraries,
          rows,
          List.of(
              "spmv: one product with its halo, CSR; spmv-best: in the format that timing chose.",
              "cg: one iteration; cg-ilu0: with block Jacobi of ILU(0).",
              "floor: the bytes of matrix and vectors at the bandwidth of y = x + y/2, measured"
                  + " in the same run."),
          !done);
    }
  }

  /** Measures all cases once, in threads of this process or in processes. */
  private Map<String, Double> round(int n, Path folder, Progress progress) {
    BackendProvider backend = Backends.get(comm);
    Optional<RankLauncher> launcher = backend.launcher();
    if (launcher.isEmpty()) {
      try (World world = backend.openWorld(RANKS)) {
        return world.call(ranks -> SparseCases.run(ranks, n, progress)).getFirst();
      }
    }
    Path file = folder.resolve("times");
    Map<String, Double> times = new LinkedHashMap<>();
    new RankJobs(launcher.get(), file, progress)
        .run(RANKS, JavaCommand.like(SparseRanks.class, List.of(comm, file.toString(), "" + n)))
        .forEach(line -> times.put(line.name(), line.micros()));
    return times;
  }

  private BenchRow row(Goal goal, int n, Samples rialto, Samples others, Optional<Peer> peer) {
    String name = goal.name();
    return new BenchRow(
        goal.name() + "/" + comm + "/" + n + "^3",
        "ms",
        rialto.time(name),
        others.median(goal.peer()),
        peer.map(Peer::name).orElse("PETSc: apt install petsc-dev"),
        OptionalDouble.of(goal.most()),
        OptionalDouble.empty(),
        rialto.median(name + SparseCases.FLOOR),
        OptionalDouble.empty());
  }

  private static BenchRow reading(Samples rialto, double megabytes) {
    return new BenchRow(
        READ + "/%.0fMB".formatted(megabytes),
        "ms",
        rialto.time(READ),
        OptionalDouble.empty(),
        "at least 200 MB/s",
        OptionalDouble.empty(),
        OptionalDouble.of(1e3 * megabytes / READ_MEGABYTES_PER_SECOND),
        OptionalDouble.empty(),
        OptionalDouble.empty());
  }

  private static Optional<Peer> petsc(Path folder, int n) {
    Optional<List<String>> flags = Peer.packageFlags("petsc");
    if (flags.isEmpty()) {
      return Optional.empty();
    }
    List<String> compiler = new ArrayList<>(List.of("mpicc", "-O3", "-Wl,--no-as-needed"));
    compiler.addAll(flags.get());
    return Peer.compile("sparse_peer.c", folder, compiler.toArray(String[]::new))
        .map(program -> Peer.mpi(program, "" + n).named("PETSc"));
  }

  private static double write(Path file, int n) {
    try (World world = World.local(RANKS)) {
      world.run(
          ranks -> {
            try (Team team = Team.on(ranks)) {
              Grids.Equation problem = Grids.poisson3d(n);
              IndexMap rows = IndexMap.even(team, problem.size()).assemble();
              MatrixMarketWriter.write(file, problem.matrix(rows, DType.F64, Format.CSR));
            }
          });
      return Files.size(file) / 1e6;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the milliseconds that two ranks of this process take to read and assemble. */
  private static double read(Path file, Progress progress) {
    Samples samples = new Samples();
    try (World world = World.local(RANKS)) {
      for (int i = 0; i < READINGS; i++) {
        progress.check();
        samples.add(READ, world.call(ranks -> read(ranks, file)).getFirst());
      }
    }
    return samples.median(READ).orElseThrow();
  }

  private static double read(Communicator comm, Path file) throws IOException {
    try (Team team = Team.on(comm)) {
      comm.barrier();
      long start = System.nanoTime();
      var _ = MatrixMarket.open(file).readMatrix(team, DType.F64);
      comm.barrier();
      return (System.nanoTime() - start) / 1e6;
    }
  }
}
