package dev.rialto.spi.parts;

import dev.rialto.spi.data.Layout;
import java.util.Arrays;

/**
 * Walks the contiguous runs of a layout at the pace of another layout's. Keeps a list of its runs,
 * 16 bytes each: one for a contiguous layout, many only where two layouts with gaps differ in
 * shape.
 */
final class RunCursor {
  private long[] runs = new long[2];
  private int end;
  private int next;
  private long offset;
  private long bytes;

  RunCursor(Layout layout) {
    layout.forEachRun(this::add);
    advance(0);
  }

  private void add(long runOffset, long runBytes) {
    if (end == runs.length) {
      runs = Arrays.copyOf(runs, Math.multiplyExact(end, 2));
    }
    runs[end++] = runOffset;
    runs[end++] = runBytes;
  }

  /** Returns where what is left of the present run starts. */
  long offset() {
    return offset;
  }

  /** Returns what is left of the present run; 0 at the end. */
  long bytes() {
    return bytes;
  }

  /** Leaves {@code count} bytes of the present run behind. */
  void advance(long count) {
    offset += count;
    bytes -= count;
    if (bytes == 0 && next < end) {
      offset = runs[next++];
      bytes = runs[next++];
    }
  }
}
