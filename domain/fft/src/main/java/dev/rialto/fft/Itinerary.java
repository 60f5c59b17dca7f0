package dev.rialto.fft;

import dev.rialto.exchange.plan.Distribution;
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
 * multiplied by twiddle factors, then its rows, and the results lie in the matrix transposed. Of a
 * real line only the first half of the rows is transformed, and the others mirror them. A prime
 * number of points is transformed on one rank instead: as a convolution it would be three
 * transforms of twice the length, and ten moves. So are cosine, sine and Hartley transforms.
 */
final class Itinerary {
  private final FourierPlanBuilder.Choices choices;
  private final int ranks;
  private final List<Step> forward = new ArrayList<>();
  private final List<Step> inverse = new ArrayList<>();
  private final Distribution input;
  private final Grid natural;
  private final DType inputType;
  private Distribution here;
  private DType type;

  Itinerary(FourierPlanBuilder.Choices choices, int ranks) {
    this.choices = choices;
    this.ranks = ranks;
    this.type = choices.type(choices.family() == FourierPlanBuilder.Family.COMPLEX);
    this.inputType = type;
    Shape shape = choices.shape();
    long rows = isCut() ? rows(shape.extent(0), ranks) : 1;
    this.natural =
        choices.input() instanceof Grid given
            ? given
            : rows > 1
                ? wholeRows(shape.extent(0) / rows, rows)
                : Layouts.standard(shape, ranks, choices.parts());
    this.input = choices.input() == null ? natural : choices.input();
    this.here = input;
    check(input, shape, "input");
    int halved = -1;
    if (rows > 1) {
      halved = cut(rows);
    } else if (!choices.axes().isEmpty()) {
      if (here != natural) {
        move(natural);
      }
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

  Distribution input() {
    return input;
  }

  Distribution output() {
    return here;
  }

  /** Returns where the array is while it is transformed. */
  private Grid grid() {
    return (Grid) here;
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

  private void check(Distribution given, Shape wanted, String role) {
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
          if (Layouts.isLocal(grid(), axis)) {
            wanted = axis;
            break;
          }
        }
      }
      if (!Layouts.isLocal(grid(), wanted)) {
        move(Layouts.withLocal(grid(), wanted, remaining, choices.slabs()));
      }
      transform(wanted, wanted == halved);
      remaining.remove(wanted);
    }
    return halved;
  }

  private void transform(int axis, boolean halves) {
    long n = here.shape().extent(axis);
    Kind kind =
        halves
            ? Kind.REAL_TO_COMPLEX
            : choices.family() == FourierPlanBuilder.Family.REAL
                ? choices.kinds().get(axis)
                : Kind.FORWARD;
    Grid after = halves ? Layouts.withExtent(grid(), axis, n / 2 + 1) : grid();
    lines(kind, n, after, axis);
    type = choices.type(halves || type == choices.type(true));
  }

  private void lines(Kind kind, long n, Grid after, int axis) {
    double points = points(kind, n);
    DType precision = choices.precision();
    Normalization norm = choices.normalization();
    Grid before = grid();
    forward.add(new Step.Lines(kind, precision, n, before, after, axis, norm.scale(false, points)));
    inverse.add(
        new Step.Lines(inverse(kind), precision, n, after, before, axis, norm.scale(true, points)));
    here = after;
  }

  private void move(Distribution to) {
    forward.add(new Step.Move(here, to, type));
    inverse.add(new Step.Move(to, here, type));
    here = to;
  }

  private void finish(int halved, boolean cut) {
    Distribution last = choices.output();
    if (last == null) {
      boolean stays = choices.transposed() || (cut && choices.input() == null);
      last =
          stays
              ? here
              : halved < 0
                  ? input
                  : Layouts.withExtent(natural, halved, here.shape().extent(halved));
    }
    check(last, here.shape(), "output");
    if (!same(here, last) || forward.isEmpty()) {
      move(last);
    }
  }

  private boolean same(Distribution one, Distribution other) {
    if (one == other || !(one instanceof Grid a) || !(other instanceof Grid b)) {
      return one == other;
    }
    boolean same = Arrays.equals(a.order(), b.order());
    for (int r = 0; same && r < ranks; r++) {
      same = a.localShape(r).equals(b.localShape(r));
    }
    for (int axis = 0; same && axis < a.shape().rank(); axis++) {
      same = same(a.axis(axis), b.axis(axis));
    }
    return same;
  }

  private static boolean same(Partition a, Partition b) {
    boolean same = a.parts() == b.parts();
    for (long index = 0; same && index < a.extent(); index++) {
      same = a.part(index) == b.part(index);
    }
    return same;
  }

  // --- One distributed axis ---------------------------------------------------------------------

  private boolean isCut() {
    return choices.shape().rank() == 1
        && ranks > 1
        && choices.family() != FourierPlanBuilder.Family.REAL
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

  /** Transforms a line cut into rows; returns the axis that real input halves, or -1. */
  private int cut(long rows) {
    long n = choices.shape().extent(0);
    long columns = n / rows;
    boolean half = choices.family() == FourierPlanBuilder.Family.HALF;
    Shape matrix = Shape.of(rows, columns);
    Grid whole = wholeRows(columns, rows);
    if (!same(here, whole)) {
      move(whole);
    }
    here = Grid.block(matrix, ranks, 1);
    move(Grid.block(matrix, 1, ranks));
    transform(0, half);
    forward.add(new Step.Twiddle(grid(), n, type, false));
    inverse.add(new Step.Twiddle(grid(), n, type, true));
    move(Grid.block(here.shape(), ranks, 1));
    lines(Kind.FORWARD, columns, grid(), 1);
    if (half) {
      mirror(new HalfSpectrum(n, rows, ranks));
      return 0;
    }
    // Result row + rows · column: the transposed matrix, row by row.
    Shape transposed = Shape.of(columns, rows);
    here = Grid.block(transposed, 1, ranks).withOrder(1, 0);
    move(Grid.block(transposed, ranks, 1));
    here = wholeRows(rows, columns);
    return -1;
  }

  private void mirror(HalfSpectrum spectrum) {
    forward.add(new Step.Mirror(spectrum, false, type, false));
    inverse.add(new Step.Mirror(spectrum, false, type, true));
    here = spectrum.byRows();
    move(spectrum.byColumns());
    forward.add(new Step.Mirror(spectrum, true, type, false));
    inverse.add(new Step.Mirror(spectrum, true, type, true));
    here = spectrum.line();
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
