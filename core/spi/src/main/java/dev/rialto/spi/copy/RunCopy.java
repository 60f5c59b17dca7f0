package dev.rialto.spi.copy;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.rialto.spi.data.Layout;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * Copies run by run, by a list of those that lie together on both sides.
 *
 * <p>Runs of one length, the usual case, have no list of lengths. All numbers are bytes.
 */
final class RunCopy extends StridedCopy {
  private final long bytes;
  private int runs;
  private long[] from = new long[16];
  private long[] to = new long[16];

  /** The length of every run, or 0 if they differ. */
  private long length;

  /** The length of each run; empty if all have one. */
  private long[] lengths = {};

  RunCopy(Layout source, Layout target) {
    this.bytes = source.bytes();
    long sourceAt = BoxPair.denseFrom(source);
    long targetAt = BoxPair.denseFrom(target);
    long[] done = {0};
    if (sourceAt >= 0) {
      target.forEachRun(
          (at, count) -> {
            add(sourceAt + done[0], at, count);
            done[0] += count;
          });
    } else if (targetAt >= 0) {
      source.forEachRun(
          (at, count) -> {
            add(at, targetAt + done[0], count);
            done[0] += count;
          });
    } else {
      addPairs(runs(source), runs(target));
    }
    from = Arrays.copyOf(from, runs);
    to = Arrays.copyOf(to, runs);
  }

  private void addPairs(long[] sources, long[] targets) {
    long read = 0;
    long written = 0;
    for (int i = 0, j = 0; i < sources.length; ) {
      long part = Math.min(sources[i + 1] - read, targets[j + 1] - written);
      add(sources[i] + read, targets[j] + written, part);
      read += part;
      written += part;
      if (read == sources[i + 1]) {
        read = 0;
        i += 2;
      }
      if (written == targets[j + 1]) {
        written = 0;
        j += 2;
      }
    }
  }

  /** Returns where each run of a layout starts, and its length. */
  private static long[] runs(Layout layout) {
    LongStream.Builder runs = LongStream.builder();
    layout.forEachRun((at, count) -> runs.add(at).add(count));
    return runs.build().toArray();
  }

  private void add(long source, long target, long count) {
    if (runs == from.length) {
      from = Arrays.copyOf(from, Math.multiplyExact(runs, 2));
      to = Arrays.copyOf(to, 2 * runs);
    }
    if (runs == 0) {
      length = count;
    } else if (length > 0 && length != count) {
      lengths = new long[from.length];
      Arrays.fill(lengths, 0, runs, length);
      length = 0;
    }
    if (length == 0) {
      lengths = lengths.length == runs ? Arrays.copyOf(lengths, 2 * runs) : lengths;
      lengths[runs] = count;
    }
    from[runs] = source;
    to[runs++] = target;
  }

  private long length(int run) {
    return length > 0 ? length : lengths[run];
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void run(long source, long target) {
    if (length == Long.BYTES) {
      longs(source, target);
      return;
    }
    for (int run = 0; run < runs; run++) {
      AddressCopy.bytes(source + from[run], target + to[run], length(run));
    }
  }

  /** Single elements of 8 bytes, the halo of a sparse matrix, without a call for each. */
  private void longs(long source, long target) {
    for (int run = 0; run < runs; run++) {
      MEMORY.set(
          JAVA_LONG_UNALIGNED,
          target + to[run],
          MEMORY.get(JAVA_LONG_UNALIGNED, source + from[run]));
    }
  }

  @Override
  public void forEachPiece(PieceVisitor visitor) {
    for (int run = 0; run < runs; run++) {
      visitor.take(from[run], to[run], length(run));
    }
  }
}
