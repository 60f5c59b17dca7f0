package dev.rialto.cli.solve;

import dev.rialto.array.Array;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.io.NpyFile;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.trace.Phase;
import dev.rialto.runtime.trace.RunRecord;
import dev.rialto.sparse.DeviceMatrix;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.Vectors;
import dev.rialto.sparse.io.MatrixMarket;
import dev.rialto.sparse.io.MatrixMarketWriter;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.problem.Problem;
import dev.rialto.sparse.solve.Method;
import dev.rialto.sparse.solve.SolveOptions;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A solve from input to output, as each rank does it.
 *
 * @param input a problem or a file
 * @param method the solver
 * @param preconditioner as {@link SolveChoices} reads it
 * @param scheme how halos travel; {@code tuned} to find out, empty for the engine's choice
 * @param effort how much time tuning may take
 * @param format how the matrix is stored; empty to find out by timing
 * @param options when to stop
 * @param rightHandSide a file; empty for the problem's own, or A times ones
 * @param out where the solution goes
 * @param seed for random problems
 * @param device whose memory the system is solved in; empty for the host's
 * @param reached is told how far the job is before it iterates, as "while reading"
 */
public record SolveJob(
    String input,
    Method method,
    String preconditioner,
    String scheme,
    Effort effort,
    Optional<Format> format,
    SolveOptions options,
    Optional<Path> rightHandSide,
    Optional<Path> out,
    long seed,
    Optional<Device> device,
    Consumer<String> reached) {

  /**
   * The result; the same on all ranks but for times.
   *
   * @param result how the solve went
   * @param rows rows of the matrix
   * @param entries entries of the matrix
   * @param format how it was stored
   * @param scheme how halos travelled
   * @param preconditioner what it was, in words
   * @param readSeconds reading or generating, and assembling
   * @param setupSeconds choosing format and scheme, and making the preconditioner
   * @param solveSeconds solving
   * @param productSeconds the part of it that was products of the matrix, halos included
   * @param products how many of those
   * @param exchangedBytes what all ranks sent to fill halos
   * @param productBytes what one product of all ranks reads and writes at least
   * @param machineBytesPerSecond what all ranks together move in a plain loop over long vectors
   */
  public record Outcome(
      SolveResult result,
      long rows,
      long entries,
      Format format,
      String scheme,
      String preconditioner,
      double readSeconds,
      double setupSeconds,
      double solveSeconds,
      double productSeconds,
      int products,
      long exchangedBytes,
      long productBytes,
      double machineBytesPerSecond) {}

  public Outcome run(Communicator comm) throws IOException {
    try (Team team = device.isEmpty() ? Team.on(comm) : Team.on(comm, Devices.of(device.get()))) {
      long start = System.nanoTime();
      SparseMatrix a;
      reached.accept("while reading and assembling " + input);
      try (Phase _ = RunRecord.phase("read and assemble")) {
        a = read(team);
      }
      IndexMap map = a.map();
      try (Array b = rightHandSide(a);
          Array x = b.like()) {
        long assembled = System.nanoTime();
        reached.accept("while choosing format and scheme");
        try (Phase _ = RunRecord.phase("choose format and scheme")) {
          choose(a);
        }
        reached.accept("while setting up the preconditioner");
        MeasuredOperator measured = new MeasuredOperator(a);
        try (Preconditioner m = SolveChoices.preconditioner(preconditioner, a)) {
          comm.barrier();
          long ready = System.nanoTime();
          SolveResult result;
          try (Phase _ = RunRecord.phase("solve")) {
            // A device does not tell when a product is done: those are timed afterwards.
            result = method.solve(device.isEmpty() ? measured : a, m, b, x, options);
            comm.barrier();
          }
          long solved = System.nanoTime();
          if (out.isPresent()) {
            write(out.get(), map, x);
          }
          Times times = times(team, a, measured, result, b, x);
          long sent = comm.sum(map.statistics().bytesSent(a.type()));
          return new Outcome(
              result,
              map.size(),
              a.entries(),
              times.format(),
              times.scheme(),
              m.toString(),
              (assembled - start) * 1e-9,
              (ready - assembled) * 1e-9,
              (solved - ready) * 1e-9,
              times.productSeconds(),
              times.products(),
              sent * times.products(),
              comm.sum(times.productBytes()),
              times.bandwidth());
        }
      }
    }
  }

  /** Chooses format and scheme, by timing where the system is solved on the host. */
  private void choose(SparseMatrix a) {
    if (device.isPresent()) {
      format.ifPresent(asked -> a.copyTo(a.map().space(), asked));
    } else {
      format.ifPresentOrElse(a::format, a::chooseFormat);
    }
    if (!scheme.equals("tuned")) {
      if (!scheme.isEmpty()) {
        a.map().scheme(scheme);
      }
    } else if (device.isEmpty()) {
      a.map().tune(effort, a.type());
    }
  }

  /** The products of a solve, and how fast the machine could have been. */
  private record Times(
      Format format,
      String scheme,
      int products,
      double productSeconds,
      long productBytes,
      double bandwidth) {}

  private Times times(
      Team team, SparseMatrix a, MeasuredOperator measured, SolveResult result, Array b, Array x) {
    IndexMap map = a.map();
    if (device.isEmpty()) {
      return new Times(
          a.format(),
          map.haloExchange(a.type(), 1).scheme().toString(),
          measured.products(),
          measured.seconds(),
          a.bytesPerProduct(),
          bandwidth(team));
    }
    DeviceMatrix there = a.copyTo(map.space());
    int products = result.iterations() + 2;
    return new Times(
        there.format(),
        map.scheme().map(Object::toString).orElse("shared, or as the communicator can"),
        products,
        products * DeviceTimes.product(team.communicator(), a, b, x),
        there.bytesPerProduct(),
        DeviceTimes.bandwidth(team));
  }

  private SparseMatrix read(Team team) throws IOException {
    Optional<Problem> problem = SolveChoices.problem(input, seed);
    if (problem.isPresent()) {
      IndexMap rows = IndexMap.even(team, problem.get().size()).assemble();
      return problem.get().matrix(rows, DType.F64, Format.CSR);
    }
    MatrixMarket file = MatrixMarket.open(Path.of(input));
    return file.readMatrix(team, file.header().type());
  }

  private Array rightHandSide(SparseMatrix a) throws IOException {
    if (rightHandSide.isPresent() && SolveChoices.isNumpy(rightHandSide.get())) {
      return NumpyVector.read(rightHandSide.get(), a.map(), a.type());
    }
    Optional<Problem> problem = SolveChoices.problem(input, seed);
    if (rightHandSide.isEmpty() && problem.isPresent()) {
      return problem.get().rightHandSide(a.map(), a.type());
    }
    Array b = a.map().space().array(a.type());
    if (rightHandSide.isPresent()) {
      MatrixMarket.open(rightHandSide.get()).readVector(a.map(), b);
      return b;
    }
    Array ones = b.like();
    try (Vectors vectors = Vectors.of(a.map(), b)) {
      vectors.fill(ones, Scalar.ONE);
    }
    a.multiply(ones, b);
    ones.close();
    return b;
  }

  /** Writes the solution, in the format that the file's name says. */
  private static void write(Path file, IndexMap map, Array x) throws IOException {
    if (SolveChoices.isNumpy(file)) {
      Grid blocks = (Grid) x.distribution();
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment elements = arena.allocate(Math.max(64, x.type().bytes(map.owned())), 64);
        x.copyTo(elements);
        NpyFile.save(file, map.comm(), x.type(), blocks, elements, _ -> {});
      }
    } else {
      MatrixMarketWriter.write(file, map, x);
    }
  }

  /** Returns the best of a few passes over vectors that no cache holds. */
  private static double bandwidth(Team team) {
    Communicator comm = team.communicator();
    // Beyond all caches together, and no more for many ranks than for few.
    int length = Math.min(1 << 22, (1 << 24) / comm.size());
    IndexMap map = IndexMap.blocks(team, length).assemble();
    try (Phase _ = RunRecord.phase("measure bandwidth");
        Array x = map.space().array(DType.F64);
        Array y = x.like();
        Vectors vectors = Vectors.of(map, x)) {
      double best = 0;
      for (int pass = 0; pass < 8; pass++) {
        comm.barrier();
        long start = System.nanoTime();
        vectors.axpby(Scalar.ONE, x, Scalar.of(0.5), y);
        comm.barrier();
        best = Math.max(best, 24.0 * length * comm.size() * 1e9 / (System.nanoTime() - start));
      }
      return best;
    }
  }
}
