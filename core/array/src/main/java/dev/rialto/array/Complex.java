package dev.rialto.array;

/**
 * A complex number, as functions of complex elements take and give it.
 *
 * <p>A value, so that functions read as formulas. Loops make one for each element and take each
 * result apart at once, so the compiler keeps both parts in registers and allocates none.
 *
 * @param re the real part
 * @param im the imaginary part
 */
public record Complex(double re, double im) {
  /** Returns the sum. */
  public Complex plus(Complex other) {
    return new Complex(re + other.re, im + other.im);
  }

  /** Returns the difference. */
  public Complex minus(Complex other) {
    return new Complex(re - other.re, im - other.im);
  }

  /** Returns the product, by the textbook's formula: infinite parts may give NaN. */
  public Complex times(Complex other) {
    return new Complex(re * other.re - im * other.im, re * other.im + im * other.re);
  }

  /** Returns the product with a real number. */
  public Complex times(double factor) {
    return new Complex(re * factor, im * factor);
  }

  /** Returns the conjugate. */
  public Complex conjugate() {
    return new Complex(re, -im);
  }

  /** Returns the square of the absolute value. */
  public double squaredAbs() {
    return re * re + im * im;
  }
}
