package dev.rialto.cli.solve;

import dev.rialto.array.Team;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.io.NpyFile;
import dev.rialto.runtime.trace.Phase;
import dev.rialto.runtime.trace.RunRecord;
import dev.rialto.sparse.DeviceMatrix;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.SparseDevice;
import dev.rialto.sparse.SparseMatrix;
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
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A solve from input to output, as each rank does it.
 *
 * @param input a problem or a file
 * @param method the solver
 * @param preconditioner as {@link Choices} reads it
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
   * What came out; the same on all ranks but for times.
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

  /** Solves, with all ranks of a communicator. */
  public Outcome run(Communicator comm) throws IOException {
    try (Team team = Team.on(comm)) {
      Exchanger exchanger = team.exchanger();
      long start = System.nanoTime();
      SparseMatrix a;
      reached.accept("while reading and assembling " + input);
      try (Phase _ = RunRecord.phase("read and assemble")) {
        a = read(exchanger);
      }
      IndexMap map = a.map();
      try (MultiVector b = rightHandSide(a);
          MultiVector x = b.like()) {
        long assembled = System.nanoTime();
        if (device.isPresent()) {
          return onDevice(comm, exchanger, device.get(), a, b, x, start, assembled);
        }
        reached.accept("while choosing format and scheme");
        try (Phase _ = RunRecord.phase("choose format and scheme")) {
          format.ifPresentOrElse(a::format, a::chooseFormat);
          if (scheme.equals("tuned")) {
            map.tune(effort, a.type());
          } else if (!scheme.isEmpty()) {
            map.scheme(scheme);
          }
        }
        reached.accept("while setting up the preconditioner");
        MeasuredOperator measured = new MeasuredOperator(a);
        try (Preconditioner m = Choices.preconditioner(preconditioner, a)) {
          comm.barrier();
          long ready = System.nanoTime();
          SolveResult result;
          try (Phase _ = RunRecord.phase("solve")) {
            result = method.solve(measured, m, b, x, options);
            comm.barrier();
          }
          long solved = System.nanoTime();
          if (out.isPresent()) {
            write(out.get(), x);
          }
          long sent = comm.sum(map.statistics().bytesSent(a.type()));
          return new Outcome(
              result,
              map.size(),
              a.entries(),
              a.format(),
              map.haloExchange(a.type(), 1).scheme().toString(),
              m.toString(),
              (assembled - start) * 1e-9,
              (ready - assembled) * 1e-9,
              (solved - ready) * 1e-9,
              measured.seconds(),
              measured.products(),
              sent * measured.products(),
              comm.sum(a.bytesPerProduct()),
              bandwidth(comm, exchanger));
        }
      }
    }
  }

  private Outcome onDevice(
      Communicator comm,
      Exchanger exchanger,
      Device where,
      SparseMatrix a,
      MultiVector b,
      MultiVector x,
      long start,
      long assembled)
      throws IOException {
    if (!scheme.isEmpty() && !scheme.equals("tuned")) {
      a.map().scheme(scheme);
    }
    try (SparseDevice home = SparseDevice.on(where, exchanger);
        DeviceMatrix there = format.isPresent() ? home.matrix(a, format.get()) : home.matrix(a);
        MultiVector right = home.vector(b);
        MultiVector solution = there.vector();
        Preconditioner m = Choices.preconditioner(preconditioner, a, home)) {
      comm.barrier();
      long ready = System.nanoTime();
      SolveResult result = method.solve(there, m, right, solution, options);
      comm.barrier();
      long solved = System.nanoTime();
      x.copy(solution);
      if (out.isPresent()) {
        write(out.get(), x);
      }
      int products = result.iterations() + 2;
      double productSeconds = products * DeviceTimes.product(comm, there, right, solution);
      long sent = comm.sum(a.map().statistics().bytesSent(a.type()));
      return new Outcome(
          result,
          a.map().size(),
          a.entries(),
          there.format(),
          a.map().scheme().map(Object::toString).orElse("shared, or as the communicator can"),
          m.toString(),
          (assembled - start) * 1e-9,
          (ready - assembled) * 1e-9,
          (solved - ready) * 1e-9,
          productSeconds,
          products,
          sent * result.iterations(),
          comm.sum(there.bytesPerProduct()),
          DeviceTimes.bandwidth(comm, home, exchanger));
    }
  }

  private SparseMatrix read(Exchanger exchanger) throws IOException {
    Optional<Problem> problem = Choices.problem(input, seed);
    if (problem.isPresent()) {
      IndexMap rows = IndexMap.even(exchanger, problem.get().size()).assemble();
      return problem.get().matrix(rows, DType.F64, Format.CSR);
    }
    MatrixMarket file = MatrixMarket.open(Path.of(input));
    return file.readMatrix(exchanger, file.header().type());
  }

  private MultiVector rightHandSide(SparseMatrix a) throws IOException {
    if (rightHandSide.isPresent()) {
      Path file = rightHandSide.get();
      return Choices.isNumpy(file)
          ? NumpyVector.read(file, a.map(), a.type())
          : MatrixMarket.open(file).readVector(a.map(), a.type());
    }
    Optional<Problem> problem = Choices.problem(input, seed);
    if (problem.isPresent()) {
      return problem.get().rightHandSide(a.map(), a.type());
    }
    MultiVector b = new MultiVector(a.map(), a.type());
    try (MultiVector ones = b.like().fill(Scalar.ONE)) {
      a.apply(ones, b);
    }
    return b;
  }

  /** Writes the solution, in the format that the file's name says. */
  private static void write(Path file, MultiVector x) throws IOException {
    if (Choices.isNumpy(file)) {
      Communicator comm = x.map().comm();
      double[] owned = new double[comm.size()];
      owned[comm.rank()] = x.map().owned();
      long[] lengths = Arrays.stream(comm.sum(owned)).mapToLong(n -> (long) n).toArray();
      Grid blocks = Grid.of(Partition.blocks(lengths));
      NpyFile.save(file, comm, x.type(), blocks, x.memory(), _ -> {});
    } else {
      MatrixMarketWriter.write(file, x);
    }
  }

  /** Returns the best of a few passes over vectors that no cache holds. */
  private static double bandwidth(Communicator comm, Exchanger exchanger) {
    // Beyond all caches together, and no more for many ranks than for few.
    int length = Math.min(1 << 22, (1 << 24) / comm.size());
    IndexMap map = IndexMap.blocks(exchanger, length).assemble();
    try (Phase _ = RunRecord.phase("measure bandwidth");
        MultiVector x = new MultiVector(map, DType.F64).fill(Scalar.ONE);
        MultiVector y = x.like().fill(Scalar.ONE)) {
      double best = 0;
      for (int pass = 0; pass < 8; pass++) {
        comm.barrier();
        long start = System.nanoTime();
        y.axpby(Scalar.ONE, x, Scalar.of(0.5));
        comm.barrier();
        best = Math.max(best, 24.0 * length * comm.size() * 1e9 / (System.nanoTime() - start));
      }
      return best;
    }
  }
}
