package dev.rialto.fft.stage;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.fft.Normalization;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

/**
 * The route of an array in the course of a transform, and what happens to it there, in both
 * directions.
 *
 * <p>Axes are transformed where they are local; before that the array is moved. A single axis that
 * is distributed is cut in two: as a matrix of n1 rows and n2 columns its columns are transformed,
 * multiplied by twiddle factors, then its rows, and the results lie in the matrix transposed. Of a
 * real line only the first half of the rows is transformed, and the others mirror them. A prime
 * number of points is the middle of a convolution of more points that can be cut, and a cosine,
 * sine or Hartley transform is a longer complex one between two {@linkplain Phase phases}.
 */
public final class Itinerary {
  private final Choices choices;
  private final int ranks;
  private final List<Step> forward = new ArrayList<>();
  private final List<Step> inverse = new ArrayList<>();
  private final Distribution input;
  private final Grid natural;
  private final DType inputType;
  private Distribution here;
  private DType type;

  public Itinerary(Choices choices, int ranks) {
    this.choices = choices;
    this.ranks = ranks;
    this.type = choices.type(choices.family() == Choices.Family.COMPLEX);
    this.inputType = type;
    Shape shape = choices.shape();
    long _ = type.bytes(shape.count()); // Too many are refused before divisors are looked for.
    boolean line = shape.rank() == 1 && ranks > 1 && !choices.axes().isEmpty() && shape.count() > 0;
    boolean real = choices.family() == Choices.Family.REAL;
    boolean cut = line && !real && rows(shape.extent(0)) > 1;
    this.natural =
        choices.input() instanceof Grid given
            ? given
            : cut ? start(shape.extent(0)) : Layouts.standard(shape, ranks, choices.parts());
    this.input = choices.input() == null ? natural : choices.input();
    this.here = input;
    check(input, shape, "input");
    int halved = -1;
    if (line) {
      line(shape.extent(0));
      halved = choices.family() == Choices.Family.HALF ? 0 : -1;
    } else if (!choices.axes().isEmpty()) {
      if (!here.equals(natural)) {
        move(natural);
      }
      halved = axes();
    }
    finish(halved, cut);
    Collections.reverse(inverse);
    Step.scaleOnce(forward);
    Step.scaleOnce(inverse);
  }

  public Distribution input() {
    return input;
  }

  public Distribution output() {
    return here;
  }

  /** Returns where the array is while it is transformed. */
  private Grid grid() {
    return (Grid) here;
  }

  public DType inputType() {
    return inputType;
  }

  public DType outputType() {
    return type;
  }

  public List<Step> forward() {
    return forward;
  }

  public List<Step> inverse() {
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
    boolean half = choices.family() == Choices.Family.HALF && !remaining.isEmpty();
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
      // One axis alone stays where it is: it is divided only if it has no points.
      if (grid().order().length > 1 && !Layouts.isLocal(grid(), wanted)) {
        Grid next = Layouts.withLocal(grid(), wanted, remaining, choices.slabs());
        move(choices.onDevice() ? Layouts.inFront(next, remaining) : Layouts.together(next));
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
            : choices.family() == Choices.Family.REAL ? choices.kinds().get(axis) : Kind.FORWARD;
    lines(kind, n, axis, points(kind, n));
  }

  /**
   * Transforms an axis.
   *
   * @param points what normalisation divides by
   */
  private void lines(Kind kind, long n, int axis, double points) {
    boolean halves = kind == Kind.REAL_TO_COMPLEX;
    Grid after = halves ? Layouts.withExtent(grid(), axis, n / 2 + 1) : grid();
    DType precision = choices.precision();
    Normalization norm = choices.normalization();
    Grid before = grid();
    forward.add(new Step.Lines(kind, precision, n, before, after, axis, norm.scale(false, points)));
    inverse.add(
        new Step.Lines(inverse(kind), precision, n, after, before, axis, norm.scale(true, points)));
    here = after;
    type = choices.type(kind.complexOutput());
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
    if (one.equals(other) || !(one instanceof Grid a) || !(other instanceof Grid b)) {
      return one.equals(other);
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

  /** Returns into how many rows a line is cut; 1 if it is prime. */
  private long rows(long n) {
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
    Partition dealt = Partition.block(rows, ranks);
    long[] lengths = new long[ranks];
    Arrays.setAll(lengths, part -> dealt.count(part) * columns);
    return Grid.of(Partition.blocks(lengths));
  }

  /** Returns the first elements of a line, divided as the whole line is. */
  private Grid clipped(Grid line, long count) {
    long[] lengths = new long[ranks];
    Arrays.setAll(
        lengths, part -> Math.clamp(count - line.axis(0).first(part), 0, line.axis(0).count(part)));
    return Grid.of(Partition.blocks(lengths));
  }

  /** Returns how a complex line must be divided to be transformed. */
  private Grid start(long n) {
    long rows = rows(n);
    return rows > 1 ? wholeRows(n / rows, rows) : clipped(start(convolved(n)), n);
  }

  /** Returns the points of the convolution that a prime number of points is part of. */
  private static long convolved(long n) {
    long count = Math.max(4, 2 * n - 1);
    for (long power = Long.highestOneBit(count); ; power /= 2) {
      // The first multiple of the largest power of two that is at most an eighth more.
      long next = Math.ceilDiv(count, power) * power;
      if (next - count <= count / 8 || power == 1) {
        return next;
      }
    }
  }

  private void line(long n) {
    DType complex = choices.type(true);
    boolean half = choices.family() == Choices.Family.HALF;
    if (choices.family() == Choices.Family.REAL) {
      Kind kind = choices.kinds().getFirst();
      Kind back = inverse(kind);
      long points = Phase.points(kind, n);
      Grid whole = start(points);
      reach(clipped(whole, n));
      phases(Phase.before(kind, n), Phase.behind(back, n), whole, complex);
      complexLine(points, points(kind, n));
      phases(Phase.behind(kind, n), Phase.before(back, n), clipped(grid(), n), choices.type(false));
    } else {
      reach(start(n));
      if (half && rows(n) == 1) {
        convolve(n, n / 2 + 1, Phase.halfChirp(n), (double) n);
      } else if (half) {
        matrix(n, (double) n, true);
        mirror(new HalfSpectrum(n, rows(n), ranks));
      } else {
        complexLine(n, (double) n);
      }
    }
  }

  private void reach(Grid wanted) {
    if (!same(here, wanted)) {
      move(wanted);
    }
  }

  private void phases(Phase there, Phase back, Grid to, DType toType) {
    forward.add(new Step.Phases(there, grid(), to, type, toType, false));
    inverse.add(new Step.Phases(back, to, grid(), toType, type, true));
    here = to;
    type = toType;
  }

  /** Transforms a complex line; see {@link #lines} for {@code points}. */
  private void complexLine(long n, double points) {
    long rows = rows(n);
    if (rows == 1) {
      convolve(n, n, Phase.chirp(n), points);
      return;
    }
    matrix(n, points, false);
    // Result row + rows · column: the transposed matrix, row by row.
    Shape transposed = Shape.of(n / rows, rows);
    here = Grid.block(transposed, 1, ranks).withOrder(1, 0);
    move(Grid.block(transposed, ranks, 1));
    here = wholeRows(rows, n / rows);
  }

  /**
   * Transforms a prime number of points.
   *
   * @param results how many are kept
   * @param back what these are multiplied by on the way back
   */
  private void convolve(long n, long results, Phase back, double points) {
    long m = convolved(n);
    Grid whole = start(m);
    phases(Phase.chirp(n), Phase.chirp(n), whole, choices.type(true));
    matrix(m, points, false);
    forward.add(new Step.Chirp(grid(), n, type, false));
    inverse.add(new Step.Chirp(grid(), n, type, true));
    Shape matrix = here.shape();
    lines(Kind.INVERSE, matrix.extent(1), 1, 1);
    move(Grid.block(matrix, 1, ranks));
    twiddle(m, true);
    lines(Kind.INVERSE, matrix.extent(0), 0, 1);
    move(Grid.block(matrix, ranks, 1));
    here = whole;
    phases(Phase.chirp(n), back, clipped(whole, results), type);
  }

  /** Transforms a line that is cut into rows, and leaves the results in the rows they end in. */
  private void matrix(long n, double points, boolean half) {
    long rows = rows(n);
    Shape matrix = Shape.of(rows, n / rows);
    here = Grid.block(matrix, ranks, 1);
    move(Grid.block(matrix, 1, ranks));
    lines(half ? Kind.REAL_TO_COMPLEX : Kind.FORWARD, rows, 0, points);
    twiddle(n, false);
    move(Grid.block(here.shape(), ranks, 1));
    lines(Kind.FORWARD, n / rows, 1, 1);
  }

  private void twiddle(long n, boolean back) {
    forward.add(new Step.Twiddle(grid(), n, type, back));
    inverse.add(new Step.Twiddle(grid(), n, type, !back));
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
