package dev.rialto.sparse.local;

import static dev.rialto.sparse.local.Numbers.im;
import static dev.rialto.sparse.local.Numbers.re;
import static dev.rialto.sparse.local.Numbers.set;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.vector.DirectionStep;
import dev.rialto.spi.vector.DotLanes;
import dev.rialto.spi.vector.VectorApi;
import java.lang.invoke.MethodHandles;

/** The loops that {@link Specialized} copies for each type. */
final class VectorLoops implements VectorKernels {
  private static final DType T = Specialized.type(MethodHandles.lookup());
  private static final boolean COMPLEX = Numbers.isComplex(T);

  @Override
  public void fill(long x, int n, Scalar value) {
    for (int i = 0; i < n; i++) {
      set(T, x, i, value.re(), value.im());
    }
  }

  @Override
  public void axpby(int n, Factor a, long x, Factor b, long y) {
    double ar = a.re();
    double br = b.re();
    if (!COMPLEX) {
      if (br == 0) {
        for (int i = 0; i < n; i++) {
          set(T, y, i, ar * re(T, x, i), 0);
        }
      } else if (br == 1) {
        for (int i = 0; i < n; i++) {
          set(T, y, i, re(T, y, i) + ar * re(T, x, i), 0);
        }
      } else {
        for (int i = 0; i < n; i++) {
          set(T, y, i, ar * re(T, x, i) + br * re(T, y, i), 0);
        }
      }
      return;
    }
    double ai = a.im();
    double bi = b.im();
    boolean read = br != 0 || bi != 0;
    for (int i = 0; i < n; i++) {
      double xr = re(T, x, i);
      double xi = im(T, x, i);
      double sr = ar * xr - ai * xi;
      double si = ar * xi + ai * xr;
      if (read) {
        double yr = re(T, y, i);
        double yi = im(T, y, i);
        sr += br * yr - bi * yi;
        si += br * yi + bi * yr;
      }
      set(T, y, i, sr, si);
    }
  }

  @Override
  public void axpbypcz(int n, Factor a, long x, Factor b, long y, Factor c, long z) {
    double ar = a.re();
    double br = b.re();
    double cr = c.re();
    double ai = a.im();
    double bi = b.im();
    double ci = c.im();
    boolean read = cr != 0 || ci != 0;
    for (int i = 0; i < n; i++) {
      double xr = re(T, x, i);
      double yr = re(T, y, i);
      double sr = ar * xr + br * yr;
      double si = 0;
      if (COMPLEX) {
        double xi = im(T, x, i);
        double yi = im(T, y, i);
        sr -= ai * xi + bi * yi;
        si = ar * xi + ai * xr + br * yi + bi * yr;
      }
      if (read) {
        double zr = re(T, z, i);
        sr += cr * zr;
        if (COMPLEX) {
          double zi = im(T, z, i);
          sr -= ci * zi;
          si += cr * zi + ci * zr;
        }
      }
      set(T, z, i, sr, si);
    }
  }

  @Override
  public void scale(int n, long d, long x, long z, PartialSums out, int at) {
    double sum = 0;
    double imaginary = 0;
    for (int i = 0; i < n; i++) {
      double xr = re(T, x, i);
      double dr = re(T, d, i);
      double zr = dr * xr;
      double zi = 0;
      if (COMPLEX) {
        double xi = im(T, x, i);
        double di = im(T, d, i);
        zr -= di * xi;
        zi = dr * xi + di * xr;
        sum += xi * zi;
        imaginary += xr * zi - xi * zr;
      }
      sum += xr * zr;
      set(T, z, i, zr, zi);
    }
    out.add(at, sum, imaginary);
  }

  @Override
  public void dot(int n, long x, long y, int stride, PartialSums out, int at) {
    double[] lanes = new double[LANES];
    if (stride == 1) {
      dotBlock(0, n, x, y, lanes);
    } else {
      dotStrided(n, x, y, stride, lanes);
    }
    out.add(at, VectorKernels.sumOfEight(lanes, 0), VectorKernels.sumOfEight(lanes, LANES / 2));
  }

  private static void dotStrided(int n, long x, long y, int stride, double[] lanes) {
    for (int i = 0; i < n; i++) {
      addProduct(x, y, (long) i * stride, i & 7, lanes);
    }
  }

  /** Adds {@code conj(x[k]) y[k]} to a partial sum. */
  private static void addProduct(long x, long y, long k, int lane, double[] lanes) {
    double xr = re(T, x, k);
    double yr = re(T, y, k);
    if (COMPLEX) {
      double xi = im(T, x, k);
      double yi = im(T, y, k);
      lanes[lane] += xr * yr + xi * yi;
      lanes[8 + lane] += xr * yi - xi * yr;
    } else {
      lanes[lane] += xr * yr;
    }
  }

  /** Element i goes to partial sum i modulo 8: enough of them that additions need not wait. */
  @Override
  public void dotBlock(int from, int to, long x, long y, double[] lanes) {
    int i = from;
    if (T == DType.F64 && VectorApi.isPresent()) {
      i = DotLanes.add(from, to, x, y, lanes);
    } else if (!COMPLEX) {
      i = addEights(from, to, x, y, lanes);
    }
    for (; i < to; i++) {
      addProduct(x, y, i, i & 7, lanes);
    }
  }

  private static int addEights(int from, int to, long x, long y, double[] lanes) {
    double s0 = lanes[0];
    double s1 = lanes[1];
    double s2 = lanes[2];
    double s3 = lanes[3];
    double s4 = lanes[4];
    double s5 = lanes[5];
    double s6 = lanes[6];
    double s7 = lanes[7];
    int i = from;
    for (; i < to - 7; i += 8) {
      s0 += re(T, x, i) * re(T, y, i);
      s1 += re(T, x, i + 1) * re(T, y, i + 1);
      s2 += re(T, x, i + 2) * re(T, y, i + 2);
      s3 += re(T, x, i + 3) * re(T, y, i + 3);
      s4 += re(T, x, i + 4) * re(T, y, i + 4);
      s5 += re(T, x, i + 5) * re(T, y, i + 5);
      s6 += re(T, x, i + 6) * re(T, y, i + 6);
      s7 += re(T, x, i + 7) * re(T, y, i + 7);
    }
    lanes[0] = s0;
    lanes[1] = s1;
    lanes[2] = s2;
    lanes[3] = s3;
    lanes[4] = s4;
    lanes[5] = s5;
    lanes[6] = s6;
    lanes[7] = s7;
    return i;
  }

  @Override
  public void conjugateStep(
      int n, Factor a, long p, long q, long x, long r, PartialSums out, int at) {
    double ar = a.re();
    double ai = a.im();
    double even = 0;
    double odd = 0;
    int i = 0;
    if (!COMPLEX) {
      for (; i < n - 1; i += 2) {
        set(T, x, i, re(T, x, i) + ar * re(T, p, i), 0);
        set(T, x, i + 1, re(T, x, i + 1) + ar * re(T, p, i + 1), 0);
        double r0 = re(T, r, i) - ar * re(T, q, i);
        double r1 = re(T, r, i + 1) - ar * re(T, q, i + 1);
        set(T, r, i, r0, 0);
        set(T, r, i + 1, r1, 0);
        even += r0 * r0;
        odd += r1 * r1;
      }
    }
    for (; i < n; i++) {
      double pr = re(T, p, i);
      double qr = re(T, q, i);
      double xr = re(T, x, i) + ar * pr;
      double rr = re(T, r, i) - ar * qr;
      double xi = 0;
      double ri = 0;
      if (COMPLEX) {
        double pi = im(T, p, i);
        double qi = im(T, q, i);
        xr -= ai * pi;
        xi = im(T, x, i) + ar * pi + ai * pr;
        rr += ai * qi;
        ri = im(T, r, i) - ar * qi - ai * qr;
        odd += ri * ri;
      }
      set(T, x, i, xr, xi);
      set(T, r, i, rr, ri);
      even += rr * rr;
    }
    out.add(at, even + odd, 0);
  }

  @Override
  public void subtractDot(int n, Factor a, long q, long r, PartialSums out, int at) {
    double ar = a.re();
    double ai = a.im();
    double even = 0;
    double odd = 0;
    int i = 0;
    if (!COMPLEX) {
      for (; i < n - 1; i += 2) {
        double r0 = re(T, r, i) - ar * re(T, q, i);
        double r1 = re(T, r, i + 1) - ar * re(T, q, i + 1);
        set(T, r, i, r0, 0);
        set(T, r, i + 1, r1, 0);
        even += r0 * r0;
        odd += r1 * r1;
      }
    }
    for (; i < n; i++) {
      double qr = re(T, q, i);
      double rr = re(T, r, i) - ar * qr;
      double ri = 0;
      if (COMPLEX) {
        double qi = im(T, q, i);
        rr += ai * qi;
        ri = im(T, r, i) - ar * qi - ai * qr;
        odd += ri * ri;
      }
      set(T, r, i, rr, ri);
      even += rr * rr;
    }
    out.add(at, even + odd, 0);
  }

  @Override
  public void nextDirection(int n, Factor a, long x, long z, Factor b, long p) {
    double ar = a.re();
    double ai = a.im();
    double br = b.re();
    double bi = b.im();
    int done = T == DType.F64 && VectorApi.isPresent() ? DirectionStep.run(n, ar, x, z, br, p) : 0;
    for (int i = done; i < n; i++) {
      double pr = re(T, p, i);
      double xr = re(T, x, i) + ar * pr;
      double zr = re(T, z, i) + br * pr;
      double xi = 0;
      double zi = 0;
      if (COMPLEX) {
        double pi = im(T, p, i);
        xr -= ai * pi;
        xi = im(T, x, i) + ar * pi + ai * pr;
        zr -= bi * pi;
        zi = im(T, z, i) + br * pi + bi * pr;
      }
      set(T, x, i, xr, xi);
      set(T, p, i, zr, zi);
    }
  }

  @Override
  public void pipelinedStep(
      int n,
      Factor a,
      Factor b,
      long z,
      long w,
      long p,
      long s,
      long x,
      long r,
      PartialSums out,
      int at) {
    double ar = a.re();
    double ai = a.im();
    double br = b.re();
    double bi = b.im();
    for (int i = 0; i < n; i++) {
      double op = re(T, p, i);
      double os = re(T, s, i);
      double pr = re(T, z, i) + br * op;
      double sr = re(T, w, i) + br * os;
      double pi = 0;
      double si = 0;
      if (COMPLEX) {
        double ip = im(T, p, i);
        double is = im(T, s, i);
        pr -= bi * ip;
        sr -= bi * is;
        pi = im(T, z, i) + br * ip + bi * op;
        si = im(T, w, i) + br * is + bi * os;
      }
      double xr = re(T, x, i) + ar * pr;
      double rr = re(T, r, i) - ar * sr;
      double xi = 0;
      double ri = 0;
      if (COMPLEX) {
        xr -= ai * pi;
        rr += ai * si;
        xi = im(T, x, i) + ar * pi + ai * pr;
        ri = im(T, r, i) - ar * si - ai * sr;
      }
      set(T, p, i, pr, pi);
      set(T, s, i, sr, si);
      set(T, x, i, xr, xi);
      set(T, r, i, rr, ri);
    }
    dot(n, r, r, 1, out, at);
  }

  @Override
  public double maxAbs(int n, long x) {
    double most = 0;
    for (int i = 0; i < n; i++) {
      // A NaN must not be lost, so not a comparison.
      most = Math.max(most, abs(x, i));
    }
    return most;
  }

  @Override
  public double sumAbs(int n, long x) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
      sum += abs(x, i);
    }
    return sum;
  }

  private static double abs(long x, int i) {
    double real = re(T, x, i);
    return COMPLEX ? Math.hypot(real, im(T, x, i)) : Math.abs(real);
  }

  @Override
  public void exactDot(int n, long x, long y, int stride, ExactSum real, ExactSum imaginary) {
    for (int i = 0; i < n; i++) {
      long k = (long) i * stride;
      double xr = re(T, x, k);
      double yr = re(T, y, k);
      real.addProduct(xr, yr);
      if (COMPLEX) {
        double xi = im(T, x, k);
        double yi = im(T, y, k);
        real.addProduct(xi, yi);
        imaginary.addProduct(xr, yi);
        imaginary.addProduct(-xi, yr);
      }
    }
  }
}
