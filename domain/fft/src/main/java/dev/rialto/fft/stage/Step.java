package dev.rialto.fft.stage;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Redistribute;
import dev.rialto.exchange.plan.Redistribute.MessageOrder;
import dev.rialto.exchange.plan.Reshape;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.util.List;

/** A step to be done to a distributed array, before it is decided how and in which memory. */
public sealed interface Step {
  /**
   * All lines along an axis that is local.
   *
   * @param from where the array is
   * @param to the same, with another extent of the axis if the kind has more or fewer results
   */
  record Lines(Kind kind, DType precision, long length, Grid from, Grid to, int axis, double scale)
      implements Step {
    DType fromType() {
      return element(kind.complexInput());
    }

    DType toType() {
      return element(kind.complexOutput());
    }

    private DType element(boolean complex) {
      return precision == DType.F64
          ? complex ? DType.C128 : DType.F64
          : complex ? DType.C64 : DType.F32;
    }

    Lines scaled(double factor) {
      return new Lines(kind, precision, length, from, to, axis, factor);
    }

    boolean changesType() {
      return kind.complexInput() != kind.complexOutput();
    }
  }

  /** The array in another distribution. */
  record Move(Distribution from, Distribution to, DType type) implements Step {
    public ExchangePlan plan(int rank) {
      return from instanceof Grid source && to instanceof Grid target
          ? Reshape.plan(source, target, rank)
          : Redistribute.plan(from, to, rank, MessageOrder.SENDER);
    }
  }

  /**
   * Each element of a matrix times exp(∓2πi row column / points): what joins the two transforms
   * that a long line is made of.
   */
  record Twiddle(Grid grid, long points, DType type, boolean inverse) implements Step {}

  /** One of the two local steps of a {@link HalfSpectrum}. */
  record Mirror(HalfSpectrum spectrum, boolean line, DType type, boolean inverse) implements Step {}

  /**
   * The elements of a line times a phase each, as a line of another length or type.
   *
   * @param from divided as {@code to}, but for what the longer has at its end
   */
  record Phases(Phase phase, Grid from, Grid to, DType fromType, DType toType, boolean inverse)
      implements Step {
    Grid longer() {
      return from.shape().count() > to.shape().count() ? from : to;
    }

    Grid shorter() {
      return from.shape().count() > to.shape().count() ? to : from;
    }
  }

  /** The spectrum of a line, cut into rows, times that of a chirp of so many points. */
  record Chirp(Grid grid, long points, DType type, boolean inverse) implements Step {
    DType precision() {
      return type == DType.C128 ? DType.F64 : DType.F32;
    }
  }

  /** Leaves it to the last axis to scale: some engines make a pass of their own for it. */
  static void scaleOnce(List<Step> steps) {
    double scale = 1;
    int last = -1;
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i) instanceof Lines lines) {
        scale *= lines.scale();
        steps.set(i, lines.scaled(1));
        last = i;
      }
    }
    if (last >= 0) {
      steps.set(last, ((Lines) steps.get(last)).scaled(scale));
    }
  }
}
