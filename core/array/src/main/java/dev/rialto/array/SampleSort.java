package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Sorts the keys of elements that are divided among ranks.
 *
 * <p>Samples of all ranks, drawn at random, give splitters, one less than there are ranks. Each
 * rank divides its keys by them, what lies between two splitters travels to one rank, and that rank
 * sorts it. Then a rank has a few keys more or less than it should, so ranks pass on what exceeds.
 * Each key is sorted once and travels once, about; nobody ever holds more than its share and the
 * error of the samples. To sort first and merge what arrives takes longer: a merge costs more than
 * to divide by a splitter.
 *
 * <p>Equal keys are told apart by their rank and place there, so that many equal ones do not all
 * land on one rank, and equal ones keep their order. Samples are drawn with one seed, so a sort
 * repeats exactly.
 */
final class SampleSort {
  /** Samples of all ranks together: shares are off by about one in 100 parts. */
  private static final int SAMPLES = 4096;

  private final OperationRunner run;
  private final Scratch scratch;
  private final View view;
  private final KeyLoops loops;
  private final long flip;
  private final long[] counts;
  private final long first;
  private final long total;
  private final int count;

  /**
   * Sorts for the ranks of a run.
   *
   * @param view this rank's elements
   * @param flip -1 if the largest comes first, else 0
   */
  SampleSort(OperationRunner run, View view, long flip) {
    this.run = run;
    this.scratch = run.scratch();
    this.view = view;
    this.loops = KeyLoops.of(view.elements());
    this.flip = flip;
    this.counts = Sort.counts(view.distribution());
    this.first = Arrays.stream(counts, 0, run.rank()).sum();
    this.total = Arrays.stream(counts).sum();
    this.count = Sort.size(run, view);
  }

  /**
   * A rank's share: keys and, if somebody asks, where they were among all. The arrays are used
   * again by the team's next sort.
   *
   * @param begin where in the arrays the share begins
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Part(long[] keys, long @Nullable [] positions, int begin) {}

  /** Sorts this rank's keys with those of all others and returns its share. Collective. */
  Part sort(boolean withPositions) {
    if (run.ranks() == 1 || total == 0) {
      return alone(withPositions);
    }
    Splitters splitters = splitters();
    if (run.ranks() == 2 && !withPositions) {
      return withOther(splitters);
    }
    long[] sent = new long[run.ranks()];
    for (long at = 0, next; at < count; at = next) {
      next = stretch(at);
      loops.count(view.address(at), (int) at, (int) (next - at), flip, splitters, sent);
    }
    long[][] pieces = run.gather(sent);
    long[] received = new long[run.ranks()];
    Arrays.setAll(received, rank -> pieces[rank][run.rank()]);
    Balance balance = new Balance(pieces, counts, run.rank(), 0);
    long[] share = divided(Scratch.SHARE, splitters, KeyLoops.KEYS, sent, received, balance);
    long[] positions =
        withPositions
            ? divided(Scratch.SHARE_POSITIONS, splitters, first, sent, received, balance)
            : null;
    run.check();
    int begin = (int) balance.before;
    sort(share, positions, begin, begin + Math.toIntExact(Arrays.stream(received).sum()));
    pass(share, balance);
    if (positions != null) {
      pass(positions, balance);
    }
    return new Part(share, positions, balance.begin);
  }

  /**
   * Sorts with one other rank, in one pass less: what stays goes to where it will be sorted before
   * it is known how much that is.
   */
  private Part withOther(Splitters splitters) {
    int me = run.rank();
    // Room for what the samples are off by.
    int place = count / 16 + 64;
    long[] share = scratch.longs(Scratch.SHARE, count + 2L * place);
    MemorySegment sending = scratch.numbers(Scratch.SORT_SENT, count + 1L);
    int own = place;
    for (long at = 0, next; at < count; at = next) {
      next = stretch(at);
      long to = sending.address() + 8 * (at - (own - place));
      own =
          loops.divideInTwo(
              view.address(at), (int) at, (int) (next - at), flip, splitters, me, share, own, to);
    }
    long kept = (long) own - place;
    long[] sent = new long[2];
    sent[me] = kept;
    sent[1 - me] = count - kept;
    long[][] pieces = run.gather(sent);
    long arriving = pieces[1 - me][me];
    Balance balance = new Balance(pieces, counts, me, place);
    int begin = (int) balance.before;
    if (begin != place || share.length < balance.room()) {
      long[] wider = scratch.longs(Scratch.SHARE, balance.room());
      System.arraycopy(share, place, wider, begin, (int) kept);
      share = wider;
    }
    long[] received = new long[2];
    received[1 - me] = arriving;
    long[] receivedAt = {begin + kept, begin + kept};
    travel(sending, sent, new long[2], share, received, receivedAt);
    run.check();
    Arrays.sort(share, begin, (int) (begin + kept + arriving));
    pass(share, balance);
    return new Part(share, null, balance.begin);
  }

  private Part alone(boolean withPositions) {
    long[] keys = Sort.keys(run, view, flip, scratch.longs(Scratch.SHARE, count));
    long[] positions = null;
    if (withPositions) {
      positions = scratch.longs(Scratch.SHARE_POSITIONS, count);
      Arrays.setAll(positions, i -> i);
    }
    sort(keys, positions, 0, count);
    return new Part(keys, positions, 0);
  }

  private static void sort(long[] keys, long @Nullable [] positions, int begin, int end) {
    if (positions == null) {
      Arrays.sort(keys, begin, end);
    } else {
      StableSort.sort(keys, positions, begin, end);
    }
  }

  /** Returns where the stretch of elements without gaps ends that begins at one. */
  private long stretch(long at) {
    run.check();
    return Math.min(count, at + view.part().run(at));
  }

  private Splitters splitters() {
    int ranks = run.ranks();
    int[] from = new int[ranks + 1];
    for (int rank = 0; rank < ranks; rank++) {
      from[rank + 1] = from[rank] + 2 * samples(rank);
    }
    int samples = samples(run.rank());
    SplittableRandom random = new SplittableRandom(run.rank());
    // First the keys, then their places.
    long[] words = scratch.longs(Scratch.SAMPLES, 2L * samples);
    for (int i = 0; i < samples; i++) {
      int at = random.nextInt(count);
      words[i] = loops.key(view.address(at), flip);
      words[samples + i] = at;
    }
    long[] all = run.gatherAll(words, 2 * samples, Scratch.ALL_SAMPLES);
    int drawn = from[ranks] / 2;
    long[] sorted = scratch.longs(Scratch.SORTED_SAMPLES, drawn);
    for (int rank = 0; rank < ranks; rank++) {
      System.arraycopy(all, from[rank], sorted, from[rank] / 2, samples(rank));
    }
    Arrays.sort(sorted, 0, drawn);
    long[] bounds = new long[ranks - 1];
    int[] places = new int[bounds.length];
    long before = 0;
    for (int i = 0; i < bounds.length; i++) {
      before += counts[i];
      int at = (int) ((double) before / total * drawn);
      bounds[i] = at < drawn ? sorted[at] : Long.MAX_VALUE;
      places[i] =
          at < drawn ? place(all, from, bounds[i], at - below(sorted, at)) : Integer.MAX_VALUE;
    }
    return new Splitters(bounds, places);
  }

  /** Returns how many samples a rank draws. */
  private int samples(int rank) {
    return counts[rank] == 0 ? 0 : (int) ((double) SAMPLES * counts[rank] / total) + 1;
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
   * Returns the place on this rank from which on keys equal to a splitter come after it. The
   * splitter is the {@code nth} of the equal samples, in the order of ranks and of places there:
   * equal keys of earlier ranks come before it, those of later ones after.
   */
  private int place(long[] all, int[] from, long bound, int nth) {
    int left = nth;
    for (int rank = 0; rank < run.ranks(); rank++) {
      int samples = samples(rank);
      long[] places = scratch.longs(Scratch.EQUAL_SAMPLES, samples);
      int equal = 0;
      for (int i = from[rank]; i < from[rank] + samples; i++) {
        if (all[i] == bound) {
          places[equal++] = all[i + samples];
        }
      }
      if (left < equal) {
        Arrays.sort(places, 0, equal);
        return run.rank() < rank ? Integer.MAX_VALUE : run.rank() > rank ? 0 : (int) places[left];
      }
      left -= equal;
    }
    throw new IllegalStateException("no sample equals the splitter " + bound);
  }

  /**
   * Divides keys, or positions, by the splitters and exchanges them.
   *
   * @param positions the first of them, or {@link KeyLoops#KEYS}
   * @return piece {@code slot} of scratch memory, where this rank's share begins after the room for
   *     what it will be passed
   */
  private long[] divided(
      int slot,
      Splitters splitters,
      long positions,
      long[] sent,
      long[] received,
      Balance balance) {
    int me = run.rank();
    long[] share = scratch.longs(slot, balance.room());
    long[] receivedAt = starts(received, balance.before);
    long[] sentFrom = starts(sent, 0);
    MemorySegment sending = scratch.numbers(Scratch.SORT_SENT, count);
    long[] places = sentFrom.clone();
    for (long at = 0, next; at < count; at = next) {
      next = stretch(at);
      loops.divide(
          view.address(at),
          (int) at,
          (int) (next - at),
          flip,
          splitters,
          positions,
          sending.address(),
          places);
    }
    MemorySegment.copy(
        sending, JAVA_LONG, 8 * sentFrom[me], share, (int) receivedAt[me], (int) sent[me]);
    travel(sending, sent, sentFrom, share, received, receivedAt);
    return share;
  }

  /** Sends other ranks pieces of native memory and puts what comes from each to its place. */
  private void travel(
      MemorySegment sending,
      long[] sent,
      long[] sentFrom,
      long[] to,
      long[] received,
      long[] receivedAt) {
    long[] out = without(sent, run.rank());
    long[] in = without(received, run.rank());
    if (run.has(Capability.HEAP_BUFFERS)) {
      run.communicate(
          comm ->
              comm.allToAllV(
                  sending, out, sentFrom, MemorySegment.ofArray(to), in, receivedAt, DType.I64));
      return;
    }
    long[] inAt = starts(in, 0);
    MemorySegment receiving = scratch.numbers(Scratch.SORT_RECEIVED, Arrays.stream(in).sum());
    run.communicate(comm -> comm.allToAllV(sending, out, sentFrom, receiving, in, inAt, DType.I64));
    for (int rank = 0; rank < in.length; rank++) {
      MemorySegment.copy(
          receiving, JAVA_LONG, 8 * inAt[rank], to, (int) receivedAt[rank], (int) in[rank]);
    }
  }

  /** Passes on what exceeds a rank's share. */
  private void pass(long[] share, Balance balance) {
    long[] sentFrom = starts(balance.sent, 0);
    MemorySegment sending = scratch.numbers(Scratch.SORT_SENT, Arrays.stream(balance.sent).sum());
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
   * What a rank passes on, and gets, so that each has its share: the keys from one place in the
   * order of all to another. The rank's array has room before and after the keys it has.
   */
  private static final class Balance {
    final long before;
    final int begin;
    final long[] sent;
    final long[] sentFrom;
    final long[] received;
    final long[] receivedAt;
    private final long room;

    /** Takes how many keys each rank has for each, and where this one's are if there is room. */
    Balance(long[][] pieces, long[] counts, int me, long place) {
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
      long passed = Math.max(0, Math.min(first, shareEnd) - share);
      long start = Math.max(0, place - passed);
      before = start + passed;
      long after = Math.max(0, shareEnd - Math.max(end, share));
      room = before + has[me] + after;
      begin = (int) (start + (passed > 0 ? 0 : Math.clamp(share - first, 0, has[me])));
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
              rank < me ? start + from - share : before + has[me] + from - Math.max(end, share);
        }
      }
    }

    int room() {
      return Math.toIntExact(room);
    }
  }
}
