package dev.rialto.fft.stage;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.fft.FftBox;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds steps that are transforms of the last two or three axes of arrays without gaps. */
public final class Boxes {
  private Boxes() {}

  /**
   * Returns the transform of several axes that so many steps are.
   *
   * @param steps lines along different axes, one after another
   */
  public static Optional<FftBox> of(List<Step.Lines> steps, int rank) {
    int count = steps.size();
    if (count < 2 || count > 3) {
      return Optional.empty();
    }
    Grid from = steps.getFirst().from();
    Grid to = steps.getLast().to();
    int axes = from.shape().rank();
    List<Integer> last = new ArrayList<>();
    for (int axis = axes - count; axis < axes; axis++) {
      last.add(axis);
    }
    List<Integer> transformed = steps.stream().map(Step.Lines::axis).sorted().toList();
    if (!transformed.equals(last) || !isDense(from, rank) || !isDense(to, rank)) {
      return Optional.empty();
    }
    Kind kind = kind(steps);
    if (kind == Kind.HARTLEY) {
      return Optional.empty();
    }
    Shape real = kind == Kind.COMPLEX_TO_REAL ? to.localShape(rank) : from.localShape(rank);
    long batch = 1;
    List<Long> extents = new ArrayList<>();
    for (int axis = 0; axis < axes; axis++) {
      if (axis < axes - count) {
        batch *= real.extent(axis);
      } else {
        extents.add(real.extent(axis));
      }
    }
    double scale = steps.stream().mapToDouble(Step.Lines::scale).reduce(1, (a, b) -> a * b);
    return real.count() == 0
        ? Optional.empty()
        : Optional.of(new FftBox(kind, steps.getFirst().precision(), batch, extents, scale));
  }

  /** Returns what the steps are together; a kind that is none of the four if nothing. */
  private static Kind kind(List<Step.Lines> steps) {
    Kind first = steps.getFirst().kind();
    Kind last = steps.getLast().kind();
    int axes = steps.getFirst().from().shape().rank();
    boolean same = true;
    for (int i = 1; i < steps.size() - 1; i++) {
      same &= steps.get(i).kind() == (first == Kind.REAL_TO_COMPLEX ? Kind.FORWARD : first);
    }
    if (same && first == last && (first == Kind.FORWARD || first == Kind.INVERSE)) {
      return first;
    }
    if (same && first == Kind.REAL_TO_COMPLEX && last == Kind.FORWARD) {
      return steps.getFirst().axis() == axes - 1 ? first : Kind.HARTLEY;
    }
    if (same && first == Kind.INVERSE && last == Kind.COMPLEX_TO_REAL) {
      return steps.getLast().axis() == axes - 1 ? last : Kind.HARTLEY;
    }
    return Kind.HARTLEY;
  }

  /** Returns whether a rank's part is row-major. */
  private static boolean isDense(Grid grid, int rank) {
    long[] strides = grid.localStrides(rank);
    Shape shape = grid.localShape(rank);
    long dense = 1;
    for (int axis = shape.rank() - 1; axis >= 0; axis--) {
      if (shape.extent(axis) > 1 && strides[axis] != dense) {
        return false;
      }
      dense *= shape.extent(axis);
    }
    return true;
  }
}
