package dev.rialto.fft.stage;

import dev.rialto.exchange.DirectReads;
import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.fft.FftBox;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides how steps are carried out: which together, and by which engine and scheme. */
public final class Stages {
  private static final double OPERATIONS_PER_SECOND = 4e9;
  private static final double BYTES_PER_SECOND = 5e9;

  private final int rank;
  private final FftEngine engine;
  private final @Nullable Executor executor;
  private final @Nullable Exchanger exchanger;
  private final @Nullable DirectReads reads;
  private final @Nullable String scheme;
  private final @Nullable DevicePlace place;
  private final List<Stage> made = new ArrayList<>();

  /**
   * Makes it.
   *
   * @param reads read the memory of other ranks; none if moves are to be exchanges
   * @param place the device whose memory arrays are in; null on the host
   */
  public Stages(
      int rank,
      FftEngine engine,
      @Nullable Executor executor,
      @Nullable Exchanger exchanger,
      @Nullable DirectReads reads,
      @Nullable String scheme,
      @Nullable DevicePlace place) {
    this.rank = rank;
    this.engine = engine;
    this.executor = executor;
    this.exchanger = exchanger;
    this.reads = reads;
    this.scheme = scheme;
    this.place = place;
  }

  public List<Stage> of(List<Step> steps) {
    return place == null ? onHost(steps) : onDevice(steps, place);
  }

  /** A device does as many axes as its engine can in one stage, and reads memory by exchanges. */
  private List<Stage> onDevice(List<Step> steps, DevicePlace there) {
    List<Stage> stages = new ArrayList<>();
    for (int next = 0; next < steps.size(); ) {
      Stage stage;
      int taken = 1;
      switch (steps.get(next)) {
        case Step.Move move -> stage = exchange(move);
        case Step.Lines lines -> {
          stage = box(steps, next, 3, there);
          if (stage == null) {
            stage = box(steps, next, 2, there);
          }
          taken = stage instanceof Stage.Box box ? box.box().extents().size() : 1;
          stage = stage == null ? lines(lines) : stage;
        }
        case Step.Twiddle _, Step.Mirror _, Step.Phases _, Step.Chirp _ ->
            throw new UnsupportedOperationException(
                "one axis of an array of one axis, distributed over the ranks of a device; "
                    + "transform it on one rank, or on the host");
      }
      made.add(stage);
      stages.add(stage);
      next += taken;
    }
    return stages;
  }

  private @Nullable Stage box(List<Step> steps, int first, int count, DevicePlace there) {
    List<Step.Lines> lines = new ArrayList<>();
    for (int i = first; i < Math.min(steps.size(), first + count); i++) {
      if (steps.get(i) instanceof Step.Lines each) {
        lines.add(each);
      }
    }
    if (lines.size() < count) {
      return null;
    }
    Optional<FftBox> box = Boxes.of(lines, rank);
    return box.flatMap(
            b -> engine.plan(b).map(work -> new Stage.Box(work, b, engine.name(), there.stream())))
        .orElse(null);
  }

  private List<Stage> onHost(List<Step> steps) {
    List<Stage> stages = new ArrayList<>();
    for (int next = 0; next < steps.size(); ) {
      Step step = steps.get(next);
      boolean moves = step instanceof Step.Move;
      List<Step.Lines> chain = chain(steps, next + (moves ? 1 : 0), moves);
      Stage stage;
      if (step instanceof Step.Move move) {
        // A line that was cut in two is another matrix before the move than behind it.
        boolean fits = !chain.isEmpty() && chain.getFirst().from().equals(move.to());
        boolean pulls = reads != null && fits && isBlocks(move.from()) && isBlocks(move.to());
        stage = pulls ? new Tiles(chain, move, reads, rank, engine, executor) : alone(step);
        next += pulls ? 1 + chain.size() : 1;
      } else {
        boolean tiled = chain.size() > 1 || (chain.size() == 1 && isAcross(chain));
        stage = tiled ? new Tiles(chain, null, null, rank, engine, executor) : alone(step);
        next += tiled ? chain.size() : 1;
      }
      made.add(stage);
      stages.add(stage);
    }
    return stages;
  }

  private Stage alone(Step step) {
    return switch (step) {
      case Step.Twiddle twiddle -> new Twiddle(twiddle, rank);
      case Step.Mirror mirror -> new Mirror(mirror, rank);
      case Step.Phases phases -> new Phases(phases, rank);
      case Step.Chirp chirp -> new Chirp(chirp, rank, engine);
      case Step.Lines lines -> lines(lines);
      case Step.Move move -> exchange(move);
    };
  }

  /**
   * Guesses how long the steps of one direction take: operations at the speed of one core each, and
   * passes over memory at its speed.
   */
  public double seconds(List<Step> steps) {
    double seconds = 0;
    int threads = executor == null ? 1 : executor.parallelism();
    for (Step step : steps) {
      switch (step) {
        case Step.Lines lines -> {
          double points = lines.from().localCount(rank);
          double perPoint = 2.5 * Math.log((double) Math.max(2, lines.length())) / Math.log(2);
          boolean complex = lines.kind().complexInput() && lines.kind().complexOutput();
          seconds += points * perPoint * (complex ? 2 : 1) / (OPERATIONS_PER_SECOND * threads);
          seconds += lines.fromType().bytes((long) points) / BYTES_PER_SECOND;
        }
        case Step.Move move -> seconds += pass(move.type(), move.from());
        case Step.Twiddle twiddle -> seconds += pass(twiddle.type(), twiddle.grid());
        case Step.Mirror mirror -> seconds += pass(mirror.type(), mirror.spectrum().matrix());
        case Step.Phases phases -> seconds += pass(phases.toType(), phases.longer());
        case Step.Chirp chirp -> seconds += pass(chirp.type(), chirp.grid());
      }
    }
    return seconds;
  }

  private double pass(DType type, Distribution array) {
    return 2.0 * type.bytes(array.localCount(rank)) / BYTES_PER_SECOND;
  }

  /** Returns what reads the memory of other ranks, if anything does. */
  public @Nullable DirectReads reads() {
    return reads;
  }

  public void close() {
    made.forEach(Stage::close);
  }

  private static boolean isBlocks(Distribution array) {
    if (!(array instanceof Grid grid)) {
      return false;
    }
    for (int axis = 0; axis < grid.shape().rank(); axis++) {
      if (!grid.axis(axis).isBlock()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the lines from a step on that fit one tile. Only the first may read another type than
   * it writes if it reads the array, and only the last if it writes the array.
   */
  private List<Step.Lines> chain(List<Step> steps, int first, boolean pulled) {
    List<Step.Lines> chain = new ArrayList<>();
    for (int i = first; i < steps.size() && steps.get(i) instanceof Step.Lines lines; i++) {
      boolean afterChange =
          !chain.isEmpty() && chain.getLast().changesType() && (pulled || chain.size() > 1);
      List<Step.Lines> longer = new ArrayList<>(chain);
      longer.add(lines);
      if (afterChange || !Tiling.fits(longer) || (!chain.isEmpty() && !isShared(longer))) {
        break;
      }
      chain = longer;
    }
    return chain;
  }

  /** Returns whether there is a tile for every thread. */
  private boolean isShared(List<Step.Lines> chain) {
    return executor == null || new Tiling(chain, rank).count() >= executor.parallelism();
  }

  /** Lines whose points are apart in memory are copied to where they are less so. */
  private boolean isAcross(List<Step.Lines> chain) {
    return Tiles.isAcross(chain.getFirst(), rank) && isShared(chain);
  }

  private Stage lines(Step.Lines step) {
    if (step.length() == 0) {
      return new Stage.Nothing(step.axis());
    }
    FftSpec spec =
        Layouts.lines(
                step.kind(),
                step.precision(),
                step.length(),
                step.from(),
                step.to(),
                step.axis(),
                rank)
            .withScale(step.scale());
    FftPlan plan = executor == null ? engine.plan(spec) : engine.plan(spec, executor);
    return new Stage.Lines(plan, step.axis(), engine.name(), place == null ? null : place.stream());
  }

  private Stage exchange(Step.Move move) {
    if (exchanger == null) {
      throw new IllegalArgumentException(
          "moving %s to %s needs a communicator; give one with on"
              .formatted(move.from(), move.to()));
    }
    Exchange exchange = exchanger.exchange(move.plan(rank), move.type());
    return new Stage.Move(scheme == null ? exchange : exchange.scheme(scheme));
  }
}
