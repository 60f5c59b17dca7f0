package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.Team;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.VectorKernels;
import dev.rialto.spi.data.DType;

/**
 * A star-shaped stencil on a grid of nx × ny × nz points, without a matrix: seven numbers instead
 * of seven per row. Points beyond the grid count as 0.
 *
 * <p>Ranks own slabs of whole planes. A product reads each vector a few times from cache and once
 * from memory; it takes planes inside while the halo travels.
 */
public final class StencilOperator implements LinearOperator {
  private final IndexMap map;
  private final DType type;
  private final int ny;
  private final int nz;
  private final int planes;
  private final boolean below;
  private final double[] star;

  private StencilOperator(IndexMap map, DType type, int ny, int nz, boolean below, double[] star) {
    this.map = map;
    this.type = type;
    this.ny = ny;
    this.nz = nz;
    this.planes = map.owned() / Math.max(1, ny * nz);
    this.below = below;
    this.star = star;
  }

  /**
   * Makes an operator. Collective.
   *
   * @param star the coefficients of the point itself and its neighbours x-1, x+1, y-1, y+1, z-1,
   *     z+1; point (x, y, z) is number {@code (x ny + y) nz + z}
   */
  public static StencilOperator of(Team team, DType type, int nx, int ny, int nz, double... star) {
    if (star.length != 7 || nx < 1 || ny < 1 || nz < 1) {
      throw new IllegalArgumentException(
          "%d coefficients on %d x %d x %d points; give 7 and at least 1 each"
              .formatted(star.length, nx, ny, nz));
    }
    long plane = (long) ny * nz;
    IndexSpace space = team.space(nx, ny, nz);
    long planes = space.distribution().localCount(team.rank()) / plane;
    long from = planes == 0 ? 0 : space.distribution().elements(team.rank())[0] / plane;
    long to = from + planes;
    IndexMapBuilder builder = IndexMap.of(space);
    boolean below = from > 0 && to > from;
    for (long i = 0; i < plane && to > from; i++) {
      if (below) {
        builder.need((from - 1) * plane + i);
      }
      if (to < nx) {
        builder.need(to * plane + i);
      }
    }
    return new StencilOperator(builder.assemble(), type, ny, nz, below, star.clone());
  }

  @Override
  public IndexMap map() {
    return map;
  }

  @Override
  public DType type() {
    return type;
  }

  @Override
  public double normInf() {
    double sum = 0;
    for (double coefficient : star) {
      sum += Math.abs(coefficient);
    }
    return sum;
  }

  @Override
  public void apply(Op op, Scalar a, Array x, Scalar b, Array y) {
    if (y.isOnDevice()) {
      throw new UnsupportedOperationException(
          "a stencil without a matrix on %s; give arrays of space().onHost()".formatted(y));
    }
    ProductRules.run(
        this,
        a,
        x,
        b,
        y,
        (in, out, width) -> {
          ProductRules.requireOne(width);
          product(op != Op.NONE, a, in, b, out);
        });
  }

  private void product(boolean turned, Scalar a, Array x, Scalar b, Array y) {
    long in = x.local().address();
    long out = y.local().address();
    HaloUpdate halo = HaloUpdate.start(map, null, type, 1, x.local());
    for (int plane = 1; plane < planes - 1; plane++) {
      plane(plane, turned, a, in, 0, b, out);
    }
    // The halo lies behind what is owned: the plane of the rank below, then that above.
    long others = halo.await() + type.bytes(map.owned());
    if (planes > 0) {
      plane(0, turned, a, in, others, b, out);
    }
    if (planes > 1) {
      plane(planes - 1, turned, a, in, others, b, out);
    }
    halo.end();
  }

  private void plane(int p, boolean turned, Scalar a, long in, long halo, Scalar b, long y) {
    VectorKernels kernels = VectorKernels.of(type);
    int plane = ny * nz;
    long size = type.size();
    long out = y + (long) p * plane * size;
    boolean hasLower = p > 0 || below;
    long lower = p > 0 ? in + (long) (p - 1) * plane * size : halo;
    boolean inside = p < planes - 1;
    boolean hasUpper = inside || map.locals() - map.owned() > (below ? plane : 0);
    long upper =
        inside ? in + (long) (p + 1) * plane * size : halo + (below ? (long) plane * size : 0);
    long here = in + (long) p * plane * size;
    for (int line = 0; line < ny; line++) {
      long at = (long) line * nz * size;
      kernels.axpby(nz, scaled(a, 0), here + at, b, out + at);
      if (hasLower) {
        kernels.axpby(nz, scaled(a, turned ? 2 : 1), lower + at, Scalar.ONE, out + at);
      }
      if (hasUpper) {
        kernels.axpby(nz, scaled(a, turned ? 1 : 2), upper + at, Scalar.ONE, out + at);
      }
      if (line > 0) {
        kernels.axpby(nz, scaled(a, turned ? 4 : 3), here + at - nz * size, Scalar.ONE, out + at);
      }
      if (line < ny - 1) {
        kernels.axpby(nz, scaled(a, turned ? 3 : 4), here + at + nz * size, Scalar.ONE, out + at);
      }
      kernels.axpby(nz - 1, scaled(a, turned ? 6 : 5), here + at, Scalar.ONE, out + at + size);
      kernels.axpby(nz - 1, scaled(a, turned ? 5 : 6), here + at + size, Scalar.ONE, out + at);
    }
  }

  private Scalar scaled(Scalar a, int place) {
    return a.times(Scalar.of(star[place]));
  }
}
