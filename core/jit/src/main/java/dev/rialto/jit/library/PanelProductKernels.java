package dev.rialto.jit.library;

import dev.rialto.jit.kernel.F32;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Tunable.Candidate;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;

/**
 * Products of matrices of F64 or F32 for cores, whose blocks are loops. The numbers of a launch,
 * and the order in which products are summed up, are those of {@link ProductKernels}.
 *
 * <p>The items of a block copy a panel of the right matrix to a shared array, which stays in the
 * nearest cache while all rows of the block use it. Items side by side have the columns of a
 * vector, and each has four rows: sums in variables, as arrays would keep items from becoming
 * vectors.
 *
 * <p>What depends on the place of a block alone is decided around a barrier, so that it is decided
 * once and the loops over items are free of it.
 */
final class PanelProductKernels {
  /** The rows of an item. */
  private static final int ROWS = 4;

  /** The most items of a block. */
  private static final int ITEMS = 1024;

  /** The bytes of a panel: what the nearest cache has room for beside the left matrix. */
  private static final int PANEL_BYTES = 32 << 10;

  private static final int MOST_DEPTH = 256;

  /** Vectors of which there are 32 registers. */
  private static final int LONG_BITS = 512;

  private PanelProductKernels() {}

  /**
   * The part of a product that a block computes.
   *
   * @param across the columns, an item each
   * @param down the items one below the other
   * @param depth how many products are summed up between barriers
   */
  record Panel(int across, int down, int depth) {
    /** Makes one of so many columns. */
    static Panel of(int columns, DType type) {
      int depth = Math.min(MOST_DEPTH, PANEL_BYTES / type.size() / columns);
      return new Panel(columns, ITEMS / columns, depth);
    }

    int rows() {
      return down * ROWS;
    }

    private Shape launch(Shape size) {
      return Shape.of(
          size.extent(0),
          ((size.extent(1) - 1) / rows() + 1) * down,
          ((size.extent(2) - 1) / across + 1) * across);
    }

    Candidate candidate(JavaKernels on, DType type) {
      String name = "panels of %dx%d for %d rows".formatted(depth, across, rows());
      return new Candidate(name, on.withBlock(1, down, across), body(type), this::launch);
    }

    private KernelBody body(DType type) {
      return type == DType.F64
          ? (KernelBody.Of4<F64, F64, F64, I64>)
              (Item it, F64 c, F64 a, F64 b, I64 at) -> multiply(it, c, a, b, at, this)
          : (KernelBody.Of4<F32, F32, F32, I64>)
              (Item it, F32 c, F32 a, F32 b, I64 at) -> multiply(it, c, a, b, at, this);
    }
  }

  /**
   * Returns the candidate for F64 or F32. With four rows and four vectors of columns, 16 vectors
   * are sums: those who have the longest vectors have registers for more.
   */
  static Candidate of(JavaKernels on, DType type) {
    int bytes = on.vectorBits() >= LONG_BITS ? 256 : 64;
    return Panel.of(bytes / type.size(), type).candidate(on, type);
  }

  private static void multiply(Item it, F32 c, F32 a, F32 b, I64 at, Panel p) {
    float[] panel = it.sharedFloats(p.depth() * p.across());
    long rows = at.get(0);
    long columns = at.get(1);
    long summed = at.get(ProductKernels.SUMMED);
    long lastRow = rows - 1;
    long lastColumn = columns - 1;
    long leftRow = at.get(ProductKernels.A + ProductKernels.ROW);
    long leftColumn = at.get(ProductKernels.A + ProductKernels.COLUMN);
    long rightRow = at.get(ProductKernels.B + ProductKernels.ROW);
    long rightColumn = at.get(ProductKernels.B + ProductKernels.COLUMN);
    long left =
        at.get(ProductKernels.A) + it.block(0) * at.get(ProductKernels.A + ProductKernels.BATCH);
    long right =
        at.get(ProductKernels.B) + it.block(0) * at.get(ProductKernels.B + ProductKernels.BATCH);
    int column = it.local(2);
    long side = it.block(2) * p.across();
    long top = it.block(1) * p.rows();
    float sum0 = 0;
    float sum1 = 0;
    float sum2 = 0;
    float sum3 = 0;
    for (long from = 0; from < summed; from += p.depth()) {
      // The mask changes nothing, but tells that places in the panel are ints.
      int depth = (int) least(p.depth(), summed - from) & 2 * p.depth() - 1;
      long first = left + from * leftColumn;
      long above = right + from * rightRow;
      if (rightColumn == 1 && side + p.across() <= columns) {
        for (int k = it.local(1); k < depth; k += p.down()) {
          panel[k * p.across() + column] = b.get(above + k * rightRow + it.global(2));
        }
        it.barrier();
      } else {
        for (int k = it.local(1); k < depth; k += p.down()) {
          long place = least(it.global(2), lastColumn) * rightColumn;
          panel[k * p.across() + column] = b.get(above + k * rightRow + place);
        }
        it.barrier();
      }
      // Rows and columns behind the last are the last once more, and stored nowhere.
      long row = it.global(1) * ROWS;
      long first0 = first + least(row, lastRow) * leftRow;
      long first1 = first + least(row + 1, lastRow) * leftRow;
      long first2 = first + least(row + 2, lastRow) * leftRow;
      long first3 = first + least(row + 3, lastRow) * leftRow;
      for (int k = 0; k < depth; k++) {
        float y = panel[k * p.across() + column];
        sum0 = Math.fma(a.get(first0 + k * leftColumn), y, sum0);
        sum1 = Math.fma(a.get(first1 + k * leftColumn), y, sum1);
        sum2 = Math.fma(a.get(first2 + k * leftColumn), y, sum2);
        sum3 = Math.fma(a.get(first3 + k * leftColumn), y, sum3);
      }
      it.barrier();
    }
    long down = at.get(ProductKernels.C + ProductKernels.ROW);
    long over = at.get(ProductKernels.C + ProductKernels.COLUMN);
    long to =
        at.get(ProductKernels.C) + it.block(0) * at.get(ProductKernels.C + ProductKernels.BATCH);
    if (over == 1 && side + p.across() <= columns && top + p.rows() <= rows) {
      long place = to + it.global(1) * ROWS * down + it.global(2);
      c.set(place, sum0);
      c.set(place + down, sum1);
      c.set(place + 2 * down, sum2);
      c.set(place + 3 * down, sum3);
      it.barrier();
    } else {
      long row = it.global(1) * ROWS;
      if (it.global(2) < columns) {
        long place = to + row * down + it.global(2) * over;
        if (row < rows) {
          c.set(place, sum0);
        }
        if (row + 1 < rows) {
          c.set(place + down, sum1);
        }
        if (row + 2 < rows) {
          c.set(place + 2 * down, sum2);
        }
        if (row + 3 < rows) {
          c.set(place + 3 * down, sum3);
        }
      }
      it.barrier();
    }
  }

  private static void multiply(Item it, F64 c, F64 a, F64 b, I64 at, Panel p) {
    double[] panel = it.sharedDoubles(p.depth() * p.across());
    long rows = at.get(0);
    long columns = at.get(1);
    long summed = at.get(ProductKernels.SUMMED);
    long lastRow = rows - 1;
    long lastColumn = columns - 1;
    long leftRow = at.get(ProductKernels.A + ProductKernels.ROW);
    long leftColumn = at.get(ProductKernels.A + ProductKernels.COLUMN);
    long rightRow = at.get(ProductKernels.B + ProductKernels.ROW);
    long rightColumn = at.get(ProductKernels.B + ProductKernels.COLUMN);
    long left =
        at.get(ProductKernels.A) + it.block(0) * at.get(ProductKernels.A + ProductKernels.BATCH);
    long right =
        at.get(ProductKernels.B) + it.block(0) * at.get(ProductKernels.B + ProductKernels.BATCH);
    int column = it.local(2);
    long side = it.block(2) * p.across();
    long top = it.block(1) * p.rows();
    double sum0 = 0;
    double sum1 = 0;
    double sum2 = 0;
    double sum3 = 0;
    for (long from = 0; from < summed; from += p.depth()) {
      // The mask changes nothing, but tells that places in the panel are ints.
      int depth = (int) least(p.depth(), summed - from) & 2 * p.depth() - 1;
      long first = left + from * leftColumn;
      long above = right + from * rightRow;
      if (rightColumn == 1 && side + p.across() <= columns) {
        for (int k = it.local(1); k < depth; k += p.down()) {
          panel[k * p.across() + column] = b.get(above + k * rightRow + it.global(2));
        }
        it.barrier();
      } else {
        for (int k = it.local(1); k < depth; k += p.down()) {
          long place = least(it.global(2), lastColumn) * rightColumn;
          panel[k * p.across() + column] = b.get(above + k * rightRow + place);
        }
        it.barrier();
      }
      // Rows and columns behind the last are the last once more, and stored nowhere.
      long row = it.global(1) * ROWS;
      long first0 = first + least(row, lastRow) * leftRow;
      long first1 = first + least(row + 1, lastRow) * leftRow;
      long first2 = first + least(row + 2, lastRow) * leftRow;
      long first3 = first + least(row + 3, lastRow) * leftRow;
      for (int k = 0; k < depth; k++) {
        double y = panel[k * p.across() + column];
        sum0 = Math.fma(a.get(first0 + k * leftColumn), y, sum0);
        sum1 = Math.fma(a.get(first1 + k * leftColumn), y, sum1);
        sum2 = Math.fma(a.get(first2 + k * leftColumn), y, sum2);
        sum3 = Math.fma(a.get(first3 + k * leftColumn), y, sum3);
      }
      it.barrier();
    }
    long down = at.get(ProductKernels.C + ProductKernels.ROW);
    long over = at.get(ProductKernels.C + ProductKernels.COLUMN);
    long to =
        at.get(ProductKernels.C) + it.block(0) * at.get(ProductKernels.C + ProductKernels.BATCH);
    if (over == 1 && side + p.across() <= columns && top + p.rows() <= rows) {
      long place = to + it.global(1) * ROWS * down + it.global(2);
      c.set(place, sum0);
      c.set(place + down, sum1);
      c.set(place + 2 * down, sum2);
      c.set(place + 3 * down, sum3);
      it.barrier();
    } else {
      long row = it.global(1) * ROWS;
      if (it.global(2) < columns) {
        long place = to + row * down + it.global(2) * over;
        if (row < rows) {
          c.set(place, sum0);
        }
        if (row + 1 < rows) {
          c.set(place + down, sum1);
        }
        if (row + 2 < rows) {
          c.set(place + 2 * down, sum2);
        }
        if (row + 3 < rows) {
          c.set(place + 3 * down, sum3);
        }
      }
      it.barrier();
    }
  }

  /** Returns the lesser of two numbers without a branch: items stay side by side. */
  private static long least(long x, long y) {
    long over = x - y;
    return y + (over & over >> (Long.SIZE - 1));
  }
}
