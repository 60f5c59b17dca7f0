package dev.rialto.array.algorithm;

import dev.rialto.array.device.DeviceSelection;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.View;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.array.run.OperationRunner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Algorithms that find elements by their place in the order, without sorting. -0.0 comes before 0.0
 * and NaN last.
 *
 * <p>Ranks count their elements by the highest digit, agree on the digit where the wanted one is,
 * and go on with those that have it: six rounds at most, and after the first there are few left. Up
 * to 2^31-9 elements on each rank.
 */
public final class Select {
  private static final int BITS = 11;
  public static final int DIGITS = 1 << BITS;

  private Select() {}

  /**
   * Returns the bits of the element that would be at place {@code n} if all were sorted, from 0.
   *
   * @throws IndexOutOfBoundsException if there are not so many elements
   */
  public static ArrayOperation<Long> nth(Operand array, long n) {
    Elements elements = Elements.real(array.type(), "selecting");
    if (n < 0 || n >= array.shape().count()) {
      throw new IndexOutOfBoundsException(
          "place %d among %d elements; places start at 0".formatted(n, array.shape().count()));
    }
    return ArrayOperation.collective(
            "nthElement",
            run -> {
              long key = key(run, keys(run, array, 0), n);
              long[][] _ = run.gatherLast();
              return Elements.fromKey(key, elements.isFloating());
            })
        .about(array, n);
  }

  /**
   * Finds the {@code k} largest or smallest elements, all if there are fewer: the bits and the
   * number of each.
   */
  public static ArrayOperation<List<long[]>> top(Operand array, int k, boolean largest) {
    Elements elements = Elements.real(array.type(), "selecting");
    if (k < 0) {
      throw new IllegalArgumentException("the first " + k + " elements; give at least 0");
    }
    int wanted = (int) Math.min(k, array.shape().count());
    return ArrayOperation.collective(
            "topK",
            run -> {
              // In descending order the largest are the smallest keys.
              Keys keys = keys(run, array, largest ? -1 : 0);
              long[] words =
                  wanted == 0 ? new long[0] : keys.upTo(key(run, keys, wanted - 1), wanted);
              List<long[]> all = new ArrayList<>();
              for (long[] of : run.gatherLast(words)) {
                for (int i = 0; i < of.length; i += 2) {
                  all.add(new long[] {of[i], of[i + 1]});
                }
              }
              all.sort(Comparator.<long[]>comparingLong(c -> c[0]).thenComparingLong(c -> c[1]));
              return all.subList(0, wanted).stream()
                  .map(
                      found ->
                          new long[] {
                            Elements.fromKey(largest ? ~found[0] : found[0], elements.isFloating()),
                            found[1]
                          })
                  .toList();
            })
        .about(array, k, largest);
  }

  /** A rank's elements as keys, where they are. */
  public interface Keys {
    /**
     * Counts keys by a digit.
     *
     * @param prefix what comes before the digit in the keys that are counted
     * @param low the bits after the digit
     */
    long[] digits(long prefix, int low, int bits);

    /**
     * Returns all keys below one, and of those that are equal to it the first by their elements'
     * numbers: keys and numbers in turns.
     *
     * @param wanted at least how many of the equal ones there are to be, if there are so many
     */
    long[] upTo(long last, int wanted);
  }

  private static Keys keys(OperationRunner run, Operand array, long flip) {
    if (array.isOnDevice()) {
      return new DeviceSelection(run, array, flip);
    }
    View view = HostTemporaries.stored(run, array.values());
    return new HostSelection(array, Sort.keys(run, view, flip, new long[Sort.size(run, view)]));
  }

  /** Keys of the host; those that are left are fewer each time. */
  private static final class HostSelection implements Keys {
    private final Operand array;
    private final long[] keys;
    private long[] left;

    HostSelection(Operand array, long[] keys) {
      this.array = array;
      this.keys = keys;
      this.left = keys;
    }

    @Override
    public long[] digits(long prefix, int low, int bits) {
      if (low + bits < Long.SIZE) {
        left =
            Arrays.stream(left)
                .filter(key -> (key ^ Long.MIN_VALUE) >>> (low + bits) == prefix)
                .toArray();
      }
      long[] counts = new long[DIGITS];
      long mask = (1L << bits) - 1;
      for (long key : left) {
        counts[(int) ((key ^ Long.MIN_VALUE) >>> low & mask)]++;
      }
      return counts;
    }

    @Override
    public long[] upTo(long last, int wanted) {
      return Stream.concat(
              candidates(key -> key < last, wanted), candidates(key -> key == last, wanted))
          .flatMapToLong(Arrays::stream)
          .toArray();
    }

    /** Returns keys that meet a condition, with their elements' numbers; the first of them. */
    private Stream<long[]> candidates(LongPredicate condition, int wanted) {
      return IntStream.range(0, keys.length)
          .filter(i -> condition.test(keys[i]))
          .mapToObj(i -> new long[] {keys[i], array.elementAt(i)})
          .sorted(Comparator.comparingLong(candidate -> candidate[1]))
          .limit(wanted);
    }
  }

  /** Returns the key at place {@code n} among the keys of all ranks. */
  private static long key(OperationRunner run, Keys keys, long n) {
    long place = n;
    long prefix = 0;
    for (int shift = Long.SIZE; shift > 0; ) {
      int bits = Math.min(BITS, shift);
      shift -= bits;
      long[][] all = run.gather(keys.digits(prefix, shift, bits));
      int digit = 0;
      for (long here = total(all, 0); place >= here; here = total(all, digit)) {
        place -= here;
        digit++;
      }
      prefix = prefix << bits | digit;
    }
    return prefix ^ Long.MIN_VALUE;
  }

  private static long total(long[][] counts, int digit) {
    long total = 0;
    for (long[] of : counts) {
      total += of[digit];
    }
    return total;
  }
}
