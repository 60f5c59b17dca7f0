package dev.rialto.array.algorithm;

import dev.rialto.array.loop.SortOrder;
import dev.rialto.array.loop.Splitters;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.array.run.Scratch;
import dev.rialto.exchange.plan.Distribution;
import java.util.Arrays;
import java.util.Comparator;
import java.util.SplittableRandom;

/**
 * Sorts elements that are divided among ranks.
 *
 * <p>Samples of all ranks, drawn at random, give splitters, one less than there are ranks. Each
 * rank divides its elements by them, what lies between two splitters travels to one rank, and that
 * rank sorts it. Then a rank has a few elements more or less than it should, so ranks pass on what
 * exceeds. Each element travels once, about; no rank ever holds more than its share and the error
 * of the samples.
 *
 * <p>Equal elements are told apart by their rank and place there, so that many equal ones do not
 * all land on one rank, and equal ones keep their order. Samples are drawn with one seed, so a sort
 * repeats exactly.
 */
public final class SampleSort {
  /** Samples of all ranks together: shares are off by about one in 100 parts. */
  private static final int SAMPLES = 4096;

  /** A rank's elements while they are sorted, as one word each, where they are. */
  public interface Part {
    /** Sorts the elements of the only rank that has some. */
    void alone();

    /** Returns the words of the elements at some places. */
    long[] sample(int[] places);

    /** Divides the elements by splitters; returns how many go to each rank. */
    long[] divide(Splitters splitters);

    /**
     * Sends each rank what it gets, sorts what comes from all, and passes on what exceeds the
     * rank's share. Collective.
     *
     * @param pieces how many elements each rank has for each
     */
    void exchange(long[][] pieces);
  }

  private final OperationRunner run;
  private final Scratch scratch;
  private final SortOrder order;
  private final Part part;
  private final long[] counts;
  private final long total;

  /** Sorts the parts of ranks, each of which has as many elements as a distribution says. */
  public SampleSort(OperationRunner run, Distribution distribution, SortOrder order, Part part) {
    this.run = run;
    this.scratch = run.scratch();
    this.order = order;
    this.part = part;
    this.counts = Sort.counts(distribution);
    this.total = Arrays.stream(counts).sum();
  }

  /** Sorts this rank's elements with those of all others. Collective. */
  public void sort() {
    if (run.ranks() == 1 || total == 0) {
      part.alone();
      return;
    }
    part.exchange(run.gather(part.divide(splitters())));
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
    int[] places = new int[samples];
    Arrays.setAll(places, _ -> random.nextInt(Math.toIntExact(counts[run.rank()])));
    System.arraycopy(part.sample(places), 0, words, 0, samples);
    for (int i = 0; i < samples; i++) {
      words[samples + i] = places[i];
    }
    long[] all = run.gatherAll(words, 2 * samples, Scratch.ALL_SAMPLES);
    int drawn = from[ranks] / 2;
    long[] sorted = scratch.longs(Scratch.SORTED_SAMPLES, drawn);
    for (int rank = 0; rank < ranks; rank++) {
      System.arraycopy(all, from[rank], sorted, from[rank] / 2, samples(rank));
    }
    sort(sorted, drawn);
    long[] bounds = new long[ranks - 1];
    int[] bounded = new int[bounds.length];
    long before = 0;
    int real = 0;
    for (int i = 0; i < bounds.length; i++) {
      before += counts[i];
      int at = (int) ((double) before / total * drawn);
      bounds[i] = at < drawn ? sorted[at] : Long.MAX_VALUE;
      real += at < drawn ? 1 : 0;
      bounded[i] =
          at < drawn ? place(all, from, bounds[i], at - below(sorted, at)) : Integer.MAX_VALUE;
    }
    return new Splitters(bounds, bounded, real);
  }

  private void sort(long[] samples, int count) {
    if (order.isNatural()) {
      Arrays.sort(samples, 0, count);
      return;
    }
    long[] sorted =
        Arrays.stream(samples, 0, count)
            .boxed()
            .sorted((Comparator<Long>) order::compare)
            .mapToLong(word -> word)
            .toArray();
    System.arraycopy(sorted, 0, samples, 0, count);
  }

  /** Returns how many samples a rank draws. */
  private int samples(int rank) {
    return counts[rank] == 0 ? 0 : (int) ((double) SAMPLES * counts[rank] / total) + 1;
  }

  /** Returns how many sorted numbers are less than the one at a place. */
  private int below(long[] sorted, int at) {
    int first = at;
    while (first > 0 && order.compare(sorted[first - 1], sorted[at]) == 0) {
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
        if (order.compare(all[i], bound) == 0) {
          places[equal++] = all[i + samples];
        }
      }
      if (left < equal) {
        Arrays.sort(places, 0, equal);
        return run.rank() < rank ? Integer.MAX_VALUE : run.rank() > rank ? 0 : (int) places[left];
      }
      left -= equal;
    }
    throw new IllegalStateException(
        "a sort whose comparison contradicts itself: an element is not equal to itself; let it return"
            + " 0 for equal elements, and the opposite for two that are exchanged");
  }
}
