package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sorts numbers that are divided among ranks.
 *
 * <p>Each rank sorts its own. Samples of all ranks, at regular distances, give splitters, one less
 * than there are ranks; what lies between two of them travels to one rank, which merges the pieces.
 * Then a rank has a few numbers more or less than it should, so ranks pass on what exceeds. Each
 * number travels once, about; nobody ever holds more than its share and the error of the samples.
 *
 * <p>Equal numbers are told apart by their rank and place there, so that many equal ones do not all
 * land on one rank, and equal ones keep their order.
 */
final class SampleSort {
  /** Samples of all ranks together; a splitter is off by about so many times less numbers. */
  private static final int SAMPLES = 2048;

  private final Run run;
  private final long[] counts;
  private final long first;
  private final long total;

  /**
   * Sorts for the ranks of a run.
   *
   * @param counts how many numbers each rank has, before and after
   */
  SampleSort(Run run, long[] counts) {
    this.run = run;
    this.counts = counts;
    this.first = Arrays.stream(counts, 0, run.rank()).sum();
    this.total = Arrays.stream(counts).sum();
  }

  /** What a rank has: numbers and, if somebody asks, where they were among all. */
  static final class Part {
    final long[] keys;
    final long @Nullable [] positions;

    /** Where in the arrays the rank's share begins. */
    final int begin;

    private Part(long[] keys, long @Nullable [] positions, int begin) {
      this.keys = keys;
      this.positions = positions;
      this.begin = begin;
    }

    private Part alike(int length) {
      return new Part(new long[length], positions == null ? null : new long[length], 0);
    }

    private void sort() {
      if (positions == null) {
        Arrays.sort(keys);
      } else {
        StableSort.sort(keys, positions);
      }
    }
  }

  /** Sorts this rank's numbers with those of all others and returns its share. Collective. */
  Part sort(long[] keys, boolean withPositions) {
    long[] positions = null;
    if (withPositions) {
      positions = new long[keys.length];
      Arrays.setAll(positions, i -> first + i);
    }
    Part mine = new Part(keys, positions, 0);
    mine.sort();
    if (run.ranks() == 1 || total == 0) {
      return mine;
    }
    run.check();
    long[][] pieces = run.gather(pieces(keys));
    long[] received = new long[run.ranks()];
    Arrays.setAll(received, rank -> pieces[rank][run.rank()]);
    Balance balance = new Balance(pieces, counts, run.rank());
    int at = (int) balance.before;
    Part runs = mine.alike(balance.room());
    long[] sent = pieces[run.rank()];
    travel(mine, sent, starts(sent, 0), runs, received, starts(received, at));
    run.check();
    Part sorted = merged(runs, mine.alike(balance.room()), at, received);
    travel(sorted, balance.sent, balance.sentFrom, sorted, balance.received, balance.receivedAt);
    return new Part(sorted.keys, sorted.positions, balance.begin);
  }

  /** Returns how many of this rank's numbers, in order, belong to each rank. */
  private long[] pieces(long[] keys) {
    int samples = (int) ((double) SAMPLES * keys.length / total) + 1;
    long[] words = new long[keys.length == 0 ? 0 : 2 * samples];
    for (int i = 0; i < words.length; i += 2) {
      int at = (int) ((i + 1L) * keys.length / words.length);
      words[i] = keys[at];
      words[i + 1] = at;
    }
    long[][] all = run.gather(words);
    // A sample: its number, its rank and its place there.
    long[][] sorted =
        IntStream.range(0, all.length)
            .boxed()
            .flatMap(
                rank ->
                    IntStream.range(0, all[rank].length / 2)
                        .mapToObj(i -> new long[] {all[rank][2 * i], rank, all[rank][2 * i + 1]}))
            .sorted(Arrays::compare)
            .toArray(long[][]::new);
    long[] pieces = new long[run.ranks()];
    long before = 0;
    long cut = 0;
    for (int rank = 0; rank < pieces.length; rank++) {
      before += counts[rank];
      int at = (int) ((double) before / total * sorted.length);
      long next = at >= sorted.length ? keys.length : cut(keys, sorted[at]);
      pieces[rank] = next - cut;
      cut = next;
    }
    return pieces;
  }

  /** Returns how many of this rank's numbers come before a splitter. */
  private long cut(long[] keys, long[] splitter) {
    int less = below(keys, splitter[0]);
    if (run.rank() > splitter[1]) {
      return less;
    }
    return run.rank() == splitter[1]
        ? splitter[2]
        : splitter[0] == Long.MAX_VALUE ? keys.length : below(keys, splitter[0] + 1);
  }

  /** Returns how many sorted numbers are less than a bound. */
  private static int below(long[] keys, long bound) {
    int low = 0;
    int high = keys.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (keys[middle] < bound) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Merges neighbouring runs, two and two, until one is left. */
  private static Part merged(Part runs, Part spare, int first, long[] lengths) {
    int[] ends = new int[lengths.length];
    int end = first;
    for (int i = 0; i < ends.length; i++) {
      end += (int) lengths[i];
      ends[i] = end;
    }
    Part from = runs;
    Part to = spare;
    while (ends.length > 1) {
      int[] fewer = new int[(ends.length + 1) / 2];
      for (int i = 0; i < fewer.length; i++) {
        int begin = i == 0 ? first : fewer[i - 1];
        int last = Math.min(2 * i + 1, ends.length - 1);
        merge(from, begin, ends[2 * i], ends[last], to);
        fewer[i] = ends[last];
      }
      Part other = from;
      from = to;
      to = other;
      ends = fewer;
    }
    return from;
  }

  /**
   * Merges numbers up to {@code middle} with those from there to {@code end}. Which of two random
   * numbers is less cannot be predicted, so it is computed instead of branched on; and because each
   * step waits for the one before, the merge goes on from both ends at once.
   */
  private static void merge(Part from, int begin, int middle, int end, Part to) {
    long[] keys = from.keys;
    int left = begin;
    int right = middle;
    int at = begin;
    if (from.positions == null || to.positions == null) {
      int leftLast = middle - 1;
      int rightLast = end - 1;
      int last = end - 1;
      while (left < leftLast && right < rightLast) {
        long a = keys[left];
        long b = keys[right];
        int second = (int) (less(b, a) >>> 63);
        to.keys[at++] = Math.min(a, b);
        left += 1 - second;
        right += second;
        long y = keys[leftLast];
        long z = keys[rightLast];
        int first = (int) (less(z, y) >>> 63);
        to.keys[last--] = Math.max(y, z);
        leftLast -= first;
        rightLast -= 1 - first;
      }
      while (left <= leftLast && right <= rightLast) {
        to.keys[at++] = keys[left] <= keys[right] ? keys[left++] : keys[right++];
      }
      int rest = left <= leftLast ? left : right;
      System.arraycopy(keys, rest, to.keys, at, last + 1 - at);
      return;
    }
    while (left < middle && right < end) {
      int next = keys[left] <= keys[right] ? left++ : right++;
      to.keys[at] = keys[next];
      to.positions[at++] = from.positions[next];
    }
    int rest = left < middle ? left : right;
    System.arraycopy(keys, rest, to.keys, at, end - at);
    System.arraycopy(from.positions, rest, to.positions, at, end - at);
  }

  /** Returns a negative number if {@code a < b}, whatever overflows. */
  private static long less(long a, long b) {
    long apart = a - b;
    return apart ^ ((a ^ b) & (apart ^ a));
  }

  private void travel(
      Part from, long[] sent, long[] sentFrom, Part to, long[] received, long[] receivedAt) {
    travel(from.keys, sent, sentFrom, to.keys, received, receivedAt);
    if (from.positions != null && to.positions != null) {
      travel(from.positions, sent, sentFrom, to.positions, received, receivedAt);
    }
  }

  /** Sends each rank some of this rank's numbers; the heap is left and entered where need be. */
  private void travel(
      long[] from, long[] sent, long[] sentFrom, long[] to, long[] received, long[] receivedAt) {
    int me = run.rank();
    System.arraycopy(from, (int) sentFrom[me], to, (int) receivedAt[me], (int) sent[me]);
    long[] out = without(sent, me);
    long[] in = without(received, me);
    try (Arena arena = Arena.ofShared()) {
      long[] outAt = starts(out, 0);
      long[] inAt = starts(in, 0);
      MemorySegment sending = arena.allocate(JAVA_LONG, Arrays.stream(out).sum());
      MemorySegment receiving = arena.allocate(JAVA_LONG, Arrays.stream(in).sum());
      for (int rank = 0; rank < out.length; rank++) {
        MemorySegment.copy(
            from, (int) sentFrom[rank], sending, JAVA_LONG, 8 * outAt[rank], (int) out[rank]);
      }
      run.communicate(comm -> comm.allToAllV(sending, out, outAt, receiving, in, inAt, DType.I64));
      for (int rank = 0; rank < in.length; rank++) {
        MemorySegment.copy(
            receiving, JAVA_LONG, 8 * inAt[rank], to, (int) receivedAt[rank], (int) in[rank]);
      }
    }
  }

  private static long[] without(long[] counts, int rank) {
    long[] others = counts.clone();
    others[rank] = 0;
    return others;
  }

  private static long[] starts(long[] counts, long first) {
    long[] starts = new long[counts.length];
    starts[0] = first;
    for (int i = 1; i < starts.length; i++) {
      starts[i] = starts[i - 1] + counts[i - 1];
    }
    return starts;
  }

  /**
   * What a rank passes on, and gets, so that each has its share: the numbers from one place in the
   * order of all to another. The rank's array has room before and after the numbers it has.
   */
  private static final class Balance {
    final long before;
    final int begin;
    final long[] sent;
    final long[] sentFrom;
    final long[] received;
    final long[] receivedAt;
    private final long room;

    Balance(long[][] pieces, long[] counts, int me) {
      int ranks = counts.length;
      long[] has = new long[ranks];
      for (long[] of : pieces) {
        Arrays.setAll(has, rank -> has[rank] + of[rank]);
      }
      long[] hasFrom = starts(has, 0);
      long[] shareFrom = starts(counts, 0);
      long first = hasFrom[me];
      long end = first + has[me];
      long share = shareFrom[me];
      long shareEnd = share + counts[me];
      before = Math.max(0, Math.min(first, shareEnd) - share);
      long after = Math.max(0, shareEnd - Math.max(end, share));
      room = before + has[me] + after;
      begin = (int) (before > 0 ? 0 : Math.clamp(share - first, 0, has[me]));
      sent = new long[ranks];
      sentFrom = new long[ranks];
      received = new long[ranks];
      receivedAt = new long[ranks];
      for (int rank = 0; rank < ranks; rank++) {
        long from = Math.max(first, shareFrom[rank]);
        long count = Math.min(end, shareFrom[rank] + counts[rank]) - from;
        if (rank != me && count > 0) {
          sent[rank] = count;
          sentFrom[rank] = before + from - first;
        }
        from = Math.max(share, hasFrom[rank]);
        count = Math.min(shareEnd, hasFrom[rank] + has[rank]) - from;
        if (rank != me && count > 0) {
          received[rank] = count;
          receivedAt[rank] =
              rank < me ? from - share : before + has[me] + from - Math.max(end, share);
        }
      }
    }

    int room() {
      return Math.toIntExact(room);
    }
  }
}
