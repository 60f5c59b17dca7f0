package dev.rialto.spi.copy;

/**
 * Copies boxes. Where the innermost axis is the same on both sides, rows are copied; where it is
 * not, planes are transposed tile by tile, so that of each cache line that is fetched all bytes are
 * used before it is dropped.
 *
 * <p>The inner loop runs along the target, whose lines are then written whole; see {@link CopyTile}
 * for the source. What is too large for caches is transposed into a small piece of memory and
 * copied from there {@linkplain NonTemporal past them}. {@code bench exchange} shows the distance
 * to a plain copy.
 */
final class BoxCopy extends StridedCopy {
  private final BoxPair nest;
  private final CopyTile tile;
  private final boolean planes;
  private final boolean dense;
  private final boolean past;
  private final long bytes;

  /** The bytes of an element: 1, 2, 4, 8 or 16. */
  private final int size;

  private final int last;

  /** Rows of the target in a strip; 1 where nothing is transposed. */
  private final long rows;

  /** The number of planes, which are the last two axes. */
  private final long count;

  private final PlaneVisitor copying = this::plane;

  BoxCopy(BoxPair boxes, int elementSize, CopyTile tile, long whole) {
    this.size = boxes.shortRow(elementSize);
    BoxPair sorted = boxes.inOrderOfTarget(size == elementSize ? 0 : 1);
    this.last = sorted.rank() - 1;
    int closest = sorted.closestInSource();
    this.planes = closest < last;
    this.nest = planes ? sorted.withAxisBeforeLast(closest) : sorted;
    this.tile = tile;
    this.bytes = boxes.count() * elementSize;
    boolean together = last >= 0 && nest.to[last] == size;
    this.dense = together && nest.from[last] == size;
    this.past =
        tile.past()
            && NonTemporal.pays(whole)
            && together
            && last > 0
            && nest.to[last - 1] % NonTemporal.UNIT == 0;
    this.rows = planes ? tile.run() / size : 1;
    long product = bytes == 0 ? 0 : 1;
    for (int axis = 0; axis < last - 1; axis++) {
      product *= nest.extents[axis];
    }
    this.count = product;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  /** Takes the rows along the last two axes. */
  @FunctionalInterface
  private interface PlaneVisitor {
    void plane(long source, long target);
  }

  private void forEachPlane(long from, long to, PlaneVisitor visitor) {
    for (long plane = 0; plane < count; plane++) {
      long rest = plane;
      long source = from + nest.fromOffset;
      long target = to + nest.toOffset;
      for (int axis = last - 2; axis >= 0; axis--) {
        long index = rest % nest.extents[axis];
        rest /= nest.extents[axis];
        source += index * nest.from[axis];
        target += index * nest.to[axis];
      }
      visitor.plane(source, target);
    }
  }

  @Override
  public void run(long from, long to) {
    forEachPlane(from, to, copying);
    if (past) {
      NonTemporal.fence();
    }
  }

  private void plane(long source, long target) {
    if (last <= 0) {
      row(source, target);
      return;
    }
    long fromRow = nest.from[last - 1];
    long toRow = nest.to[last - 1];
    long lines = nest.extents[last - 1];
    long width = nest.extents[last] * size;
    if (dense && past && (target | width) % NonTemporal.UNIT == 0) {
      NonTemporal.rows(source, fromRow, NonTemporal.UNIT, target, toRow, lines, width);
      return;
    }
    for (long row = 0; row < lines; row += rows) {
      if (planes) {
        strip(source + row * fromRow, target + row * toRow, Math.min(rows, lines - row));
      } else {
        row(source + row * fromRow, target + row * toRow);
      }
    }
  }

  /** Transposes a row of tiles: {@code rows} lines of the target. */
  private void strip(long source, long target, long lines) {
    long columns = nest.extents[last];
    for (long column = 0; column < columns; column += tile.columns()) {
      long count = Math.min(tile.columns(), columns - column);
      long first = source + column * nest.from[last];
      long place = target + column * nest.to[last];
      long width = count * size;
      if (past && (place | width) % NonTemporal.UNIT == 0) {
        past(first, place, lines, width);
      } else {
        tile(first, place, nest.to[last - 1], lines, count);
      }
    }
  }

  /** Transposes a tile past the caches: at once where elements are units of such a copy. */
  private void past(long source, long target, long lines, long width) {
    long toRow = nest.to[last - 1];
    if (size == NonTemporal.UNIT) {
      NonTemporal.rows(source, nest.from[last - 1], nest.from[last], target, toRow, lines, width);
    } else {
      long scratch = NonTemporal.scratch();
      tile(source, scratch, width, lines, width / size);
      NonTemporal.rows(scratch, width, NonTemporal.UNIT, target, toRow, lines, width);
    }
  }

  /** Transposes a tile to rows that are so many bytes apart. */
  private void tile(long source, long target, long apart, long lines, long count) {
    for (long row = 0; row < lines; row++) {
      AddressCopy.line(
          size,
          source + row * nest.from[last - 1],
          nest.from[last],
          target + row * apart,
          nest.to[last],
          count);
    }
  }

  private void row(long source, long target) {
    if (last < 0) {
      AddressCopy.bytes(source, target, size);
    } else if (dense) {
      AddressCopy.bytes(source, target, nest.extents[last] * size);
    } else {
      AddressCopy.line(size, source, nest.from[last], target, nest.to[last], nest.extents[last]);
    }
  }

  @Override
  public void forEachPiece(PieceVisitor visitor) {
    long lines = last > 0 ? nest.extents[last - 1] : 1;
    forEachPlane(
        0,
        0,
        (source, target) -> {
          for (long row = 0; row < lines; row++) {
            pieces(
                source + (last > 0 ? row * nest.from[last - 1] : 0),
                target + (last > 0 ? row * nest.to[last - 1] : 0),
                visitor);
          }
        });
  }

  private void pieces(long fromAt, long toAt, PieceVisitor visitor) {
    if (last < 0 || dense) {
      visitor.take(fromAt, toAt, last < 0 ? size : nest.extents[last] * size);
      return;
    }
    for (long i = 0; i < nest.extents[last]; i++) {
      visitor.take(fromAt + i * nest.from[last], toAt + i * nest.to[last], size);
    }
  }
}
