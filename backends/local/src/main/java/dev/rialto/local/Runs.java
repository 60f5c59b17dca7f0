package dev.rialto.local;

import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Walks the contiguous runs of a layout, piece by piece, so that two layouts can be walked side by
 * side: a message goes from one to the other without being packed in between. Made once per
 * request; walking allocates nothing. All lengths and offsets are bytes.
 */
abstract class Runs {
  /** The first byte of the current run that has not been passed. */
  private long at;

  private long left;

  /** Makes the walk of a layout. */
  static Runs of(Layout layout) {
    return switch (layout) {
      case Layout.Contiguous line -> line(line.bytes());
      case Layout.Strided box -> new Box(box);
      case Layout.Indexed blocks -> new Blocks(blocks);
    };
  }

  /** Makes the walk of {@code bytes} bytes without gaps. */
  static Runs line(long bytes) {
    return new Box(bytes);
  }

  /** Copies the first {@code bytes} of one layout to the first of another, in element order. */
  static void copy(
      MemorySegment from,
      long source,
      Runs sources,
      MemorySegment to,
      long target,
      Runs targets,
      long bytes) {
    sources.rewind();
    targets.rewind();
    for (long rest = bytes; rest > 0; ) {
      long piece = Math.min(rest, Math.min(sources.piece(), targets.piece()));
      Memory.copySmall(from, source + sources.at, to, target + targets.at, piece);
      sources.pass(piece);
      targets.pass(piece);
      rest -= piece;
    }
  }

  /** Returns the bytes to the end of the run, going on to the next if there are none. */
  private long piece() {
    if (left == 0) {
      next();
    }
    return left;
  }

  private void pass(long bytes) {
    at += bytes;
    left -= bytes;
  }

  final void setRun(long start, long bytes) {
    at = start;
    left = bytes;
  }

  /** Goes back to the first run. */
  abstract void rewind();

  /** Goes on to the next run; there is one. */
  abstract void next();

  /** Equal runs at the places of a box. */
  private static final class Box extends Runs {
    private final long[] extents;
    private final long[] strides;
    private final long[] index;
    private final long first;
    private final long run;
    private long start;

    Box(long bytes) {
      extents = new long[0];
      strides = extents;
      index = extents;
      first = 0;
      run = bytes;
    }

    Box(Layout.Strided box) {
      long size = box.type().size();
      long[] steps = box.strides();
      int outer = steps.length;
      long elements = 1;
      while (outer > 0 && (steps[outer - 1] == elements || box.extents().extent(outer - 1) == 1)) {
        outer--;
        elements *= box.extents().extent(outer);
      }
      extents = new long[outer];
      strides = new long[outer];
      index = new long[outer];
      for (int axis = 0; axis < outer; axis++) {
        extents[axis] = box.extents().extent(axis);
        strides[axis] = steps[axis] * size;
      }
      first = box.offset() * size;
      run = elements * size;
    }

    @Override
    void rewind() {
      Arrays.fill(index, 0);
      start = first;
      setRun(start, run);
    }

    @Override
    void next() {
      int axis = index.length - 1;
      while (++index[axis] == extents[axis]) {
        start -= (extents[axis] - 1) * strides[axis];
        index[axis--] = 0;
      }
      start += strides[axis];
      setRun(start, run);
    }
  }

  /** Equal runs at listed places. */
  private static final class Blocks extends Runs {
    private final long[] starts;
    private final long size;
    private final long run;
    private int block;

    Blocks(Layout.Indexed blocks) {
      size = blocks.type().size();
      run = blocks.blockLength() * size;
      starts = blocks.indices();
    }

    @Override
    void rewind() {
      block = -1;
      setRun(0, 0);
    }

    @Override
    void next() {
      setRun(starts[++block] * size, run);
    }
  }
}
