package dev.rialto.jit.library;

import dev.rialto.jit.kernel.BF16;
import dev.rialto.jit.kernel.F16;
import dev.rialto.jit.kernel.F32;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Tunable;
import dev.rialto.jit.kernel.Tunable.Candidate;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.DeviceProperties;
import java.util.ArrayList;
import java.util.List;

/**
 * Products of matrices, in batches. Launches are over batches, rows and columns.
 *
 * <p>Each element is the sum of its products in their order, by fused steps, whatever the tile, so
 * all candidates have the same bits. Elements of 16 bits are summed up in 32. Tiles are copied to
 * shared arrays, whose strides are constants; so operands may have any. Cores have {@linkplain
 * PanelProductKernels kernels of their own} but for elements of 16 bits.
 */
final class ProductKernels {
  /** Positions of the extents and the places of the matrices among a launch's numbers. */
  static final int SUMMED = 2;

  static final int C = 3;
  static final int A = 7;
  static final int B = 11;

  /** Positions of the strides, counted from the first place of a matrix. */
  static final int BATCH = 1;

  static final int ROW = 2;
  static final int COLUMN = 3;

  /** For small matrices, for GPUs, and, with columns side by side, for 16 bits on cores. */
  private static final List<Tile> TILES =
      List.of(
          new Tile(16, 16, 16, 1, 1),
          new Tile(64, 64, 16, 4, 4),
          new Tile(64, 64, 32, 4, 1),
          new Tile(128, 128, 8, 8, 8));

  private ProductKernels() {}

  /**
   * The part of a product that a block computes.
   *
   * @param rows of the result
   * @param columns of the result
   * @param depth how many products are summed up between barriers
   * @param itemRows the rows of an item
   * @param itemColumns the columns of an item, which are apart
   */
  record Tile(int rows, int columns, int depth, int itemRows, int itemColumns) {
    int across() {
      return columns / itemColumns;
    }

    int shared() {
      return depth * (rows + columns);
    }

    int items() {
      return rows / itemRows * across();
    }

    private Shape launch(Shape size) {
      return Shape.of(
          size.extent(0),
          ((size.extent(1) - 1) / rows + 1) * (rows / itemRows),
          ((size.extent(2) - 1) / columns + 1) * across());
    }

    Candidate candidate(JavaKernels on, DType type) {
      String name = "%dx%dx%d by %dx%d".formatted(rows, columns, depth, itemRows, itemColumns);
      return new Candidate(
          name, on.withBlock(1, rows / itemRows, across()), body(type), this::launch);
    }

    private KernelBody body(DType type) {
      return switch (type) {
        case F64 ->
            (KernelBody.Of4<F64, F64, F64, I64>)
                (Item it, F64 c, F64 a, F64 b, I64 at) -> tiled(it, c, a, b, at, this);
        case F32 ->
            (KernelBody.Of4<F32, F32, F32, I64>)
                (Item it, F32 c, F32 a, F32 b, I64 at) ->
                    tiled(
                        it,
                        new Floats.Singles(c),
                        new Floats.Singles(a),
                        new Floats.Singles(b),
                        at,
                        this);
        case F16 ->
            (KernelBody.Of4<F16, F16, F16, I64>)
                (Item it, F16 c, F16 a, F16 b, I64 at) ->
                    tiled(
                        it,
                        new Floats.Halves(c),
                        new Floats.Halves(a),
                        new Floats.Halves(b),
                        at,
                        this);
        default ->
            (KernelBody.Of4<BF16, BF16, BF16, I64>)
                (Item it, BF16 c, BF16 a, BF16 b, I64 at) ->
                    tiled(
                        it,
                        new Floats.Brains(c),
                        new Floats.Brains(a),
                        new Floats.Brains(b),
                        at,
                        this);
      };
    }
  }

  private static void tiled(Item it, Floats c, Floats a, Floats b, I64 at, Tile t) {
    float[] left = it.sharedFloats(t.depth() * t.rows());
    float[] right = it.sharedFloats(t.depth() * t.columns());
    float[] sums = new float[t.itemRows() * t.itemColumns()];
    long rows = at.get(0);
    long columns = at.get(1);
    long summed = at.get(SUMMED);
    long top = it.block(1) * t.rows();
    long side = it.block(2) * t.columns();
    long leftRow = at.get(A + ROW);
    long leftColumn = at.get(A + COLUMN);
    long rightRow = at.get(B + ROW);
    long rightColumn = at.get(B + COLUMN);
    long leftFirst = at.get(A) + it.block(0) * at.get(A + BATCH) + top * leftRow;
    long rightFirst = at.get(B) + it.block(0) * at.get(B + BATCH) + side * rightColumn;
    int row = it.local(1);
    int column = it.local(2);
    for (long first = 0; first < summed; first += t.depth()) {
      for (int e = it.local(); e < t.rows() * t.depth(); e += t.items()) {
        int i = leftColumn == 1 ? e / t.depth() : e % t.rows();
        int k = leftColumn == 1 ? e % t.depth() : e / t.rows();
        left[k * t.rows() + i] =
            top + i < rows && first + k < summed
                ? a.get(leftFirst + i * leftRow + (first + k) * leftColumn)
                : 0;
      }
      for (int e = it.local(); e < t.columns() * t.depth(); e += t.items()) {
        int j = rightRow == 1 ? e / t.depth() : e % t.columns();
        int k = rightRow == 1 ? e % t.depth() : e / t.columns();
        right[k * t.columns() + j] =
            side + j < columns && first + k < summed
                ? b.get(rightFirst + j * rightColumn + (first + k) * rightRow)
                : 0;
      }
      it.barrier();
      for (int k = 0; k < t.depth(); k++) {
        for (int i = 0; i < t.itemRows(); i++) {
          float x = left[k * t.rows() + row * t.itemRows() + i];
          for (int j = 0; j < t.itemColumns(); j++) {
            float y = right[k * t.columns() + column + j * t.across()];
            int sum = i * t.itemColumns() + j;
            sums[sum] = Math.fma(x, y, sums[sum]);
          }
        }
      }
      it.barrier();
    }
    long to = at.get(C) + it.block(0) * at.get(C + BATCH);
    for (int i = 0; i < t.itemRows(); i++) {
      for (int j = 0; j < t.itemColumns(); j++) {
        long y = top + (row * t.itemRows() + i);
        long x = side + (column + j * t.across());
        if (y < rows && x < columns) {
          c.set(to + y * at.get(C + ROW) + x * at.get(C + COLUMN), sums[i * t.itemColumns() + j]);
        }
      }
    }
  }

  private static void tiled(Item it, F64 c, F64 a, F64 b, I64 at, Tile t) {
    double[] left = it.sharedDoubles(t.depth() * t.rows());
    double[] right = it.sharedDoubles(t.depth() * t.columns());
    double[] sums = new double[t.itemRows() * t.itemColumns()];
    long rows = at.get(0);
    long columns = at.get(1);
    long summed = at.get(SUMMED);
    long top = it.block(1) * t.rows();
    long side = it.block(2) * t.columns();
    long leftRow = at.get(A + ROW);
    long leftColumn = at.get(A + COLUMN);
    long rightRow = at.get(B + ROW);
    long rightColumn = at.get(B + COLUMN);
    long leftFirst = at.get(A) + it.block(0) * at.get(A + BATCH) + top * leftRow;
    long rightFirst = at.get(B) + it.block(0) * at.get(B + BATCH) + side * rightColumn;
    int row = it.local(1);
    int column = it.local(2);
    for (long first = 0; first < summed; first += t.depth()) {
      for (int e = it.local(); e < t.rows() * t.depth(); e += t.items()) {
        int i = leftColumn == 1 ? e / t.depth() : e % t.rows();
        int k = leftColumn == 1 ? e % t.depth() : e / t.rows();
        left[k * t.rows() + i] =
            top + i < rows && first + k < summed
                ? a.get(leftFirst + i * leftRow + (first + k) * leftColumn)
                : 0;
      }
      for (int e = it.local(); e < t.columns() * t.depth(); e += t.items()) {
        int j = rightRow == 1 ? e / t.depth() : e % t.columns();
        int k = rightRow == 1 ? e % t.depth() : e / t.columns();
        right[k * t.columns() + j] =
            side + j < columns && first + k < summed
                ? b.get(rightFirst + j * rightColumn + (first + k) * rightRow)
                : 0;
      }
      it.barrier();
      for (int k = 0; k < t.depth(); k++) {
        for (int i = 0; i < t.itemRows(); i++) {
          double x = left[k * t.rows() + row * t.itemRows() + i];
          for (int j = 0; j < t.itemColumns(); j++) {
            double y = right[k * t.columns() + column + j * t.across()];
            int sum = i * t.itemColumns() + j;
            sums[sum] = Math.fma(x, y, sums[sum]);
          }
        }
      }
      it.barrier();
    }
    long to = at.get(C) + it.block(0) * at.get(C + BATCH);
    for (int i = 0; i < t.itemRows(); i++) {
      for (int j = 0; j < t.itemColumns(); j++) {
        long y = top + (row * t.itemRows() + i);
        long x = side + (column + j * t.across());
        if (y < rows && x < columns) {
          c.set(to + y * at.get(C + ROW) + x * at.get(C + COLUMN), sums[i * t.itemColumns() + j]);
        }
      }
    }
  }

  /** Makes the work for a type, with the tiles that a device has room for. */
  static Tunable of(JavaKernels on, DType type) {
    DeviceProperties device = on.client().device().properties();
    int bytes = Math.max(type.size(), Float.BYTES);
    List<Candidate> all = new ArrayList<>();
    all.add(plain(on, type));
    if (on.vectorBits() > 0 && type.size() >= Float.BYTES) {
      all.add(PanelProductKernels.of(on, type));
      return Tunable.of("product of " + type, all.toArray(Candidate[]::new));
    }
    for (Tile tile : TILES) {
      // On the host's cores a block is a loop.
      boolean fits =
          device.features().contains(DeviceProperties.Feature.JAVA_KERNELS)
              || (tile.items() <= device.maxBlock()
                  && (long) tile.shared() * bytes <= device.sharedBytes());
      if (fits) {
        all.add(tile.candidate(on, type));
      }
    }
    return Tunable.of("product of " + type, all.toArray(Candidate[]::new));
  }

  private static Candidate plain(JavaKernels on, DType type) {
    KernelBody body =
        switch (type) {
          case F64 ->
              (KernelBody.Of4<F64, F64, F64, I64>)
                  (Item it, F64 c, F64 a, F64 b, I64 at) -> plain(it, c, a, b, at);
          case F32 ->
              (KernelBody.Of4<F32, F32, F32, I64>)
                  (Item it, F32 c, F32 a, F32 b, I64 at) ->
                      plain(
                          it,
                          new Floats.Singles(c),
                          new Floats.Singles(a),
                          new Floats.Singles(b),
                          at);
          case F16 ->
              (KernelBody.Of4<F16, F16, F16, I64>)
                  (Item it, F16 c, F16 a, F16 b, I64 at) ->
                      plain(
                          it, new Floats.Halves(c), new Floats.Halves(a), new Floats.Halves(b), at);
          default ->
              (KernelBody.Of4<BF16, BF16, BF16, I64>)
                  (Item it, BF16 c, BF16 a, BF16 b, I64 at) ->
                      plain(
                          it, new Floats.Brains(c), new Floats.Brains(a), new Floats.Brains(b), at);
        };
    return new Candidate("plain", on.withBlock(1, 1, 256), body, size -> size);
  }

  private static void plain(Item it, Floats c, Floats a, Floats b, I64 at) {
    long summed = at.get(SUMMED);
    long left = at.get(A) + it.global(0) * at.get(A + BATCH) + it.global(1) * at.get(A + ROW);
    long right = at.get(B) + it.global(0) * at.get(B + BATCH) + it.global(2) * at.get(B + COLUMN);
    float sum = 0;
    for (long k = 0; k < summed; k++) {
      sum = Math.fma(a.get(left + k * at.get(A + COLUMN)), b.get(right + k * at.get(B + ROW)), sum);
    }
    long to = at.get(C) + it.global(0) * at.get(C + BATCH);
    c.set(to + it.global(1) * at.get(C + ROW) + it.global(2) * at.get(C + COLUMN), sum);
  }

  private static void plain(Item it, F64 c, F64 a, F64 b, I64 at) {
    long summed = at.get(SUMMED);
    long left = at.get(A) + it.global(0) * at.get(A + BATCH) + it.global(1) * at.get(A + ROW);
    long right = at.get(B) + it.global(0) * at.get(B + BATCH) + it.global(2) * at.get(B + COLUMN);
    double sum = 0;
    for (long k = 0; k < summed; k++) {
      sum = Math.fma(a.get(left + k * at.get(A + COLUMN)), b.get(right + k * at.get(B + ROW)), sum);
    }
    long to = at.get(C) + it.global(0) * at.get(C + BATCH);
    c.set(to + it.global(1) * at.get(C + ROW) + it.global(2) * at.get(C + COLUMN), sum);
  }
}
