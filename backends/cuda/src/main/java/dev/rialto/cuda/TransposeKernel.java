package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.copy.BoxPair;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Copies boxes whose elements lie side by side along one axis in the source and along another in
 * the target.
 *
 * <p>Read along one and written along the other, either side would be touched an element at a time.
 * So a block of threads takes a tile of 32 by 32 elements through its shared memory, reads rows of
 * the source and writes rows of the target. A row of the tile has an element more than it needs, or
 * a column would lie in one bank. The grid has the axes of the tiles, so that finding one's tile
 * takes no division; all further axes are its third.
 *
 * <p>Each size of element is a kernel of its own: shared memory of one that does them all would be
 * the sum of all tiles, which halves the blocks on a multiprocessor.
 */
final class TransposeKernel {
  static final int TILE = 32;

  static final int BLOCK = 256;

  /** The most axes besides the two. */
  static final int FURTHER = 6;

  /** The longs of a description. */
  static final int NUMBERS = 7 + 3 * FURTHER;

  /** The most blocks along the second and third axis of a grid. */
  static final long GRID = 65_535;

  static final String NAME = "rialto_transpose";

  private static final String SOURCE =
      """
      struct Tiles {
        long long across, down, fromDown, toAcross, fromOffset, toOffset, axes;
        long long extent[6], from[6], to[6];
      };

      extern "C" __global__ void __launch_bounds__(256) rialto_transpose(
          const char *source, char *target, Tiles t, long long further) {
        __shared__ ELEMENT tile[32][33];
        int x = threadIdx.x % 32, y = threadIdx.x / 32;
        long long across = blockIdx.x * 32LL;
        for (long long place = blockIdx.z; place < further; place += gridDim.z) {
          const char *in = source + t.fromOffset;
          char *out = target + t.toOffset;
          long long rest = place;
          for (int axis = (int)t.axes - 1; axis > 0; axis--) {
            long long index = rest % t.extent[axis];
            rest /= t.extent[axis];
            in += index * t.from[axis];
            out += index * t.to[axis];
          }
          in += rest * t.from[0];
          out += rest * t.to[0];
          for (long long down = blockIdx.y * 32LL; down < t.down; down += gridDim.y * 32LL) {
            #pragma unroll
            for (int row = y; row < 32; row += 8)
              if (across + x < t.across && down + row < t.down)
                tile[row][x] =
                    ((const ELEMENT *)(in + (down + row) * t.fromDown))[across + x];
            __syncthreads();
            #pragma unroll
            for (int row = y; row < 32; row += 8)
              if (across + row < t.across && down + x < t.down)
                ((ELEMENT *)(out + (across + row) * t.toAcross))[down + x] = tile[x][row];
            __syncthreads();
          }
        }
      }
      """;

  /** Returns the text for elements of so many bytes: 1, 2, 4, 8 or 16. */
  static String source(int size) {
    return "#define ELEMENT " + element(size) + "\n" + SOURCE;
  }

  /** Returns the type that a thread moves at once. */
  static String element(int size) {
    return switch (size) {
      case 1 -> "char";
      case 2 -> "short";
      case 4 -> "int";
      case 8 -> "long long";
      default -> "double2";
    };
  }

  private TransposeKernel() {}

  /** Describes a copy for the kernel, or returns {@link MemorySegment#NULL} if it is no such. */
  static MemorySegment describe(BoxPair boxes, int size, Arena arena) {
    int across = axisOf(boxes.from, size);
    int down = axisOf(boxes.to, size);
    if (across < 0 || down < 0 || across == down || boxes.rank() - 2 > FURTHER) {
      return MemorySegment.NULL;
    }
    MemorySegment tiles = arena.allocate(JAVA_LONG, NUMBERS);
    long[] numbers = {
      boxes.extents[across],
      boxes.extents[down],
      boxes.from[down],
      boxes.to[across],
      boxes.fromOffset,
      boxes.toOffset,
      boxes.rank() - 2
    };
    for (int i = 0; i < numbers.length; i++) {
      tiles.setAtIndex(JAVA_LONG, i, numbers[i]);
    }
    int next = numbers.length;
    for (int axis = 0; axis < boxes.rank(); axis++) {
      if (axis != across && axis != down) {
        tiles.setAtIndex(JAVA_LONG, next, boxes.extents[axis]);
        tiles.setAtIndex(JAVA_LONG, next + FURTHER, boxes.from[axis]);
        tiles.setAtIndex(JAVA_LONG, next + 2 * FURTHER, boxes.to[axis]);
        next++;
      }
    }
    return tiles;
  }

  /** Returns the grid of a description: tiles across, tiles down, and all further axes as one. */
  static int[] grid(MemorySegment tiles) {
    return new int[] {
      (int) ((tiles.getAtIndex(JAVA_LONG, 0) - 1) / TILE + 1),
      (int) Math.min((tiles.getAtIndex(JAVA_LONG, 1) - 1) / TILE + 1, GRID),
      (int) Math.min(further(tiles), GRID)
    };
  }

  /** Returns how many places the further axes have. */
  static long further(MemorySegment tiles) {
    long count = 1;
    for (int axis = 0; axis < tiles.getAtIndex(JAVA_LONG, 6); axis++) {
      count *= tiles.getAtIndex(JAVA_LONG, 7 + axis);
    }
    return count;
  }

  private static int axisOf(long[] strides, int size) {
    for (int axis = 0; axis < strides.length; axis++) {
      if (strides[axis] == size) {
        return axis;
      }
    }
    return -1;
  }
}
