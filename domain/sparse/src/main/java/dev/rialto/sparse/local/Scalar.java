package dev.rialto.sparse.local;

import java.util.Locale;

/**
 * A real or complex number: what solvers compute with between vector operations.
 *
 * <p>With imaginary parts of 0 every operation gives the bits of the real one, so that one source
 * of a solver serves real and complex systems.
 *
 * @param re the real part
 * @param im the imaginary part; 0 for real systems
 */
public record Scalar(double re, double im) implements Factor {
  /** Zero. */
  public static final Scalar ZERO = new Scalar(0, 0);

  /** One. */
  public static final Scalar ONE = new Scalar(1, 0);

  /** Makes a real number. */
  public static Scalar of(double re) {
    return new Scalar(re, 0);
  }

  /** Returns the sum. */
  public Scalar plus(Scalar other) {
    return new Scalar(re + other.re, im + other.im);
  }

  /** Returns the difference. */
  public Scalar minus(Scalar other) {
    return new Scalar(re - other.re, im - other.im);
  }

  /** Returns the product. */
  public Scalar times(Scalar other) {
    return im == 0 && other.im == 0
        ? new Scalar(re * other.re, 0)
        : new Scalar(re * other.re - im * other.im, re * other.im + im * other.re);
  }

  /** Returns the quotient. */
  public Scalar over(Scalar other) {
    if (other.im == 0) {
      return new Scalar(re / other.re, im == 0 ? 0 : im / other.re);
    }
    // Smith's way: no intermediate result overflows where the quotient does not.
    if (Math.abs(other.re) >= Math.abs(other.im)) {
      double ratio = other.im / other.re;
      double scale = other.re + other.im * ratio;
      return new Scalar((re + im * ratio) / scale, (im - re * ratio) / scale);
    }
    double ratio = other.re / other.im;
    double scale = other.re * ratio + other.im;
    return new Scalar((re * ratio + im) / scale, (im * ratio - re) / scale);
  }

  /** Returns the number with the sign turned. */
  public Scalar negated() {
    return new Scalar(-re, im == 0 ? 0 : -im);
  }

  /** Returns the complex conjugate. */
  public Scalar conjugate() {
    return new Scalar(re, im == 0 ? 0 : -im);
  }

  /** Returns the absolute value. */
  public double abs() {
    return im == 0 ? Math.abs(re) : Math.hypot(re, im);
  }

  /** Returns whether both parts are 0. */
  public boolean isZero() {
    return re == 0 && im == 0;
  }

  /** Returns whether neither part is infinite or not a number. */
  public boolean isFinite() {
    return Double.isFinite(re) && Double.isFinite(im);
  }

  @Override
  public String toString() {
    return im == 0 ? Double.toString(re) : String.format(Locale.ROOT, "%s%+gi", re, im);
  }
}
