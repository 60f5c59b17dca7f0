package dev.rialto.tck.reference;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.stream.LongStream;

/** Random layouts, and what copying through one means: element by element, in plain order. */
public final class LayoutReference {
  private static final int KINDS = 6;

  private LayoutReference() {}

  /** Makes a layout of up to a few hundred elements that names none twice. */
  public static Layout random(Random random, DType type) {
    long rows = random.nextInt(12);
    long columns = 1L + random.nextInt(24);
    long pitch = columns + random.nextInt(5);
    Shape shape = Shape.of(rows, columns);
    return switch (random.nextInt(KINDS)) {
      case 0 -> Layout.contiguous(type, rows * columns);
      case 1 -> Layout.pitched(type, shape, pitch);
      case 2 -> Layout.strided(type, Shape.of(columns, rows), new long[] {1, pitch}, 3);
      case 3 -> Layout.strided(type, shape, new long[] {pitch, -1}, columns - 1);
      case 4 ->
          Layout.strided(
              type, Shape.of(2, rows, columns), new long[] {rows * pitch * 2, pitch * 2, 2}, 1);
      default -> {
        long block = 1L + random.nextInt(4);
        long[] starts = LongStream.range(0, rows).map(i -> (rows - 1 - i) * (block + 2)).toArray();
        yield Layout.indexed(type, starts, block);
      }
    };
  }

  /** Returns where each element lies, in elements. */
  public static long[] positions(Layout layout) {
    return switch (layout) {
      case Layout.Contiguous box -> LongStream.range(0, box.count()).toArray();
      case Layout.Strided box ->
          LongStream.range(0, box.count()).map(element -> position(box, element)).toArray();
      case Layout.Indexed blocks ->
          LongStream.of(blocks.indices())
              .flatMap(start -> LongStream.range(start, start + blocks.blockLength()))
              .toArray();
    };
  }

  private static long position(Layout.Strided box, long element) {
    long at = box.offset();
    long rest = element;
    for (int axis = box.extents().rank() - 1; axis >= 0; axis--) {
      at += rest % box.extents().extent(axis) * box.strides()[axis];
      rest /= box.extents().extent(axis);
    }
    return at;
  }

  /** Copies the first {@code count} elements that one layout names to those that another names. */
  public static void copy(
      MemorySegment from, Layout source, MemorySegment to, Layout target, long count) {
    long[] reads = positions(source);
    long[] writes = positions(target);
    int size = source.type().size();
    for (int i = 0; i < count; i++) {
      MemorySegment.copy(from, reads[i] * size, to, writes[i] * size, size);
    }
  }
}
