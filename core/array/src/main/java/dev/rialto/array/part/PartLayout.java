package dev.rialto.array.part;

import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.exchange.plan.Region;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The places of the elements that a rank owns in its memory: rows of one length, one after another
 * or apart by a halo, and each with its elements side by side or at equal distances. Places are
 * elements from the start of the memory.
 */
public final class PartLayout {
  private final Region region;
  private final Shape shape;
  private final long[] starts;
  private final long row;
  private final long step;
  private final long span;

  private PartLayout(Region region, Shape shape, long[] starts, long row, long step, long span) {
    this.region = region;
    this.shape = shape;
    this.starts = starts;
    this.row = row;
    this.step = step;
    this.span = span;
  }

  public static PartLayout of(Distribution distribution, Halo.@Nullable Stencil stencil, int rank) {
    long count = distribution.localCount(rank);
    if (stencil == null || !(distribution instanceof Grid grid)) {
      Shape shape = distribution instanceof Grid grid ? grid.localShape(rank) : Shape.of(count);
      Region all = Region.contiguous(0, count);
      return new PartLayout(all, shape, new long[] {0}, Math.max(count, 1), 1, count);
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
    return of((Region.Box) box, padded, stride);
  }

  /** Returns a box of elements of memory that has other elements too. */
  public static PartLayout of(Region.Box box, Shape memory, long span) {
    int last = box.extents().rank() - 1;
    long step = last < 0 || box.count() == 0 ? 1 : box.strides()[last];
    boolean stepped = step != 1 && box.extents().extent(last) > 1;
    long[] starts = stepped ? rows(box, last) : runs(box);
    long row = Math.max(box.count() / starts.length, 1);
    return new PartLayout(box, memory, starts, row, stepped ? step : 1, span);
  }

  /** Returns where elements begin that lie side by side. */
  private static long[] runs(Region box) {
    long[] starts = new long[Math.toIntExact(Math.max(box.runs(), 1))];
    int[] count = {0};
    box.forEachRun((from, _) -> starts[count[0]++] = from);
    return starts;
  }

  /** Returns where elements begin that differ in their last index. */
  private static long[] rows(Region.Box box, int last) {
    if (last == 0) {
      return new long[] {box.offset()};
    }
    long[] extents = Arrays.copyOf(box.extents().extents(), last);
    Region first = Region.box(Shape.of(extents), Arrays.copyOf(box.strides(), last), box.offset());
    long[] starts = new long[Math.toIntExact(first.count())];
    int[] count = {0};
    first.forEachRun(
        (from, length) -> {
          for (long i = 0; i < length; i++) {
            starts[count[0]++] = from + i;
          }
        });
    return starts;
  }

  /** Returns where the first element lies. */
  public long first() {
    return starts[0];
  }

  /** Returns the owned elements in the order of memory. */
  public Region region() {
    return region;
  }

  /** Returns where the owned elements lie, for kernels; null if too many axes have gaps. */
  @Nullable Places places() {
    return region instanceof Region.Box box
        ? Places.of(box.extents().extents(), box.strides(), box.offset())
        : null;
  }

  /** Returns the extents of the memory, halo and all, in the order of the array's axes. */
  public Shape shape() {
    return shape;
  }

  /** Returns the elements of the memory, halo and all. */
  public long span() {
    return span;
  }

  public long count() {
    return region.count();
  }

  /** Returns whether the owned elements lie without gaps from the start. */
  public boolean isDense() {
    return span == count();
  }

  /** Returns whether the elements of rows lie at a distance from one another. */
  public boolean isStepped() {
    return step != 1;
  }

  /** Returns where the {@code index}-th owned element lies. */
  long place(long index) {
    return starts.length == 1
        ? starts[0] + index * step
        : starts[(int) (index / row)] + index % row * step;
  }

  /** Returns how many elements follow without a gap, the {@code index}-th included. */
  public long run(long index) {
    return step != 1 ? 1 : starts.length == 1 ? count() - index : row - index % row;
  }
}
