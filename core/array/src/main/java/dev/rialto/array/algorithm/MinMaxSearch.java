package dev.rialto.array.algorithm;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.loop.Combination;
import dev.rialto.array.loop.Fold;
import dev.rialto.array.loop.Loops;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.View;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.array.run.Scratch;
import dev.rialto.spi.data.ReduceOp;
import java.util.Objects;
import java.util.function.DoublePredicate;
import java.util.function.LongPredicate;

/**
 * Finds the smallest and the largest element, and where they are.
 *
 * <p>First the values alone, block by block, with the folds of minimum and maximum: the second
 * reads what the first has brought into the nearest cache. Then the place, only in the blocks that
 * have the value; in an array in order that is one.
 */
public final class MinMaxSearch {
  private static final long BLOCK = 1 << 13;

  // The words of a chunk: keys, where blocks with them begin, and what folds need.
  private static final long MIN = 0;
  private static final long MAX = 8;
  private static final long MIN_AT = 16;
  private static final long MAX_AT = 24;
  private static final long FOLDED = 64;
  private static final long SLOT = FOLDED + Fold.BYTES;

  private final Operand array;
  private final Elements elements;
  private final boolean floating;
  private final Object min;
  private final Object max;
  private final Fold minFold;
  private final Fold maxFold;
  private final Loops search;

  MinMaxSearch(Operand array) {
    this.array = array;
    var _ = Elements.real(array.type(), "minMax");
    this.elements = array.elements();
    this.floating = elements.isFloating();
    this.min = operator(ReduceOp.Builtin.MIN);
    this.max = operator(ReduceOp.Builtin.MAX);
    this.minFold = Fold.of(Loops.of(min, null, elements), min, null, elements, null);
    this.maxFold = Fold.of(Loops.of(max, null, elements), max, null, elements, null);
    this.search = Loops.of(is(0), null, elements);
  }

  private Object operator(ReduceOp.Builtin named) {
    return Objects.requireNonNull(Combination.function(named, elements.type));
  }

  /** Returns the least key's bits, its element, the greatest's, and its element. */
  long[] find(OperationRunner run) {
    View view = array.values();
    int chunks = OperationRunner.chunksOf(view.count());
    long slots = run.scratch().numbers(Scratch.VALUES, SLOT / 8 * chunks).address();
    run.stretches(
        0,
        view.count(),
        (chunk, at, count) -> {
          long slot = slots + chunk * SLOT;
          if (at % OperationRunner.CHUNK == 0) {
            set(slot + MIN, Long.MAX_VALUE);
            set(slot + MAX, Long.MIN_VALUE);
            set(slot + MIN_AT, at);
            set(slot + MAX_AT, at);
          }
          for (long done = 0; done < count; done += BLOCK) {
            block(slot, view, at + done, Math.min(BLOCK, count - done));
          }
        },
        view);
    long[] words = new long[chunks == 0 ? 0 : 4];
    if (chunks > 0) {
      words[0] = Long.MAX_VALUE;
      words[2] = Long.MIN_VALUE;
      for (int chunk = 0; chunk < chunks; chunk++) {
        words[0] = Math.min(words[0], get(slots + chunk * SLOT + MIN));
        words[2] = Math.max(words[2], get(slots + chunk * SLOT + MAX));
      }
      words[1] = place(view, slots, MIN, MIN_AT, words[0]);
      words[3] = place(view, slots, MAX, MAX_AT, words[2]);
    }
    return best(run.gatherLast(words));
  }

  private void block(long slot, View view, long at, long count) {
    long address = view.address(at);
    long to = slot + FOLDED;
    minFold.fold(min, true, null, elements, address, null, 0, count, to);
    long least = Elements.key(get(to), floating);
    if (floating && Double.isNaN(Double.longBitsToDouble(get(to)))) {
      least = leastNumber(address, (int) count);
    }
    if (least < get(slot + MIN)) {
      set(slot + MIN, least);
      set(slot + MIN_AT, at);
    }
    maxFold.fold(max, true, null, elements, address, null, 0, count, to);
    long most = Elements.key(get(to), floating);
    if (most > get(slot + MAX)) {
      set(slot + MAX, most);
      set(slot + MAX_AT, at);
    }
  }

  /** Returns the least key where some elements are NaN, which any minimum would be. */
  private long leastNumber(long address, int count) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      least = Math.min(least, Elements.key(elements.get(address, i), true));
    }
    return least;
  }

  /** Returns the number of the first element that has a key. */
  private long place(View view, long slots, long keys, long places, long key) {
    Object is = is(key);
    long first = Long.MAX_VALUE;
    for (long chunk = 0; chunk * OperationRunner.CHUNK < view.count(); chunk++) {
      if (get(slots + chunk * SLOT + keys) != key) {
        continue;
      }
      long end = Math.min(view.count(), (chunk + 1) * OperationRunner.CHUNK);
      for (long at = get(slots + chunk * SLOT + places); at < end; ) {
        long count = Math.min(end - at, view.layout().run(at));
        long found = search.find(is, true, elements, view.address(at), count);
        if (found < count) {
          first = Math.min(first, array.elementAt(at + found));
          if (view.isInOrder()) {
            return first;
          }
          found++;
        }
        at += found;
      }
    }
    return first;
  }

  private Object is(long key) {
    return floating
        ? (DoublePredicate) x -> Elements.key(Double.doubleToRawLongBits(x), true) == key
        : (LongPredicate) x -> x == key;
  }

  private long[] best(long[][] ranks) {
    long[] best = {};
    for (long[] of : ranks) {
      if (of.length == 0) {
        continue;
      }
      if (best.length == 0) {
        best = of;
      }
      if (of[0] < best[0] || (of[0] == best[0] && of[1] < best[1])) {
        best[0] = of[0];
        best[1] = of[1];
      }
      if (of[2] > best[2] || (of[2] == best[2] && of[3] < best[3])) {
        best[2] = of[2];
        best[3] = of[3];
      }
    }
    Reduce.requireElements(best.length > 0, "minMax");
    best[0] = Elements.fromKey(best[0], floating);
    best[2] = Elements.fromKey(best[2], floating);
    return best;
  }

  private static long get(long address) {
    return MEMORY.get(JAVA_LONG, address);
  }

  private static void set(long address, long word) {
    MEMORY.set(JAVA_LONG, address, word);
  }
}
