package dev.rialto.jit.library;

import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Tunable;
import dev.rialto.jit.kernel.Tunable.Candidate;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;

/**
 * Transposes of matrices, in batches. Launches are over batches, rows and columns of what is read.
 */
final class TransposeKernels {
  /** The sides of a tile, and the rows that are moved at once. */
  private static final int TILE = 32;

  private static final int ROWS = 8;

  /** Positions of the places of the matrices among a launch's numbers. */
  private static final int TO = 2;

  private static final int FROM = 6;
  private static final int BATCH = 1;
  private static final int ROW = 2;
  private static final int COLUMN = 3;

  private TransposeKernels() {}

  /** Makes the work for elements of so many bytes. */
  static Tunable of(JavaKernels settings, int bytes) {
    DType word =
        switch (bytes) {
          case 8 -> DType.I64;
          case 4 -> DType.I32;
          case 2 -> DType.I16;
          default -> DType.I8;
        };
    JavaKernels on = settings.withElements(word);
    return Tunable.of(
        "transpose of " + bytes + " bytes",
        new Candidate("plain", on.withBlock(1, 1, 256), plain(), size -> size),
        new Candidate("tiles", on.withBlock(1, ROWS, TILE), tiled(), TransposeKernels::items));
  }

  private static Shape items(Shape size) {
    return Shape.of(
        size.extent(0),
        ((size.extent(1) - 1) / TILE + 1) * ROWS,
        ((size.extent(2) - 1) / TILE + 1) * TILE);
  }

  private static KernelBody plain() {
    KernelBody.Of3<Integers, Integers, I64> body = TransposeKernels::plain;
    return body;
  }

  private static KernelBody tiled() {
    KernelBody.Of3<Integers, Integers, I64> body = TransposeKernels::tiled;
    return body;
  }

  private static void plain(Item it, Integers to, Integers from, I64 at) {
    to.set(
        at.get(TO)
            + it.global(0) * at.get(TO + BATCH)
            + it.global(2) * at.get(TO + ROW)
            + it.global(1) * at.get(TO + COLUMN),
        from.get(
            at.get(FROM)
                + it.global(0) * at.get(FROM + BATCH)
                + it.global(1) * at.get(FROM + ROW)
                + it.global(2) * at.get(FROM + COLUMN)));
  }

  /** Rows are read and written along their elements; one more column keeps banks apart. */
  private static void tiled(Item it, Integers to, Integers from, I64 at) {
    long[] tile = it.sharedLongs(TILE * (TILE + 1));
    long rows = at.get(0);
    long columns = at.get(1);
    long top = it.block(1) * TILE;
    long side = it.block(2) * TILE;
    long source = at.get(FROM) + it.block(0) * at.get(FROM + BATCH);
    long target = at.get(TO) + it.block(0) * at.get(TO + BATCH);
    int column = it.local(2);
    for (int row = it.local(1); row < TILE; row += ROWS) {
      if (top + row < rows && side + column < columns) {
        tile[row * (TILE + 1) + column] =
            from.get(
                source
                    + (top + row) * at.get(FROM + ROW)
                    + (side + column) * at.get(FROM + COLUMN));
      }
    }
    it.barrier();
    for (int row = it.local(1); row < TILE; row += ROWS) {
      if (side + row < columns && top + column < rows) {
        to.set(
            target + (side + row) * at.get(TO + ROW) + (top + column) * at.get(TO + COLUMN),
            tile[column * (TILE + 1) + row]);
      }
    }
  }
}
