package dev.rialto.sparse.local;

import java.lang.ref.Reference;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * ELL for the first entries of each row and COO for the rest, so that a few long rows do not pad
 * all others. The width is the one that two thirds of the rows fill. Transposed products are those
 * of the rows it is made of.
 */
public final class Hyb extends LocalMatrix {
  private final Csr source;
  private final Slices slices;
  private final Coo rest;
  private @Nullable RowSums sums;

  private Hyb(Csr matrix, Slices slices, Coo rest) {
    super(matrix.type(), matrix.rows(), matrix.columns());
    this.source = matrix;
    this.slices = slices;
    this.rest = rest;
  }

  static Hyb of(Csr matrix) {
    int[] starts = matrix.starts();
    int[] lengths = new int[matrix.rows()];
    Arrays.setAll(lengths, i -> starts[i + 1] - starts[i]);
    Arrays.sort(lengths);
    int width = lengths.length == 0 ? 0 : lengths[lengths.length / 3];
    return new Hyb(
        matrix,
        Slices.of(matrix, Slices.inOrder(matrix.rows()), width, width),
        Coo.beyond(matrix, width));
  }

  @Override
  public Format format() {
    return Format.HYB;
  }

  @Override
  public long entries() {
    return slices.entries() + rest.entries();
  }

  @Override
  public long bytes() {
    return slices.bytes(type()) + rest.bytes();
  }

  @Override
  public void multiply(
      Op op, Scalar a, long x, Scalar b, long y, int stride, double @Nullable [] dot) {
    if (op != Op.NONE) {
      source.multiply(op, a, x, b, y, stride, null);
      return;
    }
    if (rest.entries() == 0) {
      slices.multiply(kernels, a, x, b, y, stride, 0, dot);
      return;
    }
    RowSums all = sums;
    if (all == null) {
      all = new RowSums(type(), rows());
      sums = all;
    }
    try {
      slices.multiply(kernels, a, x, b, y, stride, all.address(), null);
      rest.add(x, stride, all.address());
      kernels.finish(0, rows(), all.address(), a, b, y, stride);
    } finally {
      Reference.reachabilityFence(all);
    }
    if (dot != null) {
      VectorKernels.of(type()).dot(rows(), x, y, stride, PartialSums.into(dot), 0);
    }
  }
}
