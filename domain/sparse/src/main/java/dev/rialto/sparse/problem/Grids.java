package dev.rialto.sparse.problem;

/**
 * Differential equations on a square or cube with {@code n} inner points along each edge,
 * discretized by second-order differences.
 *
 * <p>The unknown at point (x, y, z) is number {@code (x n + y) n + z}.
 */
public final class Grids {
  private Grids() {}

  /**
   * The equation -(ax u_xx + ay u_yy + az u_zz) + bx u_x + by u_y + bz u_z + c u = 0 with values
   * given on the boundary: 1 at x = 1, exp(y² - z²) at x = 0, and 0 elsewhere.
   *
   * @param axes 2 or 3; the coefficients of a third axis are not used with 2
   * @param n inner points along an edge
   * @param a diffusion along each axis
   * @param b convection along each axis
   * @param c reaction
   */
  @SuppressWarnings("ArrayRecordComponent") // copied; problems are never compared
  public record Equation(int axes, int n, double[] a, double[] b, double c) implements Problem {
    /** Checks the sizes. */
    public Equation {
      if (axes < 2 || axes > 3 || n < 1 || n > 2_000_000 || a.length < axes || b.length < axes) {
        throw new IllegalArgumentException(
            ("%d axes of %d points with %d and %d coefficients; give 2 or 3 axes of 1 to 2000000 "
                    + "points and as many coefficients")
                .formatted(axes, n, a.length, b.length));
      }
      a = a.clone();
      b = b.clone();
    }

    @Override
    public long size() {
      return axes == 2 ? (long) n * n : (long) n * n * n;
    }

    @Override
    public double row(long row, Row entries) {
      long[] point = new long[3];
      long stride = size();
      long rest = row;
      for (int axis = 0; axis < axes; axis++) {
        stride /= n;
        point[axis] = rest / stride;
        rest %= stride;
      }
      double h = 1.0 / (n + 1);
      double right = 0;
      double diagonal = c;
      double[] at = {point[0] * h, point[1] * h, point[2] * h};
      stride = size();
      for (int axis = 0; axis < axes; axis++) {
        stride /= n;
        diagonal += 2 * a[axis] / (h * h);
        for (int side = -1; side <= 1; side += 2) {
          double value = -a[axis] / (h * h) + side * b[axis] / (2 * h);
          long neighbour = point[axis] + side;
          if (neighbour < 0 || neighbour >= n) {
            double[] boundary = at.clone();
            boundary[axis] = neighbour < 0 ? 0 : 1;
            right -= value * boundary(boundary);
          } else {
            entries.entry(row + side * stride, value);
          }
        }
      }
      entries.entry(row, diagonal);
      return right;
    }

    /** The first inner point lies at coordinate 0, as in the problem this follows. */
    private double boundary(double[] at) {
      if (at[0] == 1) {
        return 1;
      }
      return at[0] == 0 ? Math.exp(at[1] * at[1] - (axes == 3 ? at[2] * at[2] : 0)) : 0;
    }
  }

  /** Diffusion alone, alike along three axes: 7 entries in a row, symmetric positive definite. */
  public static Equation poisson3d(int n) {
    double a = 1.0 / 80;
    return new Equation(3, n, new double[] {a, a, a}, new double[3], 0);
  }

  /** Diffusion alone along two axes: 5 entries in a row. */
  public static Equation poisson2d(int n) {
    double a = 1.0 / 80;
    return new Equation(2, n, new double[] {a, a}, new double[2], 0);
  }

  /** Diffusion with convection along all axes: not symmetric. */
  public static Equation convectionDiffusion3d(int n) {
    double a = 1.0 / 80;
    double b = 1 / Math.sqrt(3);
    return new Equation(3, n, new double[] {a, a, a}, new double[] {b, b, b}, 0);
  }

  /** Diffusion that is weaker along the second and third axis by a factor each. */
  public static Equation anisotropic3d(int n, double factor) {
    return new Equation(3, n, new double[] {1, factor, factor * factor}, new double[3], 0);
  }
}
