package dev.rialto.fft;

import dev.rialto.array.Array;
import dev.rialto.array.Team;
import dev.rialto.exchange.DirectReads;
import dev.rialto.exchange.ExchangeOptions;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.tune.Benchmark;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.fft.stage.Choices;
import dev.rialto.fft.stage.DevicePlace;
import dev.rialto.fft.stage.Itinerary;
import dev.rialto.fft.stage.Stages;
import dev.rialto.fft.stage.Step;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The choices of a {@link FourierPlan}. What is not chosen: all axes, one rank, slabs or else
 * pencils, the output distributed as the input, the embedded engine on the calling thread, and the
 * inverse normalised.
 */
public final class FourierPlanBuilder {

  private final Choices.Family family;
  private final DType precision;
  private final Shape shape;
  private final Kind[] kinds;
  private TreeSet<Integer> axes;
  private @Nullable Communicator comm;
  private @Nullable Distribution input;
  private @Nullable Distribution output;
  private boolean transposed;
  private @Nullable FftEngine engine;
  private @Nullable Device device;

  /** That of the arrays that it was begun with, whose exchanger moves what is on the host. */
  private @Nullable Team team;

  /** The client of the arrays that it was begun with. */
  private @Nullable ComputeClient client;

  private @Nullable Executor executor;
  private @Nullable String scheme;
  private @Nullable Effort effort;
  private @Nullable FourierSettings settings;
  private Normalization normalization = Normalization.INVERSE;

  FourierPlanBuilder(Choices.Family family, DType precision, Shape shape) {
    this.family = family;
    this.precision = precision;
    this.shape = shape;
    this.kinds = new Kind[shape.rank()];
    Arrays.fill(kinds, Kind.FORWARD);
    this.axes = new TreeSet<>();
    for (int axis = 0; axis < shape.rank(); axis++) {
      axes.add(axis);
    }
  }

  /**
   * Transforms these axes only; the others are a batch. Without any, the plan only moves the array
   * from the input grid to the output grid.
   *
   * @throws IllegalArgumentException if an axis does not exist or comes twice
   */
  public FourierPlanBuilder axes(int... chosen) {
    TreeSet<Integer> all = new TreeSet<>();
    for (int axis : chosen) {
      if (axis < 0 || axis >= shape.rank() || !all.add(axis)) {
        throw new IllegalArgumentException(
            "axes %s of shape %s; give each at most once, from 0 to %d"
                .formatted(Arrays.toString(chosen), shape, shape.rank() - 1));
      }
    }
    axes = all;
    return this;
  }

  /** Chooses the kind of real transform for all axes. */
  FourierPlanBuilder kind(Kind kind) {
    for (int axis = 0; axis < kinds.length; axis++) {
      kind(axis, kind);
    }
    return this;
  }

  /**
   * Chooses the kind of real transform along one axis.
   *
   * @throws IllegalArgumentException if the kind, or the plan, is complex
   */
  public FourierPlanBuilder kind(int axis, Kind kind) {
    if (family != Choices.Family.REAL || kind.complexInput() || kind.complexOutput()) {
      throw new IllegalArgumentException(
          kind + " along axis " + axis + "; kinds are chosen for real transforms of real arrays");
    }
    kinds[axis] = kind;
    return this;
  }

  /** Distributes the array over the ranks of a communicator. Building is collective then. */
  public FourierPlanBuilder on(Communicator communicator) {
    comm = communicator;
    team = null;
    return this;
  }

  /** Distributes the array over the ranks of a team, whose exchanger moves it. */
  public FourierPlanBuilder on(Team ranks) {
    comm = ranks.communicator();
    team = ranks;
    return this;
  }

  /** Takes ranks, the input's distribution and where it is from an array. */
  FourierPlanBuilder like(Array array) {
    if (array.isOnDevice()) {
      client = array.space().client();
      device(client.device().spi());
    }
    on(array.team());
    return input(array.distribution());
  }

  /**
   * Says how the input is distributed: slabs, pencils, bricks, dealt in cycles, in any order of
   * memory, or by lists of owners. What is in no grid is moved to the usual one first; that takes
   * an index for each element.
   */
  public FourierPlanBuilder input(Distribution given) {
    input = given;
    return this;
  }

  /** Says how the output is to be distributed; see {@link #input}. */
  public FourierPlanBuilder output(Distribution given) {
    output = given;
    return this;
  }

  /** Leaves the output as it is distributed after the last axis: a move less in each direction. */
  public FourierPlanBuilder transposedOutput() {
    transposed = true;
    return this;
  }

  /** Chooses an engine. */
  public FourierPlanBuilder engine(FftEngine chosen) {
    engine = chosen;
    return this;
  }

  /**
   * Transforms arrays in a device's memory, by its own engine or, if it has none, by kernels. In
   * and out are segments of that memory; an executor is not needed.
   */
  public FourierPlanBuilder device(Device chosen) {
    engine = DevicePlace.engine(chosen);
    device = chosen;
    return this;
  }

  /** Shares each rank's lines among the threads of an executor, which stays the caller's. */
  public FourierPlanBuilder executor(Executor chosen) {
    executor = chosen;
    return this;
  }

  /**
   * Chooses how moves are carried out, such as {@code shared} or {@code all-to-all}. Otherwise
   * ranks that share memory pull what they transform from one another, and others send messages.
   */
  public FourierPlanBuilder scheme(String text) {
    scheme = text;
    return this;
  }

  /**
   * Has {@link #build} time process grids and schemes, as long as the effort allows, and take the
   * fastest.
   */
  public FourierPlanBuilder tuned(Effort chosen) {
    effort = chosen;
    return this;
  }

  /** Uses settings of another plan, such as tuned ones that were saved to a file. */
  public FourierPlanBuilder settings(FourierSettings chosen) {
    settings = chosen;
    return this;
  }

  /** Chooses which direction is normalised. */
  public FourierPlanBuilder normalization(Normalization chosen) {
    normalization = chosen;
    return this;
  }

  /**
   * Makes the plan, owned by the caller. Collective, and may take long.
   *
   * @throws IllegalArgumentException if a grid is of another shape or number of ranks
   */
  public FourierPlan build() {
    if (effort != null && comm != null && settings == null) {
      return settings(tune(effort, Duration.ofMinutes(1)).getFirst()).build();
    }
    return build(settings == null ? standard() : settings);
  }

  /**
   * Times ways to carry the plan out on its communicator, or orders them by a model if the effort
   * is {@link Effort#ESTIMATE}. Collective.
   *
   * @param limit the most time for each round of candidates
   * @return the settings that were tried, best first
   * @throws IllegalStateException if there is no communicator
   */
  public List<FourierSettings> tune(Effort given, Duration limit) {
    return tune(given, limit, (_, _, _) -> {});
  }

  /**
   * Times ways as {@link #tune(Effort, Duration)} does.
   *
   * @param progress hears, on each rank, how far each round of candidates is
   */
  public List<FourierSettings> tune(Effort given, Duration limit, Benchmark.Progress progress) {
    if (comm == null) {
      throw new IllegalStateException("there is nothing to tune on one rank; give ranks with on");
    }
    return new FourierTuning(this, comm, given, limit, progress).run();
  }

  /** Returns what is chosen, the rest as it is without tuning. */
  FourierSettings standard() {
    return new FourierSettings(
        List.of(),
        true,
        scheme == null && device == null,
        scheme == null ? "" : scheme,
        engineName(),
        0);
  }

  private String engineName() {
    return engine == null ? Engines.EMBEDDED : engine.name();
  }

  /** Returns whether the engine is left to the settings. */
  boolean choosesEngine() {
    return engine == null;
  }

  /** Returns whose memory arrays are in; null for the host's. */
  @Nullable Device device() {
    return device;
  }

  Shape shape() {
    return shape;
  }

  boolean hasInput() {
    return input != null;
  }

  Choices choices(FourierSettings chosen) {
    return new Choices(
        family,
        precision,
        shape,
        List.of(kinds),
        new TreeSet<>(axes),
        input,
        output,
        transposed,
        normalization,
        input == null ? chosen.grid() : List.of(),
        chosen.slabs(),
        device != null);
  }

  FourierPlan build(FourierSettings chosen) {
    if (shape.rank() == 0) {
      throw new IllegalArgumentException(
          "a transform of an array without axes; give at least one extent");
    }
    if (family == Choices.Family.HALF && !axes.isEmpty() && shape.extent(axes.last()) == 0) {
      throw new IllegalArgumentException(
          "a real transform of %s along axis %d, which has no points; give at least 1"
              .formatted(shape, axes.last()));
    }
    int rank = comm == null ? 0 : comm.rank();
    int ranks = comm == null ? 1 : comm.size();
    Itinerary itinerary = new Itinerary(choices(chosen), ranks);
    FftEngine lines = engine == null ? Engines.get(chosen.engine()) : engine;
    boolean moves = itinerary.forward().stream().anyMatch(Step.Move.class::isInstance);
    DevicePlace place = device == null ? null : new DevicePlace(device, client);
    boolean owns = team == null || place != null;
    Exchanger exchanger = comm == null || !moves ? null : exchanger(comm, place);
    DirectReads reads =
        exchanger == null || !chosen.fusion() || place != null
            ? null
            : exchanger.directReads().orElse(null);
    String by = chosen.scheme().isEmpty() ? null : chosen.scheme();
    Stages stages = new Stages(rank, lines, executor, exchanger, reads, by, place);
    try {
      return new FourierPlan(itinerary, stages, rank, exchanger, owns, chosen, place);
    } catch (RuntimeException | Error e) {
      stages.close();
      if (exchanger == null) {
        closePlace(place);
      } else if (owns) {
        // Other ranks may be making the plan still: what is shared with them goes with the world.
        exchanger.fail(e);
      }
      throw e;
    }
  }

  /** Returns the team's; that of a device's plan is in the order of its stream. */
  private Exchanger exchanger(Communicator ranks, @Nullable DevicePlace place) {
    if (team == null) {
      return place == null
          ? Exchanger.on(ranks)
          : Exchanger.on(ranks, ExchangeOptions.on(place.kernels()));
    }
    return place == null ? team.exchanger() : team.exchanger().with(place.kernels());
  }

  private static void closePlace(@Nullable DevicePlace place) {
    if (place != null) {
      place.close();
    }
  }
}
