package dev.rialto.bench;

import dev.rialto.array.Team;
import dev.rialto.bench.gpu.SparseDeviceSuite;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.io.MatrixMarket;
import dev.rialto.sparse.io.MatrixMarketWriter;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.problem.Grids;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
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
          progress.rounds(
              rounds,
              round -> {
                var lines = SparseCases.round(comm, RANKS, n, folder.path(), progress);
                double reading = read(file, progress);
                if (round > 0) {
                  lines.forEach(line -> rialto.add(line.name(), line.micros()));
                  rialto.add(READ, reading);
                }
                peer.ifPresent(program -> others.addAll(program.times(progress)));
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

  private BenchRow row(Goal goal, int n, Samples rialto, Samples others, Optional<Peer> peer) {
    String name = goal.name();
    return BenchRow.of(name + "/" + comm + "/" + n + "^3", "ms", rialto.time(name))
        .against(
            peer.map(Peer::name).orElse("PETSc: apt install petsc-dev"), others.median(goal.peer()))
        .withGoal(goal.most())
        .withFloor(rialto.median(name + SparseCases.FLOOR));
  }

  private static BenchRow reading(Samples rialto, double megabytes) {
    return BenchRow.of(READ + "/%.0fMB".formatted(megabytes), "ms", rialto.time(READ))
        .against("at least 200 MB/s", OptionalDouble.empty())
        .withLimit(1e3 * megabytes / READ_MEGABYTES_PER_SECOND);
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
