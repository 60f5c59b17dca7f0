package dev.rialto.jit.library;

import dev.rialto.jit.kernel.BF16;
import dev.rialto.jit.kernel.F16;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Tile;
import dev.rialto.jit.kernel.Tunable;
import dev.rialto.jit.kernel.Tunable.Candidate;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;

/**
 * Products of matrices of 16-bit elements by tiles that subgroups multiply together, for devices
 * with instructions for that. The numbers of a launch are those of {@link ProductKernels}.
 *
 * <p>A block computes 128 by 128 elements; the factors of the next step come to shared arrays while
 * those of this one are multiplied. Extents are whole multiples, and rows lie element by element:
 * everything else is left to {@link ProductKernels}. The device adds in an order of its own.
 */
final class HalfProductKernels {
  /** The sides of what a block computes. */
  private static final int SIDE = 128;

  /** The length of the sums between two barriers. */
  private static final int STEP = 32;

  // Rows of 16 bytes more than a power of two, so that eight of them lie in different banks.
  private static final int LEFT_ROW = STEP + 8;
  private static final int RIGHT_ROW = SIDE + 8;
  private static final int LEFT = SIDE * LEFT_ROW;
  private static final int RIGHT = STEP * RIGHT_ROW;

  /** Sums of 16 bits are rounded at the end, but those before are in another order. */
  private static final double TOLERANCE = 0.01;

  private HalfProductKernels() {}

  /** A matrix in an array of a launch. */
  private sealed interface Matrix {
    void copy(Item it, short[] to, int toAt, int toStride, long at, long stride, boolean left);

    void multiplyAdd(Tile tile, Item it, float[] sums, short[] a, int aAt, short[] b, int bAt);

    void store(Tile tile, Item it, float[] sums, long at, long stride);
  }

  private record Halves(F16 array) implements Matrix {
    @Override
    public void copy(
        Item it, short[] to, int toAt, int toStride, long at, long stride, boolean left) {
      if (left) {
        Tile.copy(it, to, toAt, toStride, array, at, stride, SIDE, STEP);
      } else {
        Tile.copy(it, to, toAt, toStride, array, at, stride, STEP, SIDE);
      }
    }

    @Override
    public void multiplyAdd(
        Tile tile, Item it, float[] sums, short[] a, int aAt, short[] b, int bAt) {
      tile.multiplyAddF16(it, sums, a, aAt, LEFT_ROW, b, bAt, RIGHT_ROW);
    }

    @Override
    public void store(Tile tile, Item it, float[] sums, long at, long stride) {
      tile.store(it, sums, array, at, stride);
    }
  }

  private record Brains(BF16 array) implements Matrix {
    @Override
    public void copy(
        Item it, short[] to, int toAt, int toStride, long at, long stride, boolean left) {
      if (left) {
        Tile.copy(it, to, toAt, toStride, array, at, stride, SIDE, STEP);
      } else {
        Tile.copy(it, to, toAt, toStride, array, at, stride, STEP, SIDE);
      }
    }

    @Override
    public void multiplyAdd(
        Tile tile, Item it, float[] sums, short[] a, int aAt, short[] b, int bAt) {
      tile.multiplyAddBf16(it, sums, a, aAt, LEFT_ROW, b, bAt, RIGHT_ROW);
    }

    @Override
    public void store(Tile tile, Item it, float[] sums, long at, long stride) {
      tile.store(it, sums, array, at, stride);
    }
  }

  /** Returns whether a launch with these numbers is possible. */
  static boolean fits(DType type, long[] numbers) {
    return type.size() == 2
        && numbers[0] % SIDE == 0
        && numbers[1] % SIDE == 0
        && numbers[ProductKernels.SUMMED] % STEP == 0
        && numbers[ProductKernels.SUMMED] > 0
        && numbers[ProductKernels.A + ProductKernels.COLUMN] == 1
        && numbers[ProductKernels.B + ProductKernels.COLUMN] == 1
        && numbers[ProductKernels.C + ProductKernels.COLUMN] == 1;
  }

  /** Makes the work for a type, with parts of several sizes for subgroups. */
  static Tunable of(JavaKernels on, DType type) {
    return Tunable.of(
            "product of whole tiles of " + type,
            candidate(on, type, new Tile(64, 64, STEP)),
            candidate(on, type, new Tile(64, 32, STEP)))
        .withTolerance(TOLERANCE);
  }

  static Candidate candidate(JavaKernels on, DType type, Tile tile) {
    int items = SIDE / tile.rows() * (SIDE / tile.columns()) * Item.SUBGROUP;
    KernelBody body =
        type == DType.F16
            ? (KernelBody.Of4<F16, F16, F16, I64>)
                (Item it, F16 c, F16 a, F16 b, I64 at) ->
                    multiply(it, new Halves(c), new Halves(a), new Halves(b), at, tile)
            : (KernelBody.Of4<BF16, BF16, BF16, I64>)
                (Item it, BF16 c, BF16 a, BF16 b, I64 at) ->
                    multiply(it, new Brains(c), new Brains(a), new Brains(b), at, tile);
    return new Candidate(
        tile.rows() + "x" + tile.columns(),
        on.withBlock(items),
        body,
        size ->
            Shape.of(size.extent(0) * (size.extent(1) / SIDE) * (size.extent(2) / SIDE) * items));
  }

  private static void multiply(Item it, Matrix c, Matrix a, Matrix b, I64 at, Tile tile) {
    short[] left = it.sharedShorts(2 * LEFT);
    short[] right = it.sharedShorts(2 * RIGHT);
    long across = at.get(1) / SIDE;
    long each = at.get(0) / SIDE * across;
    long batch = it.block() / each;
    long row = it.block() % each / across * SIDE;
    long column = it.block() % each % across * SIDE;
    long summed = at.get(ProductKernels.SUMMED);
    long aRow = at.get(ProductKernels.A + ProductKernels.ROW);
    long bRow = at.get(ProductKernels.B + ProductKernels.ROW);
    long cRow = at.get(ProductKernels.C + ProductKernels.ROW);
    long aFirst =
        at.get(ProductKernels.A)
            + batch * at.get(ProductKernels.A + ProductKernels.BATCH)
            + row * aRow;
    long bFirst =
        at.get(ProductKernels.B) + batch * at.get(ProductKernels.B + ProductKernels.BATCH) + column;
    int subgroup = it.local() / Item.SUBGROUP;
    int inRow = SIDE / tile.columns();
    int down = subgroup / inRow * tile.rows();
    int side = subgroup % inRow * tile.columns();
    float[] sums = tile.zeros(it);
    a.copy(it, left, 0, LEFT_ROW, aFirst, aRow, true);
    b.copy(it, right, 0, RIGHT_ROW, bFirst, bRow, false);
    it.barrier();
    int now = 0;
    for (long k = 0; k < summed; k += STEP) {
      long next = k + STEP;
      if (next < summed) {
        a.copy(it, left, (1 - now) * LEFT, LEFT_ROW, aFirst + next, aRow, true);
        b.copy(it, right, (1 - now) * RIGHT, RIGHT_ROW, bFirst + next * bRow, bRow, false);
      }
      a.multiplyAdd(tile, it, sums, left, now * LEFT + down * LEFT_ROW, right, now * RIGHT + side);
      it.barrier();
      now = 1 - now;
    }
    long to = at.get(ProductKernels.C) + batch * at.get(ProductKernels.C + ProductKernels.BATCH);
    c.store(tile, it, sums, to + (row + down) * cRow + column + side, cRow);
  }
}
