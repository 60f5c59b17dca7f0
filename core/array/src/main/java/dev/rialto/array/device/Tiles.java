package dev.rialto.array.device;

import dev.rialto.spi.data.Shape;
import java.io.Serializable;

/**
 * A box of up to three axes as tiles of {@value DeviceKernels#BLOCK} items, long along the last
 * axis so that items side by side use elements side by side, and several rows high so that they
 * share their neighbours. The box is known when a kernel is made: its divisions are by constants,
 * in 32 bits, which take a tenth of the time of those by numbers of a launch.
 */
public final class Tiles {
  private static final int AXES = 3;
  private static final int WIDTH = 64;

  /** The place in the box, along one axis, of an item of a block. */
  @FunctionalInterface
  interface Along extends Serializable {
    int of(int block, int item);
  }

  /** Whether a place is in the box: the last tiles reach beyond it. */
  @FunctionalInterface
  interface Inside extends Serializable {
    boolean of(int i, int j, int k);
  }

  private final int[] extents = {1, 1, 1};
  private final int rowBits;
  private final int planeBits;
  private final int across;
  private final int down;
  private final int deep;

  private Tiles(Shape box) {
    for (int axis = 0; axis < box.rank(); axis++) {
      if (box.extent(axis) > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            "a function of %d indices where a rank has %d of axis %d, on a device; at most %d there"
                .formatted(box.rank(), box.extent(axis), axis, Integer.MAX_VALUE));
      }
      extents[AXES - box.rank() + axis] = (int) box.extent(axis);
    }
    int width = Math.min(WIDTH, powerFrom(extents[2]));
    int height = Math.min(DeviceKernels.BLOCK / width, powerFrom(extents[1]));
    int depth = DeviceKernels.BLOCK / (width * height);
    this.rowBits = Integer.numberOfTrailingZeros(width);
    this.planeBits = rowBits + Integer.numberOfTrailingZeros(height);
    this.across = (extents[2] - 1) / width + 1;
    this.down = (extents[1] - 1) / height + 1;
    this.deep = (extents[0] - 1) / depth + 1;
  }

  /** Divides a box that has elements. */
  static Tiles of(Shape box) {
    return new Tiles(box);
  }

  /** Returns the least power of 2 that is not below a number, up to 2^30. */
  private static int powerFrom(int number) {
    return number > 1 << 30
        ? 1 << 30
        : 1 << (Integer.SIZE - Integer.numberOfLeadingZeros(number - 1));
  }

  long items() {
    return (long) across * down * deep * DeviceKernels.BLOCK;
  }

  Along i() {
    int tiles = across * down;
    int bits = planeBits;
    int depth = DeviceKernels.BLOCK >> bits;
    return (block, item) -> block / tiles * depth + (item >>> bits);
  }

  Along j() {
    int before = across;
    int tiles = down;
    int bits = rowBits;
    int height = 1 << (planeBits - rowBits);
    return (block, item) -> block / before % tiles * height + (item >>> bits & (height - 1));
  }

  Along k() {
    int tiles = across;
    int width = 1 << rowBits;
    return (block, item) -> block % tiles * width + (item & (width - 1));
  }

  Inside inside() {
    int planes = extents[0];
    int rows = extents[1];
    int columns = extents[2];
    return (i, j, k) -> k < columns && j < rows && i < planes;
  }
}
