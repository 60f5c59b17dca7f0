package dev.rialto.spi.parts;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;

/** The checks of a copy that every transfer makes. */
public final class CopyArguments {
  private CopyArguments() {}

  /**
   * Returns the layout of so many bytes, as which a copy of bytes is checked.
   *
   * @throws IllegalArgumentException if there are less than 0
   */
  public static Layout bytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(bytes + " bytes cannot be copied; give 0 or more");
    }
    return Layout.contiguous(DType.I8, bytes);
  }

  /**
   * Checks that two layouts name as many elements of one type.
   *
   * @throws IllegalArgumentException if they do not
   */
  public static void requireAlike(Layout from, Layout to) {
    if (from.type() != to.type() || from.count() != to.count()) {
      throw new IllegalArgumentException(
          "source is "
              + from.count()
              + " "
              + from.type()
              + " but target is "
              + to.count()
              + " "
              + to.type()
              + "; give layouts of one type and count");
    }
  }

  /**
   * Checks that no element is both read and written.
   *
   * @throws IllegalArgumentException if one is
   */
  public static void requireApart(
      MemorySegment source, Layout from, MemorySegment target, Layout to) {
    if (Overlap.exists(source, from, target, to)) {
      throw new IllegalArgumentException(
          "elements of source "
              + from
              + " and target "
              + to
              + " overlap in memory; copy by way of a third place");
    }
  }

  /**
   * Checks that a layout fits between an address of a device's memory and the end of its
   * allocation, which a segment without a size does not tell.
   *
   * @throws IndexOutOfBoundsException if it does not
   */
  public static void requireRoom(TrackedSpace memory, long address, Layout layout, String role) {
    long room = memory.room(address);
    if (room >= 0 && layout.span() > room) {
      throw new IndexOutOfBoundsException(
          role
              + " has "
              + room
              + " bytes left in its allocation on "
              + memory.name()
              + ", but "
              + layout
              + " needs "
              + layout.span());
    }
  }
}
