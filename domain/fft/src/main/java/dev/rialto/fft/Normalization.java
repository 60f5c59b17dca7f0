package dev.rialto.fft;

/** The direction that divides by the number of points, so that one direction undoes the other. */
public enum Normalization {
  /** Neither: forward and inverse together multiply by the number of points. */
  NONE(0, 0),
  /** The inverse, as NumPy does. */
  INVERSE(0, 1),
  /** The forward direction: the first result is the mean. */
  FORWARD(1, 0),
  /** Each by its square root: both keep the sum of squares. */
  UNITARY(0.5, 0.5);

  private final double forward;
  private final double inverse;

  Normalization(double forward, double inverse) {
    this.forward = forward;
    this.inverse = inverse;
  }

  /** Returns what results of an axis are multiplied by, of which both directions multiply by n. */
  public double scale(boolean isInverse, double n) {
    double power = isInverse ? inverse : forward;
    return power == 0 ? 1 : power == 1 ? 1 / n : 1 / Math.sqrt(n);
  }
}
