package dev.rialto.spi.parts;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A layout as numbers that a kernel of a device takes by value: offset, address of the list of
 * indices, block, axes, and eight extents and eight strides, 8 bytes each. Offset and strides are
 * bytes.
 */
public final class DeviceLayout {
  /** The most axes of a box. */
  private static final int AXES = 8;

  /** The bytes of a layout. */
  public static final long BYTES = 8L * (4 + 2 * AXES);

  private DeviceLayout() {}

  /**
   * Writes a layout down.
   *
   * @param list where the indices lie for the device, if the layout is a list; 0 otherwise
   * @throws UnsupportedOperationException if it is a box of more than eight axes
   */
  public static MemorySegment describe(Layout layout, long list, Arena arena) {
    MemorySegment side = arena.allocate(BYTES, 8);
    int size = layout.type().size();
    switch (layout) {
      case Layout.Contiguous _ -> {
        side.setAtIndex(JAVA_LONG, 3, 1);
        side.setAtIndex(JAVA_LONG, 4 + AXES, size);
      }
      case Layout.Strided box -> {
        Shape extents = box.extents();
        if (extents.rank() > AXES) {
          throw new UnsupportedOperationException(
              ("a box of %s axes in a device's memory; the most are %s, so join axes that "
                      + "lie together")
                  .formatted(extents.rank(), AXES));
        }
        side.setAtIndex(JAVA_LONG, 0, box.offset() * size);
        side.setAtIndex(JAVA_LONG, 3, extents.rank());
        long[] strides = box.strides();
        for (int axis = 0; axis < extents.rank(); axis++) {
          side.setAtIndex(JAVA_LONG, 4 + axis, extents.extent(axis));
          side.setAtIndex(JAVA_LONG, 4 + AXES + axis, strides[axis] * size);
        }
      }
      case Layout.Indexed indexed -> {
        side.setAtIndex(JAVA_LONG, 1, list);
        side.setAtIndex(JAVA_LONG, 2, indexed.blockLength());
        side.setAtIndex(JAVA_LONG, 4 + AXES, size);
      }
    }
    return side;
  }
}
