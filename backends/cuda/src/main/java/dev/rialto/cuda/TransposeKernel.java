package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.parts.BoxPair;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Copies boxes whose elements lie side by side along one axis in the source and along another in
 * the target.
 *
 * <p>Read along one and written along the other, either side would be touched an element at a time.
 * So a block of threads takes a tile of 32 by 32 elements through its shared memory, reads rows of
 * the source and writes rows of the target. A row of the tile has an element more than it needs, or
 * a column would lie in one bank. All further axes are walked by blocks.
 */
final class TransposeKernel {
  static final int TILE = 32;

  /** The most axes besides the two. */
  static final int FURTHER = 6;

  /** The longs of a description. */
  static final int NUMBERS = 7 + 3 * FURTHER;

  static final String NAME = "rialto_transpose";

  static final String SOURCE =
      """
      struct Tiles {
        long long across, down, fromDown, toAcross, fromOffset, toOffset, axes;
        long long extent[6], from[6], to[6];
      };

      template <typename T>
      static __device__ __forceinline__ void transpose(
          const char *source, char *target, const Tiles &t) {
        __shared__ T tile[32][33];
        long long tilesAcross = (t.across + 31) / 32, tilesDown = (t.down + 31) / 32;
        long long count = tilesAcross * tilesDown;
        for (int axis = 0; axis < t.axes; axis++) count *= t.extent[axis];
        int x = threadIdx.x % 32, y = threadIdx.x / 32;
        for (long long block = blockIdx.x; block < count; block += gridDim.x) {
          long long rest = block;
          long long across = rest % tilesAcross * 32;
          rest /= tilesAcross;
          long long down = rest % tilesDown * 32;
          rest /= tilesDown;
          const char *in = source + t.fromOffset;
          char *out = target + t.toOffset;
          for (int axis = (int)t.axes - 1; axis >= 0; axis--) {
            in += rest % t.extent[axis] * t.from[axis];
            out += rest % t.extent[axis] * t.to[axis];
            rest /= t.extent[axis];
          }
          for (int row = y; row < 32; row += 8)
            if (across + x < t.across && down + row < t.down)
              tile[row][x] = *(const T *)(in + (across + x) * (long long)sizeof(T)
                                          + (down + row) * t.fromDown);
          __syncthreads();
          for (int row = y; row < 32; row += 8)
            if (across + row < t.across && down + x < t.down)
              *(T *)(out + (down + x) * (long long)sizeof(T) + (across + row) * t.toAcross) =
                  tile[x][row];
          __syncthreads();
        }
      }

      extern "C" __global__ void rialto_transpose(
          const char *source, char *target, Tiles tiles, long long size) {
        switch (size) {
          case 1: transpose<char>(source, target, tiles); break;
          case 2: transpose<short>(source, target, tiles); break;
          case 4: transpose<int>(source, target, tiles); break;
          case 8: transpose<long long>(source, target, tiles); break;
          default: transpose<double2>(source, target, tiles); break;
        }
      }
      """;

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

  /** Returns how many tiles there are. */
  static long tiles(BoxPair boxes, int size) {
    long count = 1;
    for (int axis = 0; axis < boxes.rank(); axis++) {
      boolean tiled = boxes.from[axis] == size || boxes.to[axis] == size;
      count *= tiled ? (boxes.extents[axis] + TILE - 1) / TILE : boxes.extents[axis];
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
