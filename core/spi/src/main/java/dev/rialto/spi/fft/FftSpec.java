package dev.rialto.spi.fft;

import dev.rialto.spi.data.DType;

/**
 * A one-dimensional transform: which sum, on lines of which length, lying where.
 *
 * <p>Element {@code i} of line {@code b} of plane {@code p} lies at {@code p * plane + b * distance
 * + i * stride} elements: two levels of lines, so that any axis of a box is one spec. The elements
 * of a real line are of type F32 or F64, those of a complex line of type C64 or C128.
 *
 * @param kind the sum
 * @param precision {@link DType#F32} or {@link DType#F64}
 * @param length the number of points n of one line, from 1: of real ones for real kinds
 * @param lines how many lines a plane has, from 0
 * @param inStride elements from one point of an input line to the next
 * @param inDistance elements from one input line to the next
 * @param outStride elements from one point of an output line to the next
 * @param outDistance elements from one output line to the next
 * @param planes how many planes, from 0
 * @param inPlane elements from one input plane to the next
 * @param outPlane elements from one output plane to the next
 * @param scale what every result is multiplied by, such as 1/n; finite
 */
public record FftSpec(
    Kind kind,
    DType precision,
    long length,
    long lines,
    long inStride,
    long inDistance,
    long outStride,
    long outDistance,
    long planes,
    long inPlane,
    long outPlane,
    double scale) {

  /**
   * The sums, none of them normalised but by the spec's scale. With w = exp(-2πi/n), X the output
   * and x the input:
   *
   * <p>Inverse undoes forward times n; {@link #COMPLEX_TO_REAL} undoes {@link #REAL_TO_COMPLEX}
   * times n.
   */
  public enum Kind {
    /** X[k] = Σ x[j] w^(jk). */
    FORWARD,
    /** X[k] = Σ x[j] w^(-jk). */
    INVERSE,
    /** {@link #FORWARD} of n real points; the first n/2+1 of X. */
    REAL_TO_COMPLEX,
    /** {@link #INVERSE} of n points of which the first n/2+1 are given; real result. */
    COMPLEX_TO_REAL,
    /** X[k] = x[0] + (-1)^k x[n-1] + 2 Σ_{j=1}^{n-2} x[j] cos(πjk/(n-1)); n from 2. */
    DCT1,
    /** X[k] = 2 Σ x[j] cos(π(j+½)k/n). */
    DCT2,
    /** X[k] = x[0] + 2 Σ_{j≥1} x[j] cos(πj(k+½)/n). */
    DCT3,
    /** X[k] = 2 Σ x[j] cos(π(j+½)(k+½)/n). */
    DCT4,
    /** X[k] = 2 Σ x[j] sin(π(j+1)(k+1)/(n+1)). */
    DST1,
    /** X[k] = 2 Σ x[j] sin(π(j+½)(k+1)/n). */
    DST2,
    /** X[k] = (-1)^k x[n-1] + 2 Σ_{j≤n-2} x[j] sin(π(j+1)(k+½)/n). */
    DST3,
    /** X[k] = 2 Σ x[j] sin(π(j+½)(k+½)/n). */
    DST4,
    /** X[k] = Σ x[j] (cos(2πjk/n) + sin(2πjk/n)). */
    HARTLEY;

    /** Returns whether the input is complex. */
    public boolean complexInput() {
      return this == FORWARD || this == INVERSE || this == COMPLEX_TO_REAL;
    }

    /** Returns whether the output is complex. */
    public boolean complexOutput() {
      return this == FORWARD || this == INVERSE || this == REAL_TO_COMPLEX;
    }
  }

  /** Checks the values. */
  public FftSpec {
    if (precision != DType.F32 && precision != DType.F64) {
      throw new IllegalArgumentException("precision " + precision + " is not F32 or F64");
    }
    if (length < (kind == Kind.DCT1 ? 2 : 1)) {
      throw new IllegalArgumentException(
          kind + " of " + length + " points; the fewest are " + (kind == Kind.DCT1 ? 2 : 1));
    }
    if (lines < 0 || planes < 0) {
      throw new IllegalArgumentException(
          planes + " planes of " + lines + " lines; give 0 or more of each");
    }
    positive("strides", inStride, outStride);
    positive("distances", inDistance, outDistance);
    positive("plane distances", inPlane, outPlane);
    if (!Double.isFinite(scale)) {
      throw new IllegalArgumentException("scale " + scale + " is not finite");
    }
  }

  private static void positive(String what, long in, long out) {
    if (in < 1 || out < 1) {
      throw new IllegalArgumentException(what + " " + in + " and " + out + " must be positive");
    }
  }

  /** Describes one plane of lines, not scaled. */
  public FftSpec(
      Kind kind,
      DType precision,
      long length,
      long lines,
      long inStride,
      long inDistance,
      long outStride,
      long outDistance) {
    this(kind, precision, length, lines, inStride, inDistance, outStride, outDistance, 1, 1, 1, 1);
  }

  /** Describes lines that lie one after another without gaps. */
  public static FftSpec of(Kind kind, DType precision, long length, long lines) {
    long half = length / 2 + 1;
    return new FftSpec(
        kind,
        precision,
        length,
        lines,
        1,
        kind == Kind.COMPLEX_TO_REAL ? half : length,
        1,
        kind == Kind.REAL_TO_COMPLEX ? half : length);
  }

  /** Returns this with so many planes. */
  public FftSpec withPlanes(long count, long inElements, long outElements) {
    return new FftSpec(
        kind,
        precision,
        length,
        lines,
        inStride,
        inDistance,
        outStride,
        outDistance,
        count,
        inElements,
        outElements,
        scale);
  }

  /** Returns this with another scale. */
  public FftSpec withScale(double factor) {
    return new FftSpec(
        kind,
        precision,
        length,
        lines,
        inStride,
        inDistance,
        outStride,
        outDistance,
        planes,
        inPlane,
        outPlane,
        factor);
  }

  /**
   * Returns the bytes from the first input element to the end of the last; 0 without lines.
   *
   * @throws ArithmeticException if they exceed 2^63-1
   */
  public long inBytes() {
    return bytes(inType(), inPoints(), inStride, inDistance, inPlane);
  }

  /**
   * Returns the bytes from the first output element to the end of the last; 0 without lines.
   *
   * @throws ArithmeticException if they exceed 2^63-1
   */
  public long outBytes() {
    return bytes(outType(), outPoints(), outStride, outDistance, outPlane);
  }

  private long bytes(DType type, long points, long stride, long distance, long plane) {
    if (lines == 0 || planes == 0) {
      return 0;
    }
    long last = Math.multiplyExact(points - 1, stride);
    last = Math.addExact(last, Math.multiplyExact(lines - 1, distance));
    last = Math.addExact(last, Math.multiplyExact(planes - 1, plane));
    return Math.multiplyExact(Math.addExact(last, 1), type.size());
  }

  /** Returns the type of an input element. */
  public DType inType() {
    return element(kind.complexInput());
  }

  /** Returns the type of an output element. */
  public DType outType() {
    return element(kind.complexOutput());
  }

  /** Returns the points of one input line. */
  public long inPoints() {
    return kind == Kind.COMPLEX_TO_REAL ? length / 2 + 1 : length;
  }

  /** Returns the points of one output line. */
  public long outPoints() {
    return kind == Kind.REAL_TO_COMPLEX ? length / 2 + 1 : length;
  }

  private DType element(boolean complex) {
    return precision == DType.F32
        ? complex ? DType.C64 : DType.F32
        : complex ? DType.C128 : DType.F64;
  }
}
