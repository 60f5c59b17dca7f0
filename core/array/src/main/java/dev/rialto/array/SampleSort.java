package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sorts numbers that are divided among ranks.
 *
 * <p>Random samples of all ranks give splitters, one less than there are ranks. Each rank deals its
 * numbers into a bucket per rank, the buckets travel, and each rank sorts what it got. Then a rank
 * has a few numbers more or less than it should, so neighbours pass on what exceeds. Each number
 * travels once, about; nobody ever holds more than its share and the error of the samples.
 *
 * <p>Numbers are told apart by where they were if they are equal, so that many equal ones do not
 * all land on one rank, and equal ones keep their order.
 */
final class SampleSort {
  /** Samples of all ranks together; a splitter is off by about one in a hundred of all numbers. */
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

    private Part(long[] keys, long @Nullable [] positions) {
      this.keys = keys;
      this.positions = positions;
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
    Part mine = new Part(keys, positions);
    if (run.ranks() == 1 || total == 0) {
      mine.sort();
      return mine;
    }
    long[][] splitters = splitters(keys);
    run.check();
    Part dealt = deal(mine, splitters);
    run.check();
    dealt.sort();
    return balance(dealt);
  }

  /** Returns, for each rank but the first, the number and position its share begins with. */
  private long[][] splitters(long[] keys) {
    int samples = (int) ((SAMPLES * (double) keys.length) / total + 1);
    SplittableRandom random = new SplittableRandom(run.rank());
    long[] words = new long[keys.length == 0 ? 0 : 2 * samples];
    for (int i = 0; i < words.length; i += 2) {
      int at = random.nextInt(keys.length);
      words[i] = keys[at];
      words[i + 1] = first + at;
    }
    long[][] sorted =
        Arrays.stream(run.gather(words))
            .flatMap(
                of ->
                    IntStream.range(0, of.length / 2)
                        .mapToObj(i -> new long[] {of[2 * i], of[2 * i + 1]}))
            .sorted(Comparator.<long[]>comparingLong(s -> s[0]).thenComparingLong(s -> s[1]))
            .toArray(long[][]::new);
    long[][] splitters = new long[run.ranks() - 1][];
    long before = 0;
    for (int rank = 0; rank < splitters.length; rank++) {
      before += counts[rank];
      int at = (int) ((double) before / total * sorted.length);
      splitters[rank] = sorted[Math.min(at, sorted.length - 1)];
    }
    return splitters;
  }

  /** Brings each number to the rank whose share it belongs to, about. */
  private Part deal(Part mine, long[][] splitters) {
    int ranks = run.ranks();
    long[] splitKeys = Arrays.stream(splitters).mapToLong(s -> s[0]).toArray();
    long[] splitPositions = Arrays.stream(splitters).mapToLong(s -> s[1]).toArray();
    long[] keys = mine.keys;
    long[] sent = new long[ranks];
    for (int i = 0; i < keys.length; i++) {
      sent[bucket(keys[i], first + i, splitKeys, splitPositions)]++;
    }
    long[] next = starts(sent);
    long[] dealt = new long[keys.length];
    long[] dealtPositions = mine.positions == null ? null : new long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      int at = (int) next[bucket(keys[i], first + i, splitKeys, splitPositions)]++;
      dealt[at] = keys[i];
      if (dealtPositions != null) {
        dealtPositions[at] = first + i;
      }
    }
    return travel(new Part(dealt, dealtPositions), sent);
  }

  /** Returns how many splitters come before a number; they are few. */
  private static int bucket(long key, long position, long[] keys, long[] positions) {
    int bucket = 0;
    for (int i = 0; i < keys.length; i++) {
      bucket += key > keys[i] ? 1 : 0;
      if (key == keys[i] && position >= positions[i]) {
        bucket++;
      }
    }
    return bucket;
  }

  /** Passes on what exceeds each rank's share; all numbers are sorted from rank to rank. */
  private Part balance(Part sorted) {
    long[][] has = run.gather(sorted.keys.length);
    long begin = 0;
    for (int rank = 0; rank < run.rank(); rank++) {
      begin += has[rank][0];
    }
    long end = begin + sorted.keys.length;
    long[] sent = new long[run.ranks()];
    long shareBegin = 0;
    for (int rank = 0; rank < sent.length; rank++) {
      long shareEnd = shareBegin + counts[rank];
      sent[rank] = Math.max(0, Math.min(end, shareEnd) - Math.max(begin, shareBegin));
      shareBegin = shareEnd;
    }
    return travel(sorted, sent);
  }

  /** Sends the first {@code sent[0]} numbers to rank 0, the next {@code sent[1]} to rank 1, … */
  private Part travel(Part part, long[] sent) {
    long[][] all = run.gather(sent);
    long[] received = new long[run.ranks()];
    Arrays.setAll(received, rank -> all[rank][run.rank()]);
    return new Part(
        travel(part.keys, sent, received),
        part.positions == null ? null : travel(part.positions, sent, received));
  }

  private long[] travel(long[] numbers, long[] sent, long[] received) {
    int me = run.rank();
    long[] from = starts(sent);
    long[] to = starts(received);
    long[] result = new long[Math.toIntExact(Arrays.stream(received).sum())];
    System.arraycopy(numbers, (int) from[me], result, (int) to[me], (int) sent[me]);
    long[] out = without(sent, me);
    long[] in = without(received, me);
    try (Arena arena = Arena.ofShared()) {
      long[] outAt = starts(out);
      long[] inAt = starts(in);
      MemorySegment sending = arena.allocate(JAVA_LONG, Arrays.stream(out).sum());
      MemorySegment receiving = arena.allocate(JAVA_LONG, Arrays.stream(in).sum());
      for (int rank = 0; rank < out.length; rank++) {
        MemorySegment.copy(
            numbers, (int) from[rank], sending, JAVA_LONG, 8 * outAt[rank], (int) out[rank]);
      }
      run.communicate(comm -> comm.allToAllV(sending, out, outAt, receiving, in, inAt, DType.I64));
      for (int rank = 0; rank < in.length; rank++) {
        MemorySegment.copy(
            receiving, JAVA_LONG, 8 * inAt[rank], result, (int) to[rank], (int) in[rank]);
      }
    }
    return result;
  }

  private static long[] without(long[] counts, int rank) {
    long[] others = counts.clone();
    others[rank] = 0;
    return others;
  }

  private static long[] starts(long[] counts) {
    long[] starts = new long[counts.length];
    for (int i = 1; i < starts.length; i++) {
      starts[i] = starts[i - 1] + counts[i - 1];
    }
    return starts;
  }
}
