package dev.rialto.cpu.fft;

/**
 * Fourier transforms of a few complex rows, written as straight-line code: X[k] = Σ x[j] w^(jk)
 * with w = exp(-2πi/n).
 *
 * <p>Two, four and eight points are written out; odd numbers of points add and subtract the rows
 * that mirror one another first, which halves the products.
 */
final class Butterfly {
  /** The slots of a complex row's parts. */
  record Complex(int re, int im) {
    Complex swapped() {
      return new Complex(im, re);
    }
  }

  private final CodeletEmitter to;

  Butterfly(CodeletEmitter to) {
    this.to = to;
  }

  Complex[] transform(Complex[] x) {
    return switch (x.length) {
      case 1 -> x;
      case 2 -> new Complex[] {add(x[0], x[1]), sub(x[0], x[1])};
      case 4 -> four(x);
      case 8 -> eight(x);
      default -> odd(x);
    };
  }

  Complex add(Complex a, Complex b) {
    return new Complex(to.add(a.re, b.re), to.add(a.im, b.im));
  }

  Complex sub(Complex a, Complex b) {
    return new Complex(to.sub(a.re, b.re), to.sub(a.im, b.im));
  }

  /** Returns a - ib. */
  private Complex subTurned(Complex a, Complex b) {
    return new Complex(to.add(a.re, b.im), to.sub(a.im, b.re));
  }

  /** Returns a + ib. */
  private Complex addTurned(Complex a, Complex b) {
    return new Complex(to.sub(a.re, b.im), to.add(a.im, b.re));
  }

  /** Returns a·w; {@code negative} is minus w's imaginary part. */
  Complex mul(Complex a, Complex w, int negative) {
    return new Complex(
        to.fma(a.im, negative, to.mul(a.re, w.re)), to.fma(a.im, w.re, to.mul(a.re, w.im)));
  }

  /** Returns a + c b. */
  private Complex fma(int c, Complex b, Complex a) {
    return new Complex(to.fma(c, b.re, a.re), to.fma(c, b.im, a.im));
  }

  private Complex[] four(Complex[] x) {
    Complex a = add(x[0], x[2]);
    Complex b = sub(x[0], x[2]);
    Complex c = add(x[1], x[3]);
    Complex d = sub(x[1], x[3]);
    return new Complex[] {add(a, c), subTurned(b, d), sub(a, c), addTurned(b, d)};
  }

  private Complex[] eight(Complex[] x) {
    Complex[] even =
        four(new Complex[] {add(x[0], x[4]), add(x[1], x[5]), add(x[2], x[6]), add(x[3], x[7])});
    Complex d0 = sub(x[0], x[4]);
    Complex d1 = sub(x[1], x[5]);
    Complex d2 = sub(x[2], x[6]);
    Complex d3 = sub(x[3], x[7]);
    // d1 w and d3 w³ are these over √2, and that factor goes into the last additions.
    Complex y1 = new Complex(to.add(d1.re, d1.im), to.sub(d1.im, d1.re));
    Complex y3 = new Complex(to.sub(d3.im, d3.re), to.add(d3.re, d3.im));
    Complex sum = new Complex(to.add(y1.re, y3.re), to.sub(y1.im, y3.im));
    Complex difference = new Complex(to.sub(y1.re, y3.re), to.add(y1.im, y3.im));
    Complex a = subTurned(d0, d2);
    Complex b = addTurned(d0, d2);
    int half = to.constant(Math.sqrt(0.5));
    int minusHalf = to.constant(-Math.sqrt(0.5));
    return new Complex[] {
      even[0],
      fma(half, sum, a),
      even[1],
      new Complex(to.fma(half, difference.im, b.re), to.fma(minusHalf, difference.re, b.im)),
      even[2],
      fma(minusHalf, sum, a),
      even[3],
      new Complex(to.fma(minusHalf, difference.im, b.re), to.fma(half, difference.re, b.im))
    };
  }

  private Complex[] odd(Complex[] x) {
    int n = x.length;
    int half = n / 2;
    Complex[] sums = new Complex[half + 1];
    Complex[] differences = new Complex[half + 1];
    Complex[] out = new Complex[n];
    out[0] = x[0];
    for (int k = 1; k <= half; k++) {
      sums[k] = add(x[k], x[n - k]);
      differences[k] = sub(x[k], x[n - k]);
      out[0] = add(out[0], sums[k]);
    }
    for (int j = 1; j <= half; j++) {
      Complex u = fma(to.constant(RationalAngle.cos(j, n)), sums[1], x[0]);
      int first = to.constant(RationalAngle.sin(j, n));
      Complex v = new Complex(to.mul(first, differences[1].re), to.mul(first, differences[1].im));
      for (int k = 2; k <= half; k++) {
        u = fma(to.constant(RationalAngle.cos((long) j * k, n)), sums[k], u);
        v = fma(to.constant(RationalAngle.sin((long) j * k, n)), differences[k], v);
      }
      out[j] = subTurned(u, v);
      out[n - j] = addTurned(u, v);
    }
    return out;
  }
}
