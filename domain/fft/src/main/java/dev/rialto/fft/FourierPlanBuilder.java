package dev.rialto.fft;

import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Reshape;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.util.ArrayList;
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
  /** From which numbers to which. */
  enum Family {
    COMPLEX,
    HALF,
    REAL
  }

  private final Family family;
  private final DType precision;
  private final Shape shape;
  private final Kind[] kinds;
  private TreeSet<Integer> axes;
  private @Nullable Communicator comm;
  private @Nullable Grid input;
  private @Nullable Grid output;
  private boolean transposed;
  private @Nullable FftEngine engine;
  private @Nullable Executor executor;
  private @Nullable String scheme;
  private Normalization normalization = Normalization.INVERSE;

  FourierPlanBuilder(Family family, DType precision, Shape shape) {
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
    if (family != Family.REAL || kind.complexInput() || kind.complexOutput()) {
      throw new IllegalArgumentException(
          kind + " along axis " + axis + "; kinds are chosen for real transforms of real arrays");
    }
    kinds[axis] = kind;
    return this;
  }

  /** Distributes the array over the ranks of a communicator. Building is collective then. */
  public FourierPlanBuilder on(Communicator communicator) {
    comm = communicator;
    return this;
  }

  /** Says how the input is distributed: slabs, pencils, bricks, in any order of memory. */
  public FourierPlanBuilder input(Grid grid) {
    input = grid;
    return this;
  }

  /** Says how the output is to be distributed. */
  public FourierPlanBuilder output(Grid grid) {
    output = grid;
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

  /** Shares each rank's lines among the threads of an executor, which stays the caller's. */
  public FourierPlanBuilder executor(Executor chosen) {
    executor = chosen;
    return this;
  }

  /** Chooses how moves are carried out, such as {@code shared} or {@code all-to-all}. */
  public FourierPlanBuilder scheme(String text) {
    scheme = text;
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
    return new Assembly().make();
  }

  private DType type(boolean complex) {
    return precision == DType.F64
        ? complex ? DType.C128 : DType.F64
        : complex ? DType.C64 : DType.F32;
  }

  /** The plan in the making: where the array is, and the stages that brought it there. */
  private final class Assembly {
    private final int rank = comm == null ? 0 : comm.rank();
    private final int ranks = comm == null ? 1 : comm.size();
    private final FftEngine lines = engine == null ? Engines.get(Engines.EMBEDDED) : engine;
    private final List<Stage> forward = new ArrayList<>();
    private final List<Stage> inverse = new ArrayList<>();
    private @Nullable Exchanger exchanger;
    private Grid grid;
    private DType type = type(family == Family.COMPLEX);

    Assembly() {
      grid = input == null ? Layouts.standard(shape, ranks) : input;
      check(grid, shape, "input");
    }

    private void check(Grid given, Shape wanted, String role) {
      if (!given.shape().equals(wanted) || given.ranks() != ranks) {
        throw new IllegalArgumentException(
            "the %s grid is %s on %d ranks; the array is %s on %d"
                .formatted(role, given, given.ranks(), wanted, ranks));
      }
    }

    FourierPlan make() {
      try {
        Grid first = grid;
        DType firstType = type;
        TreeSet<Integer> remaining = new TreeSet<>(axes);
        boolean half = family == Family.HALF && !remaining.isEmpty();
        int halved = half ? remaining.last() : -1;
        while (!remaining.isEmpty()) {
          // The last axis first: neighbours in memory, and the one that halves a real array.
          int wanted = remaining.last();
          if (!half || !remaining.contains(halved)) {
            for (int axis : remaining.descendingSet()) {
              if (Layouts.isLocal(grid, axis)) {
                wanted = axis;
                break;
              }
            }
          }
          if (!Layouts.isLocal(grid, wanted)) {
            move(Layouts.withLocal(grid, wanted, remaining));
          }
          transform(wanted, wanted == halved);
          remaining.remove(wanted);
        }
        finish(first, halved);
        return new FourierPlan(
            first, grid, firstType, type, rank, forward, inverse.reversed(), exchanger);
      } catch (RuntimeException | Error e) {
        forward.forEach(Stage::close);
        inverse.forEach(Stage::close);
        if (exchanger != null) {
          exchanger.close();
        }
        throw e;
      }
    }

    private void finish(Grid first, int halved) {
      Grid last = output;
      if (last == null) {
        last =
            transposed
                ? grid
                : halved < 0
                    ? first
                    : Layouts.withExtent(first, halved, grid.shape().extent(halved));
      }
      check(last, grid.shape(), "output");
      if (!same(grid, last) || forward.isEmpty()) {
        move(last);
      }
    }

    private boolean same(Grid a, Grid b) {
      for (int r = 0; r < ranks; r++) {
        if (!Arrays.equals(a.elements(r), b.elements(r))) {
          return false;
        }
      }
      return Arrays.equals(a.order(), b.order());
    }

    private void move(Grid to) {
      if (comm == null) {
        throw new IllegalArgumentException(
            "moving %s to %s needs a communicator; give one with on".formatted(grid, to));
      }
      if (exchanger == null) {
        exchanger = Exchanger.on(comm);
      }
      forward.add(new Stage.Move(exchange(exchanger, grid, to)));
      inverse.add(new Stage.Move(exchange(exchanger, to, grid)));
      grid = to;
    }

    private Exchange exchange(Exchanger by, Grid from, Grid to) {
      Exchange exchange = by.exchange(Reshape.plan(from, to, rank), type);
      return scheme == null ? exchange : exchange.scheme(scheme);
    }

    private void transform(int axis, boolean halves) {
      long n = grid.shape().extent(axis);
      Kind kind =
          halves ? Kind.REAL_TO_COMPLEX : family == Family.REAL ? kinds[axis] : Kind.FORWARD;
      Grid after = halves ? Layouts.withExtent(grid, axis, n / 2 + 1) : grid;
      double points = points(kind, n);
      forward.add(stage(kind, n, grid, after, axis, normalization.scale(false, points)));
      inverse.add(stage(inverse(kind), n, after, grid, axis, normalization.scale(true, points)));
      grid = after;
      type = type(halves || type == type(true));
    }

    private Stage stage(Kind kind, long n, Grid from, Grid to, int axis, double scale) {
      FftSpec spec = Layouts.lines(kind, precision, n, from, to, axis, rank).withScale(scale);
      FftPlan plan = executor == null ? lines.plan(spec) : lines.plan(spec, executor);
      return new Stage.Lines(plan, axis, lines.name());
    }
  }

  private static Kind inverse(Kind kind) {
    return switch (kind) {
      case FORWARD -> Kind.INVERSE;
      case INVERSE -> Kind.FORWARD;
      case REAL_TO_COMPLEX -> Kind.COMPLEX_TO_REAL;
      case COMPLEX_TO_REAL -> Kind.REAL_TO_COMPLEX;
      case DCT2 -> Kind.DCT3;
      case DCT3 -> Kind.DCT2;
      case DST2 -> Kind.DST3;
      case DST3 -> Kind.DST2;
      case DCT1, DCT4, DST1, DST4, HARTLEY -> kind;
    };
  }

  /** Returns what a kind and its inverse together multiply by. */
  private static double points(Kind kind, long n) {
    return switch (kind) {
      case FORWARD, INVERSE, REAL_TO_COMPLEX, COMPLEX_TO_REAL, HARTLEY -> n;
      case DCT1 -> 2.0 * (n - 1);
      case DST1 -> 2.0 * (n + 1);
      case DCT2, DCT3, DCT4, DST2, DST3, DST4 -> 2.0 * n;
    };
  }
}
