package dev.rialto.array;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.exchange.plan.Region;
import dev.rialto.spi.data.Shape;
import org.jspecify.annotations.Nullable;

/**
 * Where the elements that a rank owns lie in its memory: rows of one length, one after another or
 * apart by a halo. Places are elements from the start of the memory.
 */
final class LocalPart {
  private final Region region;
  private final Shape shape;
  private final long[] starts;
  private final long row;
  private final long span;

  private LocalPart(Region region, Shape shape, long[] starts, long row, long span) {
    this.region = region;
    this.shape = shape;
    this.starts = starts;
    this.row = row;
    this.span = span;
  }

  static LocalPart of(Distribution distribution, Halo.@Nullable Stencil stencil, int rank) {
    long count = distribution.localCount(rank);
    if (stencil == null || !(distribution instanceof Grid grid)) {
      Shape shape = distribution instanceof Grid grid ? grid.localShape(rank) : Shape.of(count);
      Region all = Region.contiguous(0, count);
      return new LocalPart(all, shape, new long[] {0}, Math.max(count, 1), count);
    }
    Shape padded = Halo.paddedShape(grid, stencil, rank);
    int[] order = grid.order();
    long[] extents = new long[order.length];
    long[] strides = new long[order.length];
    long offset = 0;
    long stride = 1;
    for (int i = order.length - 1; i >= 0; i--) {
      extents[i] = grid.localShape(rank).extent(order[i]);
      strides[i] = stride;
      offset += stencil.low(order[i]) * stride;
      stride *= padded.extent(order[i]);
    }
    Region box = Region.box(Shape.of(extents), strides, offset);
    long[] starts = new long[Math.toIntExact(Math.max(box.runs(), 1))];
    int[] rows = {0};
    box.forEachRun((from, _) -> starts[rows[0]++] = from);
    return new LocalPart(box, padded, starts, Math.max(count / starts.length, 1), stride);
  }

  /** Returns a box of elements from the start of memory on, which has other elements too. */
  static LocalPart of(Region.Box box, Shape memory, long span) {
    long[] starts = new long[Math.toIntExact(Math.max(box.runs(), 1))];
    int[] rows = {0};
    box.forEachRun((from, _) -> starts[rows[0]++] = from);
    return new LocalPart(box, memory, starts, Math.max(box.count() / starts.length, 1), span);
  }

  /** Returns where the first element lies. */
  long first() {
    return starts[0];
  }

  /** Returns the owned elements in the order of memory. */
  Region region() {
    return region;
  }

  /** Returns where the owned elements lie, for kernels; null if too many axes have gaps. */
  @Nullable Places places() {
    return region instanceof Region.Box box
        ? Places.of(box.extents().extents(), box.strides(), box.offset())
        : null;
  }

  /** Returns the extents of the memory, halo and all, in the order of the array's axes. */
  Shape shape() {
    return shape;
  }

  /** Returns the elements of the memory, halo and all. */
  long span() {
    return span;
  }

  long count() {
    return region.count();
  }

  /** Returns whether the owned elements lie without gaps from the start. */
  boolean isDense() {
    return span == count();
  }

  /** Returns where the {@code index}-th owned element lies. */
  long place(long index) {
    return starts.length == 1 ? starts[0] + index : starts[(int) (index / row)] + index % row;
  }

  /** Returns how many elements follow without a gap, the {@code index}-th included. */
  long run(long index) {
    return starts.length == 1 ? count() - index : row - index % row;
  }
}
