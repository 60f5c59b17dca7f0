package dev.rialto.cli.demo;

import dev.rialto.array.Array;
import dev.rialto.array.Team;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.fft.Engines;
import dev.rialto.fft.FourierPlan;
import dev.rialto.fft.FourierPlanBuilder;
import dev.rialto.fft.FourierSettings;
import dev.rialto.fft.Modes;
import dev.rialto.runtime.Resource;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.Vectors;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Solves Poisson's equation on a periodic cube by Fourier transforms: in the space of waves the
 * operator is a number for each wave, and solving is dividing by it.
 *
 * <p>With {@link Symbol#DIFFERENCES} that number is the one of the second-order differences, so
 * what is solved is the very system that an iterative solver has; with {@link Symbol#EXACT} it is
 * that of the derivative, and the error is that of the series, next to none for smooth fields.
 */
final class Spectral implements AutoCloseable {
  /** Transforms are timed for about so long. */
  private static final double SECONDS = 1;

  private static final Duration TUNING = Duration.ofSeconds(4);

  /** The divisor of a wave. */
  enum Symbol {
    /** The Laplacian: the square of the wave's number. */
    EXACT,
    /** Differences of neighbouring points. */
    DIFFERENCES
  }

  private final Communicator comm;
  private final int n;
  private final List<FourierSettings> candidates;
  private final FourierPlan plan;
  private final Modes modes;
  private final Team team;
  private final boolean away;

  /** The spectrum's real and imaginary parts, so that dividing it is one pass. */
  private final IndexMap parts;

  private final Array spectrum;
  private final Array factors;
  private final @Nullable Allocation input;
  private final @Nullable Allocation output;
  private @Nullable Symbol divided;

  private Spectral(Team team, int n, List<FourierSettings> candidates, FourierPlanBuilder builder) {
    this.team = team;
    this.comm = team.communicator();
    this.away = isAway(team);
    this.n = n;
    this.candidates = candidates;
    this.plan = builder.build();
    this.modes = new Modes(plan, comm.rank(), 1, 1, 1);
    this.parts = IndexMap.blocks(team, plan.outputBytes() / 8).assemble();
    this.spectrum = parts.space().array(DType.F64);
    this.factors = spectrum.like();
    this.input = away ? room() : null;
    this.output = away ? room() : null;
  }

  private static boolean isAway(Team team) {
    return !team.client().device().isHostAccessible();
  }

  private Allocation room() {
    return device().memory().allocate(Math.max(64, plan.inputBytes()));
  }

  private Device device() {
    return team.client().device().spi();
  }

  private static FourierPlanBuilder builder(Team team, int n, @Nullable String engine) {
    FourierPlanBuilder builder = FourierPlan.real(DType.F64, n, n, n).on(team).transposedOutput();
    if (isAway(team)) {
      return builder.device(team.client().device().spi());
    }
    return engine == null ? builder : builder.engine(Engines.get(engine));
  }

  /** Makes a solver with a plan that is not tuned, where the team's arrays are. Collective. */
  static Spectral standard(Team team, int n, @Nullable String engine) {
    return new Spectral(team, n, List.of(), builder(team, n, engine));
  }

  /** Makes a solver whose moves are carried out by a scheme; see {@link #standard}. */
  static Spectral by(Team team, int n, @Nullable String engine, String scheme) {
    return new Spectral(team, n, List.of(), builder(team, n, engine).scheme(scheme));
  }

  /** Makes a solver with the fastest plan, which takes seconds to find. Collective. */
  static Spectral tuned(
      Team team, int n, @Nullable String engine, Effort effort, PhaseListener phases) {
    FourierPlanBuilder builder = builder(team, n, engine);
    List<FourierSettings> all =
        builder.tune(effort, TUNING, (done, total, _) -> phases.step("tune FFT", done, total, ""));
    return new Spectral(team, n, all, builder.settings(all.getFirst()));
  }

  FourierPlan plan() {
    return plan;
  }

  /** Returns what was tried, best first; nothing if it was not tuned. */
  List<FourierSettings> candidates() {
    return candidates;
  }

  /** Sets u to the solution of mean 0 of -∇²u = f. Collective. */
  void solve(Field f, Symbol symbol, Field u) {
    load(f);
    run(f, symbol, u);
    store(u);
  }

  /** Brings a field to where it is transformed. */
  private void load(Field f) {
    if (input != null) {
      device().transfer().copy(f.memory(), input.segment(), plan.inputBytes());
    }
  }

  private void store(Field u) {
    if (output != null) {
      device().transfer().copy(output.segment(), u.memory(), plan.inputBytes());
    }
  }

  private void run(Field f, Symbol symbol, Field u) {
    prepare(symbol);
    withSpectrum(waves -> plan.forward(input == null ? f.memory() : input.segment(), waves));
    try (Vectors vectors = Vectors.of(parts, spectrum)) {
      vectors.multiplyDot(factors, spectrum, spectrum, PartialSums.NONE, 0);
    }
    withSpectrum(waves -> plan.inverse(waves, output == null ? u.memory() : output.segment()));
  }

  private void withSpectrum(Consumer<MemorySegment> work) {
    if (away) {
      try (Resource lent = team.client().resource(spectrum.buffer(), true)) {
        work.accept(lent.segment());
      }
    } else {
      work.accept(spectrum.local());
    }
  }

  /** Sets the factors of the parts of the spectrum. */
  private void prepare(Symbol symbol) {
    if (symbol == divided) {
      return;
    }
    double[] table = table(symbol);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ones = arena.allocate(Math.max(64, plan.outputBytes()), 64);
      for (long i = 0; i < parts.owned(); i++) {
        ones.setAtIndex(ValueLayout.JAVA_DOUBLE, i, 1);
      }
      modes.multiply(
          ones,
          (waves, factor) -> {
            double sum =
                table[(int) Math.abs(waves[0])]
                    + table[(int) Math.abs(waves[1])]
                    + table[(int) Math.abs(waves[2])];
            factor[0] = sum == 0 ? 0 : 1 / sum;
            factor[1] = 0;
          });
      factors.copyFrom(ones);
    }
    divided = symbol;
  }

  /** Returns what each number of waves along one axis is divided by. */
  private double[] table(Symbol symbol) {
    double[] table = new double[n / 2 + 1];
    for (int k = 0; k < table.length; k++) {
      double wave = 2 * Math.PI * k;
      table[k] =
          switch (symbol) {
            case EXACT -> wave * wave;
            case DIFFERENCES -> (2 - 2 * Math.cos(wave / n)) * n * n;
          };
    }
    return table;
  }

  /**
   * Solves again and again, and returns the median time of the slowest rank. Collective.
   *
   * @return 0 if it was stopped before the first
   */
  double time(Field f, Field u, PhaseListener phases, Stop stop) {
    double[] seconds = new double[20];
    int count = 0;
    int wanted = seconds.length;
    load(f);
    prepare(Symbol.DIFFERENCES);
    while (count < wanted && !stop.asked(comm)) {
      comm.barrier();
      long start = System.nanoTime();
      run(f, Symbol.DIFFERENCES, u);
      seconds[count] = f.combined((System.nanoTime() - start) * 1e-9, ReduceOp.MAX);
      // The first one has loops that are not compiled yet, so it says little about the others.
      wanted = (int) Math.clamp(SECONDS / seconds[count++], 5, seconds.length);
      phases.step("solve by FFT", count, wanted, "");
    }
    store(u);
    return count == 0 ? 0 : Arrays.stream(seconds, 0, count).sorted().toArray()[count / 2];
  }

  /**
   * Returns the bytes that a solve moves at least: each direction passes twice over the points,
   * once for the axes that a rank has whole and once for the one that is divided, and dividing
   * passes once. A pass reads and writes 8 bytes for each point, as half a spectrum takes as much.
   */
  long bytes() {
    return 5 * 16L * n * n * n;
  }

  /** Returns the operations of a solve, counted as is usual: 2.5 n log n for a real transform. */
  double operations() {
    double points = (double) n * n * n;
    return 2 * 2.5 * points * Math.log(points) / Math.log(2) + points;
  }

  @Override
  public void close() {
    plan.close();
    factors.close();
    spectrum.close();
    if (input != null && output != null) {
      input.close();
      output.close();
    }
  }
}
