package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sorts numbers that are divided among ranks.
 *
 * <p>Samples of all ranks, drawn at random, give splitters, one less than there are ranks. Each
 * rank divides its numbers by them, what lies between two splitters travels to one rank, and that
 * rank sorts it. Then a rank has a few numbers more or less than it should, so ranks pass on what
 * exceeds. Each number is sorted once and travels once, about; nobody ever holds more than its
 * share and the error of the samples. To sort first and merge what arrives takes longer: a merge
 * costs more than to divide by a splitter.
 *
 * <p>Equal numbers are told apart by their rank and place there, so that many equal ones do not all
 * land on one rank, and equal ones keep their order. Samples are drawn with one seed, so a sort
 * repeats exactly.
 */
final class SampleSort {
  /** Samples of all ranks together: shares are off by about one in 100 parts. */
  private static final int SAMPLES = 4096;

  // The pieces of scratch memory.
  static final int KEYS = 0;
  private static final int SHARE = 1;
  private static final int POSITIONS = 2;
  private static final int SHARE_POSITIONS = 3;
  private static final int SENT = 0;
  private static final int RECEIVED = 1;

  private final Run run;
  private final Scratch scratch;
  private final long[] counts;
  private final long first;
  private final long total;
  private final int count;

  /**
   * Sorts for the ranks of a run.
   *
   * @param counts how many numbers each rank has, before and after
   */
  SampleSort(Run run, long[] counts) {
    this.run = run;
    this.scratch = run.scratch();
    this.counts = counts;
    this.first = Arrays.stream(counts, 0, run.rank()).sum();
    this.total = Arrays.stream(counts).sum();
    this.count = Math.toIntExact(counts[run.rank()]);
  }

  /**
   * A rank's share: numbers and, if somebody asks, where they were among all. The arrays are used
   * again by the team's next sort.
   *
   * @param begin where in the arrays the share begins
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Part(long[] keys, long @Nullable [] positions, int begin) {}

  /**
   * Sorts this rank's numbers, the first of an array, with those of all others and returns its
   * share. Collective.
   */
  Part sort(long[] keys, boolean withPositions) {
    long[] positions = null;
    if (withPositions) {
      positions = scratch.longs(POSITIONS, count);
      for (int i = 0; i < count; i++) {
        positions[i] = first + i;
      }
    }
    if (run.ranks() == 1 || total == 0) {
      sort(keys, positions, 0, count);
      return new Part(keys, positions, 0);
    }
    Splitters splitters = splitters(keys);
    long[] sent = splitters.counts(keys, count);
    long[][] pieces = run.gather(sent);
    long[] received = new long[run.ranks()];
    Arrays.setAll(received, rank -> pieces[rank][run.rank()]);
    Balance balance = new Balance(pieces, counts, run.rank());
    int begin = (int) balance.before;
    long[] share = scratch.longs(SHARE, balance.room());
    MemorySegment sending = scratch.numbers(SENT, count);
    splitters.divide(keys, keys, count, sending, starts(sent, 0));
    travel(sending, sent, starts(sent, 0), share, received, starts(received, begin));
    long[] sharePositions = null;
    if (positions != null) {
      sharePositions = scratch.longs(SHARE_POSITIONS, balance.room());
      splitters.divide(keys, positions, count, sending, starts(sent, 0));
      travel(sending, sent, starts(sent, 0), sharePositions, received, starts(received, begin));
    }
    run.check();
    sort(share, sharePositions, begin, begin + Math.toIntExact(Arrays.stream(received).sum()));
    pass(share, balance);
    if (sharePositions != null) {
      pass(sharePositions, balance);
    }
    return new Part(share, sharePositions, balance.begin);
  }

  private static void sort(long[] keys, long @Nullable [] positions, int begin, int end) {
    if (positions == null) {
      Arrays.sort(keys, begin, end);
    } else {
      StableSort.sort(keys, positions, begin, end);
    }
  }

  private Splitters splitters(long[] keys) {
    int samples = count == 0 ? 0 : (int) ((double) SAMPLES * count / total) + 1;
    SplittableRandom random = new SplittableRandom(run.rank());
    // First the numbers, then their places.
    long[] words = new long[2 * samples];
    for (int i = 0; i < samples; i++) {
      int at = random.nextInt(count);
      words[i] = keys[at];
      words[samples + i] = at;
    }
    long[][] all = run.gather(words);
    long[] sorted =
        Arrays.stream(all).flatMapToLong(of -> Arrays.stream(of, 0, of.length / 2)).toArray();
    Arrays.sort(sorted);
    long[] bounds = new long[run.ranks() - 1];
    int[] places = new int[bounds.length];
    long before = 0;
    for (int i = 0; i < bounds.length; i++) {
      before += counts[i];
      int at = (int) ((double) before / total * sorted.length);
      bounds[i] = at < sorted.length ? sorted[at] : Long.MAX_VALUE;
      places[i] =
          at < sorted.length ? place(all, bounds[i], at - below(sorted, at)) : Integer.MAX_VALUE;
    }
    return new Splitters(bounds, places);
  }

  /** Returns how many sorted numbers are less than the one at a place. */
  private static int below(long[] sorted, int at) {
    int first = at;
    while (first > 0 && sorted[first - 1] == sorted[at]) {
      first--;
    }
    return first;
  }

  /**
   * Returns the place on this rank from which on numbers equal to a splitter come after it. The
   * splitter is the {@code nth} of the equal samples, in the order of ranks and of places there:
   * equal numbers of earlier ranks come before it, those of later ones after.
   */
  private int place(long[][] all, long bound, int nth) {
    int left = nth;
    for (int rank = 0; rank < all.length; rank++) {
      long[] of = all[rank];
      int samples = of.length / 2;
      long[] equal =
          IntStream.range(0, samples)
              .filter(i -> of[i] == bound)
              .mapToLong(i -> of[samples + i])
              .sorted()
              .toArray();
      if (left < equal.length) {
        return run.rank() < rank ? Integer.MAX_VALUE : run.rank() > rank ? 0 : (int) equal[left];
      }
      left -= equal.length;
    }
    throw new IllegalStateException("no sample equals the splitter " + bound);
  }

  /**
   * Where numbers of one rank are to be divided: a number comes after splitter {@code j} if it is
   * greater than a bound, or equal and not before a place. Which side of a splitter random numbers
   * lie on cannot be predicted, so it is computed instead of branched on.
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Splitters(long[] bounds, int[] places) {
    /** Returns -1 if the number at a place comes after a splitter, else 0. */
    private long after(long key, int at, int splitter) {
      long bound = bounds[splitter];
      if (key == bound) {
        return at >= places[splitter] ? -1 : 0;
      }
      // The sign of bound - key, whatever overflows.
      long apart = bound - key;
      return (apart ^ ((bound ^ key) & (apart ^ bound))) >> 63;
    }

    /** Returns to which rank the number at a place goes: how many splitters it comes after. */
    private int rank(long key, int at) {
      int low = 0;
      for (int length = bounds.length; length > 0; ) {
        int half = (length + 1) >>> 1;
        low += half & (int) after(key, at, low + half - 1);
        length -= half;
      }
      return low;
    }

    /** Returns how many numbers go to each rank. */
    long[] counts(long[] keys, int count) {
      int[] counts = new int[bounds.length + 1];
      if (bounds.length == 1) {
        counts[1] = afterOne(keys, count);
        counts[0] = count - counts[1];
      } else {
        for (int i = 0; i < count; i++) {
          counts[rank(keys[i], i)]++;
        }
      }
      return Arrays.stream(counts).asLongStream().toArray();
    }

    private int afterOne(long[] keys, int count) {
      int place = Math.min(places[0], count);
      long bound = bounds[0];
      int after = 0;
      for (int i = 0; i < place; i++) {
        after += keys[i] > bound ? 1 : 0;
      }
      for (int i = place; i < count; i++) {
        after += keys[i] >= bound ? 1 : 0;
      }
      return after;
    }

    /** Copies values, each to the next place for the rank where the number beside it goes. */
    void divide(long[] keys, long[] values, int count, MemorySegment to, long[] next) {
      long base = to.address();
      if (bounds.length == 1) {
        divideInTwo(keys, values, count, base + 8 * next[0], base + 8 * next[1]);
        return;
      }
      for (int i = 0; i < count; i++) {
        int rank = rank(keys[i], i);
        Elements.MEMORY.set(JAVA_LONG, base + 8 * next[rank]++, values[i]);
      }
    }

    private void divideInTwo(long[] keys, long[] values, int count, long low, long high) {
      long first = low;
      long second = high;
      for (int i = 0; i < count; i++) {
        long after = after(keys[i], i, 0);
        Elements.MEMORY.set(JAVA_LONG, first + (second - first & after), values[i]);
        first += 8 & ~after;
        second += 8 & after;
      }
    }
  }

  /** Sends ranks pieces of native memory and puts what comes from each to its place. */
  private void travel(
      MemorySegment sending,
      long[] sent,
      long[] sentFrom,
      long[] to,
      long[] received,
      long[] receivedAt) {
    int me = run.rank();
    MemorySegment.copy(
        sending, JAVA_LONG, 8 * sentFrom[me], to, (int) receivedAt[me], (int) sent[me]);
    long[] out = without(sent, me);
    long[] in = without(received, me);
    long[] inAt = starts(in, 0);
    MemorySegment receiving = scratch.numbers(RECEIVED, Arrays.stream(in).sum());
    run.communicate(comm -> comm.allToAllV(sending, out, sentFrom, receiving, in, inAt, DType.I64));
    for (int rank = 0; rank < in.length; rank++) {
      MemorySegment.copy(
          receiving, JAVA_LONG, 8 * inAt[rank], to, (int) receivedAt[rank], (int) in[rank]);
    }
  }

  /** Passes on what exceeds a rank's share. */
  private void pass(long[] share, Balance balance) {
    long[] sentFrom = starts(balance.sent, 0);
    MemorySegment sending = scratch.numbers(SENT, Arrays.stream(balance.sent).sum());
    for (int rank = 0; rank < sentFrom.length; rank++) {
      MemorySegment.copy(
          share,
          (int) balance.sentFrom[rank],
          sending,
          JAVA_LONG,
          8 * sentFrom[rank],
          (int) balance.sent[rank]);
    }
    travel(sending, balance.sent, sentFrom, share, balance.received, balance.receivedAt);
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
