package dev.rialto.exchange.kernel;

import dev.rialto.exchange.plan.Region;
import java.util.Arrays;

/**
 * Two regions as a list of runs that are contiguous on both sides.
 *
 * <p>Runs of one length, the usual case, have no list of lengths. All numbers are bytes.
 */
final class RunPairs {
  int runs;
  long[] from = new long[16];
  long[] to = new long[16];
  long[] lengths = new long[16];

  /** The length of every run, or 0 if they differ. */
  long length;

  private RunPairs() {}

  static RunPairs of(Region source, Region target, int size) {
    long[][] a = runs(source);
    long[][] b = runs(target);
    RunPairs pairs = new RunPairs();
    int i = 0;
    int j = 0;
    long doneA = 0;
    long doneB = 0;
    while (i < a[0].length && j < b[0].length) {
      long length = Math.min(a[1][i] - doneA, b[1][j] - doneB);
      pairs.add((a[0][i] + doneA) * size, (b[0][j] + doneB) * size, length * size);
      doneA += length;
      doneB += length;
      if (doneA == a[1][i]) {
        doneA = 0;
        i++;
      }
      if (doneB == b[1][j]) {
        doneB = 0;
        j++;
      }
    }
    pairs.trim();
    return pairs;
  }

  private static long[][] runs(Region region) {
    int count = Math.toIntExact(region.runs());
    long[][] runs = {new long[count], new long[count]};
    int[] at = {0};
    region.forEachRun(
        (offset, length) -> {
          runs[0][at[0]] = offset;
          runs[1][at[0]++] = length;
        });
    return runs;
  }

  private void add(long source, long target, long bytes) {
    if (runs == from.length) {
      from = Arrays.copyOf(from, 2 * runs);
      to = Arrays.copyOf(to, 2 * runs);
      lengths = Arrays.copyOf(lengths, 2 * runs);
    }
    from[runs] = source;
    to[runs] = target;
    lengths[runs++] = bytes;
  }

  private void trim() {
    from = Arrays.copyOf(from, runs);
    to = Arrays.copyOf(to, runs);
    lengths = Arrays.copyOf(lengths, runs);
    length = runs == 0 ? 0 : lengths[0];
    for (long each : lengths) {
      if (each != length) {
        length = 0;
      }
    }
    if (length > 0) {
      lengths = new long[0];
    }
  }

  long length(int run) {
    return length > 0 ? length : lengths[run];
  }

  long bytes() {
    return length > 0 ? length * runs : Arrays.stream(lengths).sum();
  }
}
