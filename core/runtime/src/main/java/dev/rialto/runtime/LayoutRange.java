package dev.rialto.runtime;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Some consecutive elements of a layout, as a few layouts.
 *
 * <p>Of a box that is the rest of a row, whole rows and the start of another, and so for each axis;
 * of blocks at listed places it is the same with blocks.
 */
final class LayoutRange {
  private final DType type;
  private final Consumer<Layout> visitor;

  private LayoutRange(DType type, Consumer<Layout> visitor) {
    this.type = type;
    this.visitor = visitor;
  }

  /** Visits layouts that together name the elements from {@code first}, {@code count} of them. */
  static void visit(Layout layout, long first, long count, Consumer<Layout> visitor) {
    LayoutRange range = new LayoutRange(layout.type(), visitor);
    if (count == 0) {
      return;
    }
    if (count == layout.count()) {
      visitor.accept(layout);
      return;
    }
    switch (layout) {
      case Layout.Contiguous _ -> range.run(first, count);
      case Layout.Indexed blocks -> range.blocks(blocks, first, first + count);
      case Layout.Strided box ->
          range.box(extents(box.extents()), box.strides(), box.offset(), first, first + count);
    }
  }

  private static long[] extents(Shape shape) {
    long[] extents = new long[shape.rank()];
    Arrays.setAll(extents, shape::extent);
    return extents;
  }

  private void run(long first, long count) {
    visitor.accept(Layout.strided(type, Shape.of(count), new long[] {1}, first));
  }

  private void box(long[] extents, long[] strides, long offset, long first, long end) {
    if (extents.length == 0) {
      run(offset, 1);
      return;
    }
    long[] rest = Arrays.copyOfRange(extents, 1, extents.length);
    long[] below = Arrays.copyOfRange(strides, 1, strides.length);
    long row = Arrays.stream(rest).reduce(1, (a, b) -> a * b);
    long begun = first / row;
    if (first % row != 0 || end < (begun + 1) * row) {
      long stop = Math.min(end, (begun + 1) * row);
      box(rest, below, offset + begun * strides[0], first - begun * row, stop - begun * row);
      first = stop;
    }
    long rows = (end - first) / row;
    if (rows > 0) {
      long[] part = extents.clone();
      part[0] = rows;
      long at = offset + first / row * strides[0];
      visitor.accept(Layout.strided(type, Shape.of(part), strides, at));
      first += rows * row;
    }
    if (first < end) {
      box(rest, below, offset + first / row * strides[0], 0, end - first);
    }
  }

  private void blocks(Layout.Indexed layout, long first, long end) {
    long[] indices = layout.indices();
    long length = layout.blockLength();
    int begun = (int) (first / length);
    if (first % length != 0 || end < (begun + 1) * length) {
      long stop = Math.min(end, (begun + 1) * length);
      run(indices[begun] + first % length, stop - first);
      first = stop;
    }
    int from = (int) (first / length);
    int to = (int) (end / length);
    if (to > from) {
      visitor.accept(Layout.indexed(type, Arrays.copyOfRange(indices, from, to), length));
      first = to * length;
    }
    if (first < end) {
      run(indices[to], end - first);
    }
  }
}
