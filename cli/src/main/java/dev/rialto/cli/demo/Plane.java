package dev.rialto.cli.demo;

/** The values of a square of points, for a picture; none on ranks that do not draw. */
public final class Plane {
  private final int edge;
  private final double[] values;

  Plane(int edge, double[] values) {
    this.edge = edge;
    this.values = values;
  }

  /** Returns the points along one edge. */
  int edge() {
    return edge;
  }

  double at(int row, int column) {
    return values[row * edge + column];
  }
}
