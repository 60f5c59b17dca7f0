package dev.rialto.fft;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

/**
 * Where an array goes in the course of a transform and what happens to it there, in both
 * directions.
 *
 * <p>Axes are transformed where they are local; before that the array is moved. A single axis that
 * is distributed is cut in two: as a matrix of n1 rows and n2 columns its columns are transformed,
 * multiplied by twiddle factors, then its rows, and the results lie in the matrix transposed. A
 * prime number of points, or real ones, are transformed on one rank instead.
 */
final class Itinerary {
  private final FourierPlanBuilder.Choices choices;
  private final int ranks;
  private final List<Step> forward = new ArrayList<>();
  private final List<Step> inverse = new ArrayList<>();
  private final Grid input;
  private final DType inputType;
  private Grid grid;
  private DType type;

  Itinerary(FourierPlanBuilder.Choices choices, int ranks) {
    this.choices = choices;
    this.ranks = ranks;
    this.type = choices.type(choices.family() == FourierPlanBuilder.Family.COMPLEX);
    this.inputType = type;
    Shape shape = choices.shape();
    long rows = isCut() ? rows(shape.extent(0), ranks) : 1;
    this.grid =
        choices.input() != null
            ? choices.input()
            : rows > 1
                ? wholeRows(shape.extent(0) / rows, rows)
                : Layouts.standard(shape, ranks, choices.parts());
    this.input = grid;
    check(grid, shape, "input");
    int halved = -1;
    if (rows > 1) {
      cut(rows);
    } else {
      halved = axes();
    }
    finish(halved, rows > 1);
    Collections.reverse(inverse);
    scaleOnce(forward);
    scaleOnce(inverse);
  }

  /** Leaves it to the last axis to scale: some engines make a pass of their own for it. */
  private static void scaleOnce(List<Step> steps) {
    double scale = 1;
    int last = -1;
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i) instanceof Step.Lines lines) {
        scale *= lines.scale();
        steps.set(i, lines.scaled(1));
        last = i;
      }
    }
    if (last >= 0) {
      steps.set(last, ((Step.Lines) steps.get(last)).scaled(scale));
    }
  }

  Grid input() {
    return input;
  }

  Grid output() {
    return grid;
  }

  DType inputType() {
    return inputType;
  }

  DType outputType() {
    return type;
  }

  List<Step> forward() {
    return forward;
  }

  List<Step> inverse() {
    return inverse;
  }

  private void check(Grid given, Shape wanted, String role) {
    if (!given.shape().equals(wanted) || given.ranks() != ranks) {
      throw new IllegalArgumentException(
          "the %s grid is %s on %d ranks; the array is %s on %d"
              .formatted(role, given, given.ranks(), wanted, ranks));
    }
  }

  /** Transforms axis by axis; returns the one that real input halves, or -1. */
  private int axes() {
    TreeSet<Integer> remaining = new TreeSet<>(choices.axes());
    boolean half = choices.family() == FourierPlanBuilder.Family.HALF && !remaining.isEmpty();
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
        move(Layouts.withLocal(grid, wanted, remaining, choices.slabs()));
      }
      transform(wanted, wanted == halved);
      remaining.remove(wanted);
    }
    return halved;
  }

  private void transform(int axis, boolean halves) {
    long n = grid.shape().extent(axis);
    Kind kind =
        halves
            ? Kind.REAL_TO_COMPLEX
            : choices.family() == FourierPlanBuilder.Family.REAL
                ? choices.kinds().get(axis)
                : Kind.FORWARD;
    Grid after = halves ? Layouts.withExtent(grid, axis, n / 2 + 1) : grid;
    lines(kind, n, after, axis);
    type = choices.type(halves || type == choices.type(true));
  }

  private void lines(Kind kind, long n, Grid after, int axis) {
    double points = points(kind, n);
    DType precision = choices.precision();
    Normalization norm = choices.normalization();
    forward.add(new Step.Lines(kind, precision, n, grid, after, axis, norm.scale(false, points)));
    inverse.add(
        new Step.Lines(inverse(kind), precision, n, after, grid, axis, norm.scale(true, points)));
    grid = after;
  }

  private void move(Grid to) {
    forward.add(new Step.Move(grid, to, type));
    inverse.add(new Step.Move(to, grid, type));
    grid = to;
  }

  private void finish(int halved, boolean cut) {
    Grid last = choices.output();
    if (last == null) {
      boolean stays = choices.transposed() || (cut && choices.input() == null);
      last =
          stays
              ? grid
              : halved < 0 ? input : Layouts.withExtent(input, halved, grid.shape().extent(halved));
    }
    check(last, grid.shape(), "output");
    if (!same(grid, last) || forward.isEmpty()) {
      move(last);
    }
  }

  private boolean same(Grid a, Grid b) {
    if (!Arrays.equals(a.order(), b.order())) {
      return false;
    }
    for (int r = 0; r < ranks; r++) {
      if (!Arrays.equals(a.elements(r), b.elements(r))) {
        return false;
      }
    }
    return true;
  }

  // --- One distributed axis ---------------------------------------------------------------------

  private boolean isCut() {
    return choices.shape().rank() == 1
        && ranks > 1
        && choices.family() == FourierPlanBuilder.Family.COMPLEX
        && !choices.axes().isEmpty();
  }

  /** Returns into how many rows a line is cut; 1 if it is prime. */
  private static long rows(long n, int ranks) {
    long best = 1;
    boolean bestEven = false;
    for (long rows = 2; rows * rows <= n; rows++) {
      if (n % rows == 0) {
        boolean even = rows % ranks == 0 && n / rows % ranks == 0;
        if (even || !bestEven) {
          best = rows;
          bestEven = even;
        }
      }
    }
    return best;
  }

  /** Returns a line in blocks that are whole rows of so many points. */
  private Grid wholeRows(long columns, long rows) {
    return Grid.of(Partition.blocks(lengths(columns, rows)));
  }

  private long[] lengths(long columns, long rows) {
    Partition dealt = Partition.block(rows, ranks);
    long[] lengths = new long[ranks];
    Arrays.setAll(lengths, part -> dealt.count(part) * columns);
    return lengths;
  }

  private void cut(long rows) {
    long n = choices.shape().extent(0);
    long columns = n / rows;
    Shape matrix = Shape.of(rows, columns);
    Grid whole = wholeRows(columns, rows);
    if (!same(grid, whole)) {
      move(whole);
    }
    grid = Grid.block(matrix, ranks, 1);
    move(Grid.block(matrix, 1, ranks));
    lines(Kind.FORWARD, rows, grid, 0);
    forward.add(new Step.Twiddle(grid, type, false));
    inverse.add(new Step.Twiddle(grid, type, true));
    move(Grid.block(matrix, ranks, 1));
    lines(Kind.FORWARD, columns, grid, 1);
    // Result row + rows · column: the transposed matrix, row by row.
    Shape transposed = Shape.of(columns, rows);
    grid = Grid.block(transposed, 1, ranks).withOrder(1, 0);
    move(Grid.block(transposed, ranks, 1));
    grid = wholeRows(rows, columns);
  }

  // --- Kinds ------------------------------------------------------------------------------------

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
