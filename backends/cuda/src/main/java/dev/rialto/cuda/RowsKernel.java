package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.copy.BoxPair;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Copies boxes whose elements lie side by side along the same axis on either side: rows.
 *
 * <p>Rows are moved in the widest parts that the addresses, the strides and the length allow, up to
 * 16 bytes. A row has a quarter as many threads of a block as it has parts, or a warp, so that
 * short rows share a block. The grid has the axis of the rows and one for all further axes, so that
 * finding a row takes a division only beyond three axes.
 */
final class RowsKernel {
  /** The most axes besides those of a plane of rows. */
  static final int FURTHER = 6;

  static final int BLOCK = 256;

  /** Parts that a thread has under way at once; with one, cubes moved at 0.7 of the bandwidth. */
  private static final int EACH = 4;

  private static final int WARP = 32;
  static final String NAME = "rialto_rows";

  private static final String SOURCE =
      """
      struct Rows {
        long long rows, parts, lanes, places, fromRow, toRow, axes;
        long long extent[6], from[6], to[6];
      };

      extern "C" __global__ void __launch_bounds__(256) rialto_rows(
          const char *source, char *target, Rows r) {
        int lanes = (int)r.lanes, shift = 31 - __clz(lanes);
        int lane = threadIdx.x & (lanes - 1);
        long long row = (blockIdx.x * 256LL + threadIdx.x) >> shift;
        if (row >= r.rows) return;
        for (long long place = blockIdx.y; place < r.places; place += gridDim.y) {
          long long rest = place, in = row * r.fromRow, out = row * r.toRow;
          for (int axis = (int)r.axes - 1; axis > 0; axis--) {
            long long index = rest % r.extent[axis];
            rest /= r.extent[axis];
            in += index * r.from[axis];
            out += index * r.to[axis];
          }
          const ELEMENT *from = (const ELEMENT *)(source + in + rest * r.from[0]);
          ELEMENT *to = (ELEMENT *)(target + out + rest * r.to[0]);
          for (long long part = lane; part < r.parts; part += 4 * lanes) {
            ELEMENT parts[4];
            #pragma unroll
            for (int i = 0; i < 4; i++)
              if (part + i * lanes < r.parts) parts[i] = from[part + i * lanes];
            #pragma unroll
            for (int i = 0; i < 4; i++)
              if (part + i * lanes < r.parts) to[part + i * lanes] = parts[i];
          }
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
    if (last < 1 || last > FURTHER + 1 || boxes.from[last] != size || boxes.to[last] != size) {
      return 0;
    }
    long all = 16 | (source + boxes.fromOffset) | (target + boxes.toOffset);
    for (int axis = 0; axis < last; axis++) {
      all |= boxes.from[axis] | boxes.to[axis];
    }
    return (int) Long.lowestOneBit(all | boxes.extents[last] * size);
  }

  static MemorySegment describe(BoxPair boxes, int size, int part, Arena arena) {
    int last = boxes.rank() - 1;
    int inner = closest(boxes.from, last);
    MemorySegment rows = arena.allocate(JAVA_LONG, 7 + 3L * FURTHER);
    long places = 1;
    int next = 7;
    for (int axis = 0; axis < last; axis++) {
      if (axis != inner) {
        places *= boxes.extents[axis];
        rows.setAtIndex(JAVA_LONG, next, boxes.extents[axis]);
        rows.setAtIndex(JAVA_LONG, next + FURTHER, boxes.from[axis]);
        rows.setAtIndex(JAVA_LONG, next + 2 * FURTHER, boxes.to[axis]);
        next++;
      }
    }
    long parts = boxes.extents[last] * size / part;
    long lanes = Math.clamp(powerOfTwo(parts) / EACH, Math.min(WARP, powerOfTwo(parts)), BLOCK);
    long[] numbers = {
      boxes.extents[inner], parts, lanes, places, boxes.from[inner], boxes.to[inner], last - 1
    };
    for (int i = 0; i < numbers.length; i++) {
      rows.setAtIndex(JAVA_LONG, i, numbers[i]);
    }
    return rows;
  }

  private static long powerOfTwo(long atLeast) {
    return Long.highestOneBit(2 * atLeast - 1);
  }

  /**
   * Returns the axis along which rows lie closest in the source: blocks that follow one another
   * read on. Scattered writes wait in the cache; scattered reads would be waited for.
   */
  private static int closest(long[] strides, int axes) {
    int closest = axes - 1;
    for (int axis = 0; axis < axes; axis++) {
      if (Math.abs(strides[axis]) < Math.abs(strides[closest])) {
        closest = axis;
      }
    }
    return closest;
  }

  /** Returns the grid of a description: blocks of rows, and all further axes as one. */
  static int[] grid(MemorySegment rows) {
    long each = BLOCK / rows.getAtIndex(JAVA_LONG, 2);
    return new int[] {
      (int) Math.min((rows.getAtIndex(JAVA_LONG, 0) - 1) / each + 1, Integer.MAX_VALUE),
      (int) Math.min(rows.getAtIndex(JAVA_LONG, 3), TransposeKernel.GRID),
      1
    };
  }
}
