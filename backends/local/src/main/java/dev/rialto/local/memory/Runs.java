package dev.rialto.local.memory;

import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Walks the contiguous runs of a layout, so that two layouts can be walked side by side: a message
 * goes from one to the other without being packed in between.
 *
 * <p>A layout is lines of runs of one length. The runs of a line start at even distances or, for a
 * list of blocks, where a table says; lines start at the places of a box. Where runs are single
 * elements a whole line is copied in one loop. Made once per request; walking allocates nothing.
 * All lengths and offsets are bytes.
 */
public final class Runs {
  /** The longest piece that is moved by a load and a store. */
  private static final long ELEMENT = 8;

  private final long run;
  private final long perLine;
  private final long stride;
  private final long @Nullable [] table;
  private final long[] extents;
  private final long[] strides;
  private final long first;

  private final long[] index;
  private long line;
  private long at;
  private long passed;

  private Runs(
      long run,
      long perLine,
      long stride,
      long @Nullable [] table,
      long[] extents,
      long[] strides,
      long first) {
    this.run = run;
    this.perLine = perLine;
    this.stride = stride;
    this.table = table;
    this.extents = extents;
    this.strides = strides;
    this.first = first;
    this.index = new long[extents.length];
  }

  public static Runs of(Layout layout) {
    return switch (layout) {
      case Layout.Contiguous line -> line(line.bytes());
      case Layout.Strided box -> box(box);
      case Layout.Indexed blocks -> {
        long size = blocks.type().size();
        long[] table = Arrays.stream(blocks.indices()).map(i -> i * size).toArray();
        long[] none = {};
        yield new Runs(blocks.blockLength() * size, table.length, 0, table, none, none, 0);
      }
    };
  }

  /** Makes the walk of {@code bytes} bytes without gaps. */
  public static Runs line(long bytes) {
    long[] none = {};
    return new Runs(bytes, 1, 0, null, none, none, 0);
  }

  private static Runs box(Layout.Strided box) {
    long size = box.type().size();
    long[] extents = new long[box.extents().rank()];
    long[] strides = box.strides();
    for (int axis = 0; axis < strides.length; axis++) {
      extents[axis] = box.extents().extent(axis);
      strides[axis] *= size;
    }
    int axes = strides.length;
    long run = size;
    while (axes > 0 && (strides[axes - 1] == run || extents[axes - 1] == 1)) {
      run *= extents[--axes];
    }
    int outer = Math.max(axes - 1, 0);
    return new Runs(
        run,
        axes == 0 ? 1 : extents[outer],
        axes == 0 ? 0 : strides[outer],
        null,
        Arrays.copyOf(extents, outer),
        Arrays.copyOf(strides, outer),
        box.offset() * size);
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
      long pieces = 1;
      if (piece <= ELEMENT) {
        pieces = Math.min(rest / piece, Math.min(sources.pieces(piece), targets.pieces(piece)));
        copyElements(from, source, sources, to, target, targets, piece, pieces);
      } else {
        Memory.copySmall(
            from, source + sources.place(piece, 0), to, target + targets.place(piece, 0), piece);
      }
      sources.pass(piece, pieces);
      targets.pass(piece, pieces);
      rest -= piece * pieces;
    }
  }

  private static void copyElements(
      MemorySegment from,
      long source,
      Runs sources,
      MemorySegment to,
      long target,
      Runs targets,
      long piece,
      long pieces) {
    if (piece == Long.BYTES) {
      for (long i = 0; i < pieces; i++) {
        to.set(
            ValueLayout.JAVA_LONG_UNALIGNED,
            target + targets.place(piece, i),
            from.get(ValueLayout.JAVA_LONG_UNALIGNED, source + sources.place(piece, i)));
      }
    } else if (piece == Integer.BYTES) {
      for (long i = 0; i < pieces; i++) {
        to.set(
            ValueLayout.JAVA_INT_UNALIGNED,
            target + targets.place(piece, i),
            from.get(ValueLayout.JAVA_INT_UNALIGNED, source + sources.place(piece, i)));
      }
    } else {
      for (long i = 0; i < pieces; i++) {
        Memory.copySmall(
            from, source + sources.place(piece, i), to, target + targets.place(piece, i), piece);
      }
    }
  }

  private void rewind() {
    Arrays.fill(index, 0);
    line = first;
    at = 0;
    passed = 0;
  }

  /** Returns the bytes to the end of the run, going on to the next line if this one has ended. */
  private long piece() {
    if (at == perLine) {
      at = 0;
      int axis = index.length - 1;
      while (++index[axis] == extents[axis]) {
        line -= (extents[axis] - 1) * strides[axis];
        index[axis--] = 0;
      }
      line += strides[axis];
    }
    return run - passed;
  }

  /** Returns how many pieces of one length follow in this line, or in this run if it is longer. */
  private long pieces(long piece) {
    return piece == run ? perLine - at : (run - passed) / piece;
  }

  /** Returns where the {@code i}-th piece of one length from here starts. */
  private long place(long piece, long i) {
    long inLine = piece == run ? at + i : at;
    long inRun = piece == run ? 0 : passed + i * piece;
    return line + inRun + (table == null ? inLine * stride : table[(int) inLine]);
  }

  private void pass(long piece, long pieces) {
    if (piece == run) {
      at += pieces;
    } else {
      passed += piece * pieces;
      if (passed == run) {
        passed = 0;
        at++;
      }
    }
  }
}
