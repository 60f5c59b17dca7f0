package dev.rialto.spi.parts;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.memory.HostMemory;
import java.lang.foreign.MemorySegment;

/**
 * Copies elements from one layout to another that does not overlap it.
 *
 * <p>Boxes of one shape become a {@link BoxPair}. If its innermost axis has no gaps on either side,
 * rows are copied whole; otherwise the two axes that lie closest in the source and in the target
 * are walked together by {@link AddressCopy#plane}. Everything else is taken run by run. Elements
 * with gaps on the Java heap cost a call each.
 */
public final class LayoutCopy {
  /** Rows shorter than this many bytes are moved by elements: a bulk copy costs a call. */
  private static final long SHORT_ROW = 128;

  private LayoutCopy() {}

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

  /** Copies; the arguments were checked and the elements do not overlap. */
  public static void copy(MemorySegment source, Layout from, MemorySegment target, Layout to) {
    if (from.count() == 0) {
      return;
    }
    if (from.isContiguous() && to.isContiguous()) {
      MemorySegment.copy(source, 0, target, 0, from.bytes());
      return;
    }
    if (source.isNative() && target.isNative()) {
      requireUsable(source);
      requireUsable(target);
      HostMemory.holding(source, target, () -> copyApart(source, from, target, to, true));
    } else {
      copyApart(source, from, target, to, false);
    }
  }

  private static void copyApart(
      MemorySegment source, Layout from, MemorySegment target, Layout to, boolean byAddress) {
    BoxPair boxes = BoxPair.of(from, to);
    if (boxes == null) {
      copyRuns(source, from, target, to, byAddress);
    } else {
      copyBoxes(source, target, boxes, from.type().size(), byAddress);
    }
  }

  /** Checks what an access to the segment would; addresses are not checked. */
  private static void requireUsable(MemorySegment segment) {
    requireAlive(segment);
    if (!segment.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException(
          "memory at 0x" + Long.toHexString(segment.address()) + " is confined to another thread");
    }
  }

  /** Throws if the memory was closed. */
  public static void requireAlive(MemorySegment segment) {
    if (!segment.scope().isAlive()) {
      throw new IllegalStateException(
          "memory at 0x" + Long.toHexString(segment.address()) + " was closed before the copy");
    }
  }

  private static void copyBoxes(
      MemorySegment source, MemorySegment target, BoxPair boxes, int size, boolean byAddress) {
    int rank = boxes.rank();
    boolean rows = rank > 0 && boxes.from[rank - 1] == size && boxes.to[rank - 1] == size;
    long row = rows ? boxes.extents[rank - 1] * size : size;
    if (!byAddress || row >= SHORT_ROW || rank == 0) {
      boxes.forEach(
          rows ? rank - 1 : rank,
          (fromAt, toAt) -> MemorySegment.copy(source, fromAt, target, toAt, row));
      return;
    }
    BoxPair planes = boxes.withClosestAxesLast();
    int inner = rank - 1;
    int outer = Math.max(rank - 2, 0);
    long count = rank == 1 ? 1 : planes.extents[outer];
    planes.forEach(
        outer,
        (fromAt, toAt) ->
            AddressCopy.plane(
                size,
                source.address() + fromAt,
                target.address() + toAt,
                count,
                planes.from[outer],
                planes.to[outer],
                planes.extents[inner],
                planes.from[inner],
                planes.to[inner]));
  }

  private static void copyRuns(
      MemorySegment source, Layout from, MemorySegment target, Layout to, boolean byAddress) {
    forEachPiece(
        from, to, (fromAt, toAt, bytes) -> move(source, fromAt, target, toAt, bytes, byAddress));
  }

  /** Receives the pieces that lie together on both sides. */
  @FunctionalInterface
  public interface PieceVisitor {
    /** Takes so many bytes, from an offset in the source to one in the target. */
    void take(long fromAt, long toAt, long bytes);
  }

  /**
   * Calls {@code visitor} for each piece of two layouts of one type and count that lies together in
   * both: takes the runs of one side as they come and those of the other, the simpler, in parts.
   */
  public static void forEachPiece(Layout from, Layout to, PieceVisitor visitor) {
    boolean byTarget = from.isContiguous();
    RunCursor other = new RunCursor(byTarget ? from : to);
    (byTarget ? to : from)
        .forEachRun(
            (offset, bytes) -> {
              for (long done = 0; done < bytes; ) {
                long part = Math.min(bytes - done, other.bytes());
                if (byTarget) {
                  visitor.take(other.offset(), offset + done, part);
                } else {
                  visitor.take(offset + done, other.offset(), part);
                }
                other.advance(part);
                done += part;
              }
            });
  }

  private static void move(
      MemorySegment source,
      long fromAt,
      MemorySegment target,
      long toAt,
      long bytes,
      boolean byAddress) {
    if (byAddress && bytes <= AddressCopy.SHORT) {
      AddressCopy.run(source.address() + fromAt, target.address() + toAt, (int) bytes);
    } else {
      MemorySegment.copy(source, fromAt, target, toAt, bytes);
    }
  }
}
