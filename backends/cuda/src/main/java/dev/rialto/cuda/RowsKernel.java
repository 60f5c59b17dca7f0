package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.parts.BoxPair;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Copies boxes whose elements lie side by side along the same axis on either side: rows.
 *
 * <p>Rows are moved in the widest parts that the addresses, the strides and the length allow, up to
 * 16 bytes. A row has as many threads of a block as it has parts, rounded up to a power of two, so
 * that short rows share a block; finding a row's place takes a division for each axis but one.
 */
final class RowsKernel {
  /** The most axes besides the rows. */
  static final int AXES = 7;

  static final int BLOCK = 256;
  static final String NAME = "rialto_rows";

  private static final String SOURCE =
      """
      struct Rows {
        long long rows, parts, lanes, axes;
        long long extent[7], from[7], to[7];
      };

      extern "C" __global__ void __launch_bounds__(256) rialto_rows(
          const char *source, char *target, Rows r) {
        int lanes = (int)r.lanes, each = 256 / lanes;
        int lane = threadIdx.x % lanes;
        long long rows = (long long)gridDim.x * each;
        for (long long row = (long long)blockIdx.x * each + threadIdx.x / lanes; row < r.rows;
             row += rows) {
          long long rest = row, in = 0, out = 0;
          for (int axis = (int)r.axes - 1; axis > 0; axis--) {
            long long index = rest % r.extent[axis];
            rest /= r.extent[axis];
            in += index * r.from[axis];
            out += index * r.to[axis];
          }
          const ELEMENT *from = (const ELEMENT *)(source + in + rest * r.from[0]);
          ELEMENT *to = (ELEMENT *)(target + out + rest * r.to[0]);
          for (long long part = lane; part < r.parts; part += lanes) to[part] = from[part];
        }
      }
      """;

  private RowsKernel() {}

  /** Returns the text for parts of so many bytes: 1, 2, 4, 8 or 16. */
  static String source(int size) {
    return "#define ELEMENT " + TransposeKernel.element(size) + "\n" + SOURCE;
  }

  /** Returns the bytes of a part, or 0 if these are no rows. */
  static int part(BoxPair boxes, int size, long source, long target) {
    int last = boxes.rank() - 1;
    if (last < 1 || last > AXES || boxes.from[last] != size || boxes.to[last] != size) {
      return 0;
    }
    long all = 16 | (source + boxes.fromOffset) | (target + boxes.toOffset);
    for (int axis = 0; axis < last; axis++) {
      all |= boxes.from[axis] | boxes.to[axis];
    }
    return (int) Long.lowestOneBit(all | boxes.extents[last] * size);
  }

  /** Describes the copy for the kernel. */
  static MemorySegment describe(BoxPair boxes, int size, int part, Arena arena) {
    int last = boxes.rank() - 1;
    MemorySegment rows = arena.allocate(JAVA_LONG, 4 + 3L * AXES);
    long count = 1;
    for (int axis = 0; axis < last; axis++) {
      count *= boxes.extents[axis];
      rows.setAtIndex(JAVA_LONG, 4 + axis, boxes.extents[axis]);
      rows.setAtIndex(JAVA_LONG, 4 + AXES + axis, boxes.from[axis]);
      rows.setAtIndex(JAVA_LONG, 4 + 2 * AXES + axis, boxes.to[axis]);
    }
    long parts = boxes.extents[last] * size / part;
    rows.setAtIndex(JAVA_LONG, 0, count);
    rows.setAtIndex(JAVA_LONG, 1, parts);
    rows.setAtIndex(JAVA_LONG, 2, Math.min(BLOCK, Long.highestOneBit(2 * parts - 1)));
    rows.setAtIndex(JAVA_LONG, 3, last);
    return rows;
  }

  /** Returns the blocks for a description. */
  static int blocks(MemorySegment rows) {
    long each = BLOCK / rows.getAtIndex(JAVA_LONG, 2);
    return (int) Math.min((rows.getAtIndex(JAVA_LONG, 0) - 1) / each + 1, Integer.MAX_VALUE);
  }
}
