package dev.rialto.cli.demo;

import dev.rialto.array.Team;
import dev.rialto.cli.solve.DeviceTimes;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.fft.FourierSettings;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.trace.Phase;
import dev.rialto.runtime.trace.RunRecord;
import dev.rialto.sparse.solve.SolveResult;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Cancellation;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Poisson's equation on a periodic cube, solved twice, as each rank does it: by Fourier transforms
 * and by conjugate gradients.
 *
 * <p>Both solve the same second-order differences, so their answers agree to the tolerance of the
 * iteration, and both are as far from the exact answer as differences are: an error of second order
 * in the distance of points. Transforms can do better, which is shown too.
 *
 * @param n points along an edge
 * @param seed where the charges are
 * @param engine what transforms lines; null for the embedded one, or what tuning finds
 * @param scheme how data moves between ranks; {@link #TUNED} to find out
 * @param effort how much time tuning may take
 * @param tolerance the residual that conjugate gradients reach
 * @param cancellation asks to stop, on any rank
 * @param device whose memory it is solved in; empty for the host's
 */
public record PoissonJob(
    int n,
    long seed,
    @Nullable String engine,
    String scheme,
    Effort effort,
    double tolerance,
    Cancellation cancellation,
    Optional<Device> device) {
  /** The scheme that stands for finding the fastest. */
  public static final String TUNED = "tuned";

  /**
   * The results of the transforms. Errors are largest differences, of the largest value.
   *
   * @param grid how many ranks divide each axis
   * @param scheme how the array moved
   * @param engine what transformed lines
   * @param candidates what was timed, best first
   * @param seconds a solve takes, the median
   * @param bytes a solve moves at least
   * @param operations of a solve
   * @param exactError of derivatives taken exactly, from the exact solution
   * @param error of differences, from the exact solution
   * @param order what power of the distance of points that error falls with; 0 if not measured
   */
  public record Transforms(
      String grid,
      String scheme,
      String engine,
      List<FourierSettings> candidates,
      double seconds,
      long bytes,
      double operations,
      double exactError,
      double error,
      double order) {}

  /**
   * The results of conjugate gradients.
   *
   * @param format how the matrix was stored
   * @param scheme how halos travelled
   * @param candidates what was timed for halos, best first
   * @param result iterations and residuals
   * @param seconds that solving took
   * @param bytes an iteration moves at least
   * @param operations of an iteration
   * @param haloBytes that all ranks send in an iteration
   * @param error from the exact solution
   * @param difference from what transforms found
   */
  public record Gradients(
      String format,
      String scheme,
      List<Tuned.Candidate> candidates,
      SolveResult result,
      double seconds,
      long bytes,
      double operations,
      long haloBytes,
      double error,
      double difference) {}

  /**
   * The results; the same on all ranks but for the planes, which rank 0 has.
   *
   * @param charges how many charges there were
   * @param transforms what was solved by transforms; empty if that was stopped
   * @param gradients what was solved by iterating; empty if that was stopped before it began
   * @param source the charges in the middle plane, row by row
   * @param potential the solution there; empty if there is none
   * @param deviceBytesPerSecond what the device's memory moves at most; 0 on the host
   * @param cuts where the picture's rows and columns pass from one rank to the next
   */
  @SuppressWarnings("ArrayRecordComponent") // outcomes are never compared
  public record Outcome(
      int charges,
      Optional<Transforms> transforms,
      Optional<Gradients> gradients,
      double[] source,
      double[] potential,
      double deviceBytesPerSecond,
      List<List<Long>> cuts) {
    public boolean complete() {
      return gradients
          .map(part -> part.result.reason() != SolveResult.Reason.CANCELLED)
          .orElse(false);
    }
  }

  /** Solves, with all ranks of a communicator. */
  public Outcome run(Communicator comm, PhaseListener phases) {
    PhaseListener heard = comm.rank() == 0 ? phases : (_, _, _, _) -> {};
    Stop stop = new Stop(cancellation);
    Charges charges = new Charges(seed);
    try (Arena arena = Arena.ofShared();
        Team team = device.isEmpty() ? Team.on(comm) : Team.on(comm, Devices.of(device.get()));
        Spectral spectral = phase("plan transforms", () -> spectral(team, heard))) {
      Grid grid = spectral.plan().inputGrid();
      Field source = Field.of(comm, grid, arena);
      Field exact = Field.of(comm, grid, arena);
      Field byTransforms = Field.of(comm, grid, arena);
      Field byIterating = Field.of(comm, grid, arena);
      charges.sample(grid, comm.rank(), source.memory(), exact.memory());
      source.removeMean();
      exact.removeMean();
      Optional<Transforms> transforms =
          phase(
              "solve by FFT",
              () -> transforms(team, spectral, source, exact, byTransforms, heard, stop));
      Optional<Gradients> gradients =
          transforms.isEmpty() || stop.asked(comm)
              ? Optional.empty()
              : gradients(team, source, exact, byTransforms, byIterating, heard, stop);
      return new Outcome(
          charges.count(),
          transforms,
          gradients,
          source.middle(),
          transforms.isPresent() ? byTransforms.middle() : new double[0],
          device.isEmpty() ? 0 : DeviceTimes.bandwidth(team),
          cuts(grid));
    }
  }

  /** Does a part of the job that a trace shows by its name. */
  private static <T> T phase(String name, Supplier<T> part) {
    try (Phase _ = RunRecord.phase(name)) {
      return part.get();
    }
  }

  private Spectral spectral(Team team, PhaseListener phases) {
    if (!scheme.equals(TUNED)) {
      return Spectral.by(team, n, engine, scheme);
    }
    return team.size() == 1 || device.isPresent()
        ? Spectral.standard(team, n, engine)
        : Spectral.tuned(team, n, engine, effort, phases);
  }

  private Optional<Transforms> transforms(
      Team team,
      Spectral spectral,
      Field source,
      Field exact,
      Field u,
      PhaseListener phases,
      Stop stop) {
    double size = exact.largest();
    spectral.solve(source, Spectral.Symbol.EXACT, u);
    double exactError = u.distance(exact) / size;
    double seconds = spectral.time(source, u, phases, stop);
    if (seconds == 0) {
      return Optional.empty();
    }
    double error = u.distance(exact) / size;
    FourierSettings settings = spectral.plan().settings();
    return Optional.of(
        new Transforms(
            parts(source.grid()),
            settings.schemeText(),
            settings.engine(),
            spectral.candidates(),
            seconds,
            spectral.bytes(),
            spectral.operations(),
            exactError,
            error,
            order(team, error)));
  }

  private static String parts(Grid grid) {
    return IntStream.range(0, 3)
        .mapToObj(axis -> "" + grid.axis(axis).parts())
        .collect(Collectors.joining("x"));
  }

  /** Compares with the error on half as many points. */
  private double order(Team team, double error) {
    int half = n / 2;
    if (half < 16 || half < team.size()) {
      return 0;
    }
    try (Arena arena = Arena.ofShared();
        Spectral coarse = Spectral.standard(team, half, engine)) {
      Grid grid = coarse.plan().inputGrid();
      Field source = Field.of(team.communicator(), grid, arena);
      Field exact = Field.of(team.communicator(), grid, arena);
      Field u = Field.of(team.communicator(), grid, arena);
      new Charges(seed).sample(grid, team.rank(), source.memory(), exact.memory());
      source.removeMean();
      exact.removeMean();
      coarse.solve(source, Spectral.Symbol.DIFFERENCES, u);
      double larger = u.distance(exact) / exact.largest();
      return Math.log(larger / error) / Math.log((double) n / half);
    }
  }

  private Optional<Gradients> gradients(
      Team team,
      Field source,
      Field exact,
      Field byTransforms,
      Field u,
      PhaseListener phases,
      Stop stop) {
    Iterative iterative =
        phase("set up the matrix", () -> Iterative.assemble(team, source.grid(), phases));
    if (stop.asked(team.communicator())) {
      return Optional.empty();
    }
    if (!scheme.equals(TUNED)) {
      iterative.scheme(scheme);
    } else if (team.size() > 1 && device.isEmpty()) {
      iterative.tune(effort, phases);
    }
    SolveResult result =
        phase("solve by CG", () -> iterative.solve(source, u, tolerance, phases, stop));
    u.removeMean();
    double size = exact.largest();
    return Optional.of(
        new Gradients(
            iterative.format(),
            iterative.scheme(),
            iterative.candidates(),
            result,
            source.combined(iterative.seconds(), ReduceOp.MAX),
            iterative.bytesPerIteration(),
            iterative.operationsPerIteration(),
            iterative.haloBytes(),
            u.distance(exact) / size,
            u.distance(byTransforms) / size));
  }

  private static List<List<Long>> cuts(Grid grid) {
    return IntStream.range(0, 2)
        .mapToObj(
            axis ->
                LongStream.range(1, grid.axis(axis).parts())
                    .map(part -> grid.axis(axis).first((int) part))
                    .boxed()
                    .toList())
        .toList();
  }
}
