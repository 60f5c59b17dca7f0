package dev.rialto.cli.demo;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Smooth charges of both signs in a periodic unit cube, whose potential is known exactly.
 *
 * <p>Each is a bump {@code exp(s (cos t - 1))} along every axis, with t = 2π times the distance
 * from its centre: periodic, as smooth as can be, and its second derivative can be written down.
 * The strengths add up to nothing, so the potential's mean is 0. The centres lie near the middle of
 * the third axis, where the picture is taken.
 */
final class Charges {
  /** About as wide as an eighth of the cube; 64 points along an edge resolve it to rounding. */
  private static final double SHARPNESS = 10;

  private static final int COUNT = 12;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Charge(double[] centre, double strength) {}

  private final List<Charge> charges = new ArrayList<>();

  Charges(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
      double[] centre = {random.nextDouble(), random.nextDouble(), random.nextDouble(0.45, 0.55)};
      double strength = random.nextDouble(0.6, 1) * (i % 2 == 0 ? 1 : -1);
      charges.add(new Charge(centre, strength));
      sum += strength;
    }
    double mean = sum / COUNT;
    charges.replaceAll(charge -> new Charge(charge.centre, charge.strength - mean));
  }

  int count() {
    return COUNT;
  }

  /**
   * Sets a rank's part of the grid to the potential u and to its source, -∇²u.
   *
   * @param grid n x n x n points in row-major order, point i of an axis at i / n
   */
  void sample(Grid grid, int rank, MemorySegment source, MemorySegment potential) {
    Shape shape = grid.localShape(rank);
    long count = grid.localCount(rank);
    double[][][] value = new double[COUNT][3][];
    double[][][] second = new double[COUNT][3][];
    for (int c = 0; c < COUNT; c++) {
      for (int axis = 0; axis < 3; axis++) {
        int extent = (int) shape.extent(axis);
        long first = count == 0 ? 0 : grid.axis(axis).first(grid.place(rank, axis));
        long points = grid.shape().extent(axis);
        value[c][axis] = new double[extent];
        second[c][axis] = new double[extent];
        for (int i = 0; i < extent; i++) {
          double t = 2 * Math.PI * ((double) (first + i) / points - charges.get(c).centre[axis]);
          double bump = Math.exp(SHARPNESS * (Math.cos(t) - 1));
          double slope = SHARPNESS * Math.sin(t);
          value[c][axis][i] = bump;
          second[c][axis][i] =
              4 * Math.PI * Math.PI * (slope * slope - SHARPNESS * Math.cos(t)) * bump;
        }
      }
    }
    int ny = (int) shape.extent(1);
    int nz = (int) shape.extent(2);
    for (long row = 0; row < (nz == 0 ? 0 : count / nz); row++) {
      int x = (int) (row / ny);
      int y = (int) (row % ny);
      for (int z = 0; z < nz; z++) {
        double u = 0;
        double f = 0;
        for (int c = 0; c < COUNT; c++) {
          double[][] g = value[c];
          double[][] h = second[c];
          double strength = charges.get(c).strength;
          u += strength * g[0][x] * g[1][y] * g[2][z];
          f -=
              strength
                  * (h[0][x] * g[1][y] * g[2][z]
                      + g[0][x] * h[1][y] * g[2][z]
                      + g[0][x] * g[1][y] * h[2][z]);
        }
        potential.setAtIndex(ValueLayout.JAVA_DOUBLE, row * nz + z, u);
        source.setAtIndex(ValueLayout.JAVA_DOUBLE, row * nz + z, f);
      }
    }
  }
}
