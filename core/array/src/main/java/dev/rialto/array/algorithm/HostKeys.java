package dev.rialto.array.algorithm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.loop.ComparedLoops;
import dev.rialto.array.loop.KeyLoops;
import dev.rialto.array.loop.SortOrder;
import dev.rialto.array.loop.Splitters;
import dev.rialto.array.loop.StableSort;
import dev.rialto.array.part.View;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.array.run.Scratch;
import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A rank's elements on the host while they are sorted, each as a key, and with their positions if
 * they are asked for.
 *
 * <p>Keys are divided by the splitters and what comes is sorted. To sort first and merge what
 * arrives takes longer: a merge costs more than to divide by a splitter.
 */
public final class HostKeys implements SampleSort.Part {
  private final OperationRunner run;
  private final Scratch scratch;
  private final View view;
  private final SortOrder order;
  private final KeyLoops loops;
  private final long flip;
  private final boolean withPositions;
  private final boolean inTwo;
  private final long[] counts;
  private final long first;
  private final int count;
  private long[] share = {};
  private long @Nullable [] positions;
  private int begin;

  /** The splitters of a division made before the place of the sort was known. */
  private @Nullable Splitters splitters;

  private long[] sent = {};
  private int own;

  /**
   * Takes a view of this rank's elements.
   *
   * @param flip -1 if the largest comes first, else 0
   */
  HostKeys(OperationRunner run, View view, SortOrder order, long flip, boolean withPositions) {
    this.run = run;
    this.scratch = run.scratch();
    this.view = view;
    this.order = order;
    this.loops =
        order.isNatural()
            ? KeyLoops.of(view.elements())
            : new ComparedLoops(view.elements(), order);
    this.flip = flip;
    this.withPositions = withPositions;
    // Equal keys are the same; elements that a user's order finds equal may not be.
    this.inTwo = run.ranks() == 2 && !withPositions && order.isNatural();
    this.counts = Sort.counts(view.distribution());
    this.first = Arrays.stream(counts, 0, run.rank()).sum();
    this.count = Sort.size(run, view);
  }

  /** Sorts the elements of all ranks and returns this one's share. Collective. */
  HostKeys sort() {
    new SampleSort(run, view.distribution(), order, this).sort();
    return this;
  }

  /** Returns the keys, used again by the team's next sort. */
  long[] keys() {
    return share;
  }

  /** Returns where elements were among all, in an array that is used again. */
  long[] positions() {
    return Objects.requireNonNull(positions);
  }

  /** Returns where in both arrays the share begins. */
  int begin() {
    return begin;
  }

  /** Writes the elements of the share to the view. */
  void store() {
    run.stretches(
        0,
        view.count(),
        (_, at, n) -> loops.write(view.address(at), begin + (int) at, (int) n, flip, share),
        view);
  }

  @Override
  public long[] sample(int[] places) {
    return Arrays.stream(places).mapToLong(at -> loops.key(view.address(at), flip)).toArray();
  }

  @Override
  public void alone() {
    share = scratch.longs(Scratch.SHARE, count);
    run.stretches(
        0, count, (_, at, n) -> loops.read(view.address(at), (int) at, (int) n, flip, share), view);
    if (withPositions) {
      long[] numbers = scratch.longs(Scratch.SHARE_POSITIONS, count);
      Arrays.setAll(numbers, i -> i);
      positions = numbers;
    }
    sort(0, count);
  }

  @Override
  public long[] divide(Splitters by) {
    splitters = by;
    sent = new long[run.ranks()];
    if (inTwo) {
      divideInTwo(by);
      return sent;
    }
    for (long at = 0, next; at < count; at = next) {
      next = stretch(at);
      loops.count(view.address(at), (int) at, (int) (next - at), flip, by, sent);
    }
    return sent;
  }

  @Override
  public void exchange(long[][] pieces) {
    if (inTwo) {
      withOther(pieces);
      return;
    }
    Splitters by = Objects.requireNonNull(splitters);
    long[] received = new long[run.ranks()];
    Arrays.setAll(received, rank -> pieces[rank][run.rank()]);
    Balance balance = new Balance(pieces, counts, run.rank(), 0);
    share = divided(Scratch.SHARE, by, KeyLoops.KEYS, sent, received, balance);
    if (withPositions) {
      positions = divided(Scratch.SHARE_POSITIONS, by, first, sent, received, balance);
    }
    run.check();
    int from = (int) balance.before;
    sort(from, from + Math.toIntExact(Arrays.stream(received).sum()));
    pass(share, balance);
    if (positions != null) {
      pass(positions, balance);
    }
    begin = balance.begin;
  }

  /** Room for what the samples are off by, where what stays is put with one other rank. */
  private int place() {
    return count / 16 + 64;
  }

  /**
   * Divides between this rank and one other, in one pass less: what stays goes to where it will be
   * sorted before it is known how much that is.
   */
  private void divideInTwo(Splitters by) {
    int me = run.rank();
    share = scratch.longs(Scratch.SHARE, count + 2L * place());
    MemorySegment sending = scratch.numbers(Scratch.SORT_SENT, count + 1L);
    own = place();
    for (long at = 0, next; at < count; at = next) {
      next = stretch(at);
      long to = sending.address() + 8 * (at - (own - place()));
      own =
          loops.divideInTwo(
              view.address(at), (int) at, (int) (next - at), flip, by, me, share, own, to);
    }
    sent[me] = (long) own - place();
    sent[1 - me] = count - sent[me];
  }

  private void withOther(long[][] pieces) {
    int me = run.rank();
    long kept = sent[me];
    long arriving = pieces[1 - me][me];
    Balance balance = new Balance(pieces, counts, me, place());
    int from = (int) balance.before;
    if (from != place() || share.length < balance.room()) {
      long[] wider = scratch.longs(Scratch.SHARE, balance.room());
      System.arraycopy(share, place(), wider, from, (int) kept);
      share = wider;
    }
    long[] received = new long[2];
    received[1 - me] = arriving;
    long[] receivedAt = {from + kept, from + kept};
    MemorySegment sending = scratch.numbers(Scratch.SORT_SENT, count + 1L);
    travel(sending, sent, new long[2], share, received, receivedAt);
    run.check();
    sort(from, (int) (from + kept + arriving));
    pass(share, balance);
    begin = balance.begin;
  }

  private void sort(int from, int to) {
    if (!order.isNatural()) {
      order.sort(share, positions, from, to);
    } else if (positions == null) {
      Arrays.sort(share, from, to);
    } else {
      StableSort.sort(share, positions, from, to);
    }
  }

  /** Returns where the stretch of elements without gaps ends that begins at one. */
  private long stretch(long at) {
    run.check();
    return Math.min(count, at + view.layout().run(at));
  }

  /**
   * Divides keys, or positions, by the splitters and exchanges them.
   *
   * @param numbers the first of them, or {@link KeyLoops#KEYS}
   * @return piece {@code slot} of scratch memory, where this rank's share begins after the room for
   *     what it will be passed
   */
  private long[] divided(
      int slot, Splitters by, long numbers, long[] leaving, long[] received, Balance balance) {
    int me = run.rank();
    long[] into = scratch.longs(slot, balance.room());
    long[] receivedAt = starts(received, balance.before);
    long[] sentFrom = starts(leaving, 0);
    MemorySegment sending = scratch.numbers(Scratch.SORT_SENT, count);
    long[] places = sentFrom.clone();
    for (long at = 0, next; at < count; at = next) {
      next = stretch(at);
      loops.divide(
          view.address(at),
          (int) at,
          (int) (next - at),
          flip,
          by,
          numbers,
          sending.address(),
          places);
    }
    MemorySegment.copy(
        sending, JAVA_LONG, 8 * sentFrom[me], into, (int) receivedAt[me], (int) leaving[me]);
    travel(sending, leaving, sentFrom, into, received, receivedAt);
    return into;
  }

  /** Sends other ranks pieces of native memory and puts what comes from each to its place. */
  private void travel(
      MemorySegment sending,
      long[] leaving,
      long[] sentFrom,
      long[] to,
      long[] received,
      long[] receivedAt) {
    long[] out = without(leaving, run.rank());
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
  private void pass(long[] words, Balance balance) {
    long[] sentFrom = starts(balance.sent, 0);
    MemorySegment sending = scratch.numbers(Scratch.SORT_SENT, Arrays.stream(balance.sent).sum());
    for (int rank = 0; rank < sentFrom.length; rank++) {
      MemorySegment.copy(
          words,
          (int) balance.sentFrom[rank],
          sending,
          JAVA_LONG,
          8 * sentFrom[rank],
          (int) balance.sent[rank]);
    }
    travel(sending, balance.sent, sentFrom, words, balance.received, balance.receivedAt);
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
   * The keys that a rank passes on, and gets, so that each has its share: the keys from one place
   * in the order of all to another. The rank's array has room before and after the keys it has.
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
