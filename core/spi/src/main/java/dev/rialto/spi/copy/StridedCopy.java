package dev.rialto.spi.copy;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;

/**
 * A copy of the elements of one layout to those of another, on the host, prepared once and run with
 * any memory.
 *
 * {@snippet :
 * StridedCopy.of(from, to).run(source, target);
 * }
 *
 * <p>What lies together on both sides is copied as bytes, boxes of one shape by rows or transposed
 * by tiles, everything else by the runs that lie together on both sides. Loops work on addresses,
 * because how loops over segments are compiled depends on what else has run in the process. Memory
 * of the Java heap has no address and costs a call for each piece. Immutable; a run allocates
 * nothing.
 */
public abstract sealed class StridedCopy permits BlockCopy, BoxCopy, RunCopy {
  /** Prepares a copy between layouts of one type and count that do not overlap. */
  public static StridedCopy of(Layout from, Layout to) {
    return of(from, to, CopyTile.USUAL, from.bytes());
  }

  /**
   * Prepares a copy that transposes by tiles of some size.
   *
   * @param whole the bytes of the work that this copy is a part of: much is written past the caches
   */
  public static StridedCopy of(Layout from, Layout to, CopyTile tile, long whole) {
    requireAlike(from, to);
    long source = BoxPair.denseFrom(from);
    long target = BoxPair.denseFrom(to);
    if (source >= 0 && target >= 0) {
      return new BlockCopy(source, target, from.bytes());
    }
    BoxPair boxes = BoxPair.of(from, to);
    return boxes == null
        ? new RunCopy(from, to)
        : new BoxCopy(boxes, from.type().size(), tile, whole);
  }

  /** Returns the bytes of the elements. */
  public abstract long bytes();

  /** Returns whether everything lies together on both sides. */
  public final boolean isOnePiece() {
    return this instanceof BlockCopy;
  }

  /** Copies by the addresses where the two sides start; the caller keeps them alive. */
  public abstract void run(long from, long to);

  /** Visits the pieces that lie together on both sides, in any order. */
  public abstract void forEachPiece(PieceVisitor visitor);

  /**
   * Copies, and keeps the memory alive meanwhile. The caller has checked that it has room.
   *
   * @throws IllegalStateException if memory is freed
   * @throws WrongThreadException if memory is confined to another thread
   */
  public final void run(MemorySegment source, MemorySegment target) {
    if (this instanceof BlockCopy block) {
      MemorySegment.copy(source, block.fromOffset(), target, block.toOffset(), bytes());
    } else if (source.isNative() && target.isNative()) {
      HostMemory.requireReadable(source, 0, "source");
      HostMemory.requireReadable(target, 0, "target");
      HostMemory.holding(source, target, () -> run(source.address(), target.address()));
    } else {
      forEachPiece(
          (fromAt, toAt, bytes) -> MemorySegment.copy(source, fromAt, target, toAt, bytes));
    }
  }

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
          "source is %s %s but target is %s %s; give layouts of one type and count"
              .formatted(from.count(), from.type(), to.count(), to.type()));
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
          ("elements of source %s and target %s overlap in memory; copy by way of a third "
                  + "place")
              .formatted(from, to));
    }
  }

  /** Throws if the memory was closed. */
  public static void requireAlive(MemorySegment segment) {
    if (!segment.scope().isAlive()) {
      throw new IllegalStateException(
          "memory at 0x" + Long.toHexString(segment.address()) + " was closed before the copy");
    }
  }

  /** Receives the pieces that lie together on both sides. */
  @FunctionalInterface
  public interface PieceVisitor {
    /** Takes so many bytes, from an offset in the source to one in the target. */
    void take(long fromAt, long toAt, long bytes);
  }
}
