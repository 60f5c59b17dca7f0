package dev.rialto.cpu.fft;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.rialto.spi.data.DType;

/**
 * One side of a transform, its input or output: where lines lie, and how a group of them becomes
 * rows or is made of rows.
 *
 * <p>Lines that lie side by side are read as columns, a vector at a time; contiguous ones as
 * squares that are transposed in registers; all others, and groups that do not fill the lanes,
 * number by number.
 */
final class Lines {
  private final Codelets codelets;
  private final boolean in;
  private final int parts;
  private final long points;
  private final long stride;
  private final long distance;
  private final long plane;
  private final boolean columns;
  private final boolean contiguous;
  private final Codelet fast;

  /**
   * Describes lines; strides and distances are elements.
   *
   * @param in whether these are read
   */
  Lines(
      Codelets codelets,
      boolean in,
      DType element,
      long points,
      long stride,
      long distance,
      long plane) {
    this.codelets = codelets;
    this.in = in;
    this.parts = element.kind() == DType.Kind.COMPLEX ? 2 : 1;
    this.points = points;
    this.stride = stride * element.size();
    this.distance = distance * element.size();
    this.plane = plane * element.size();
    this.columns = distance == 1;
    this.contiguous = stride == 1 && !columns;
    this.fast =
        contiguous
            ? codelets.transpose(in)
            : parts == 2 ? codelets.copyColumns(in) : codelets.copyRealColumns(in);
  }

  boolean columns() {
    return columns && parts == 2;
  }

  long stride() {
    return stride;
  }

  /** Returns where a line lies, in bytes. */
  long offset(long planeIndex, long line) {
    return planeIndex * plane + line * distance;
  }

  /** Copies {@code count} lines, those of a group, between memory and a block. */
  void copy(long memory, long block, int count) {
    Numbers numbers = codelets.numbers();
    int lanes = numbers.lanes();
    long rows = points * parts;
    if (count == lanes) {
      if (columns) {
        long row = (long) parts * numbers.rowBytes();
        fast.run(
            in ? memory : block,
            in ? block : memory,
            points,
            0,
            in ? stride : row,
            in ? row : stride,
            ConstantTable.EMPTY);
        return;
      }
      if (contiguous && rows >= lanes) {
        long tiles = rows / lanes;
        turn(memory, block, tiles);
        if (tiles * lanes < rows) {
          // The last rows once more with those before them: what is written twice is the same.
          long from = rows - lanes;
          turn(memory + from * numbers.type().size(), block + from * numbers.rowBytes(), 1);
        }
        return;
      }
    }
    numberByNumber(memory, block, count, rows);
  }

  private void turn(long memory, long block, long tiles) {
    long row = codelets.numbers().rowBytes();
    fast.run(
        in ? memory : block,
        in ? block : memory,
        tiles,
        0,
        in ? distance : row,
        in ? row : distance,
        ConstantTable.EMPTY);
  }

  private void numberByNumber(long memory, long block, int count, long rows) {
    Numbers numbers = codelets.numbers();
    int size = numbers.type().size();
    int lanes = numbers.lanes();
    for (int lane = 0; lane < lanes; lane++) {
      int line = Codelets.line(lane, lanes);
      if (line >= count) {
        continue;
      }
      for (long row = 0; row < rows; row++) {
        long number = memory + line * distance + row / parts * stride + row % parts * size;
        long cell = block + row * numbers.rowBytes() + (long) lane * size;
        if (in) {
          copyNumber(size, number, cell);
        } else {
          copyNumber(size, cell, number);
        }
      }
    }
  }

  private static void copyNumber(int size, long from, long to) {
    if (size == 8) {
      MEMORY.set(JAVA_LONG_UNALIGNED, to, MEMORY.get(JAVA_LONG_UNALIGNED, from));
    } else {
      MEMORY.set(JAVA_INT_UNALIGNED, to, MEMORY.get(JAVA_INT_UNALIGNED, from));
    }
  }
}
