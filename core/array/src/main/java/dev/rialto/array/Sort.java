package dev.rialto.array;

import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.Halo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Algorithms that put elements in order: afterwards they ascend, or descend, in row-major order of
 * the whole array, and each rank holds as many as before.
 *
 * <p>A {@linkplain SampleSort sample sort}: each element travels about once. -0.0 comes before 0.0
 * and NaN last. Equal elements keep their order, which shows where others go {@linkplain #byKey
 * with them}. Needs collectives, and up to 2^31-9 elements on each rank.
 */
public final class Sort {
  private Sort() {}

  /** Sorts, the smallest first. */
  public static Operation<DistributedArray> ascending(DistributedArray array) {
    return sort("sort", array, false);
  }

  /** Sorts, the largest first. */
  public static Operation<DistributedArray> descending(DistributedArray array) {
    return sort("sort", array, true);
  }

  private static Operation<DistributedArray> sort(
      String name, DistributedArray array, boolean descending) {
    Elements elements = Elements.real(array.type(), "sorting");
    return Operation.collective(
        array.team(),
        name,
        run -> {
          try (Arena arena = Arena.ofShared()) {
            View view = View.inOrder(run, arena, array);
            long[] keys = keys(run, view, elements, descending, scratch(run, view));
            SampleSort.Part sorted =
                new SampleSort(run, counts(view.distribution())).sort(keys, false);
            store(run, view, elements, sorted, descending);
            putBack(run, view, array);
            long[][] _ = run.gatherLast();
            return array;
          }
        });
  }

  /**
   * Sorts an array and puts the elements of another in the same order; those with equal keys stay
   * in the order they were in.
   *
   * @param values an array of the same shape, of any type and divided in any way
   */
  public static Operation<DistributedArray> byKey(DistributedArray keys, DistributedArray values) {
    Elementwise.sameShape(keys, values);
    Elements elements = Elements.real(keys.type(), "sorting");
    return Operation.collective(
        keys.team(),
        "sort by key",
        run -> {
          try (Arena arena = Arena.ofShared()) {
            View view = View.inOrder(run, arena, keys);
            SampleSort.Part sorted =
                new SampleSort(run, counts(view.distribution()))
                    .sort(keys(run, view, elements, false, scratch(run, view)), true);
            View permuted = View.temporary(values.type(), view.distribution(), run.rank(), arena);
            long[] positions = Objects.requireNonNull(sorted.positions());
            fetch(
                run,
                arena,
                values,
                Arrays.copyOfRange(
                    positions, sorted.begin(), sorted.begin() + Math.toIntExact(view.count())),
                permuted);
            store(run, view, elements, sorted, false);
            putBack(run, view, keys);
            run.communicate(comm -> permuted.moveTo(comm, View.of(values)));
            long[][] _ = run.gatherLast();
            return keys;
          }
        });
  }

  /** Copies the listed elements of an array, wherever they are, to a view. */
  private static void fetch(
      Run run, Arena arena, DistributedArray array, long[] elements, View to) {
    int size = array.type().size();
    long own = array.part().count();
    MemorySegment both = arena.allocate((own + elements.length) * size, 64);
    View.stretches(
        0,
        own,
        (at, count) ->
            MemorySegment.copy(
                array.local(), array.part().place(at) * size, both, at * size, count * size),
        View.of(array));
    run.communicate(
        comm -> {
          try (Exchanger exchanger = Exchanger.on(comm)) {
            exchanger
                .exchange(Halo.indexed(comm, array.distribution(), elements), array.type())
                .run(both, both);
          }
        });
    MemorySegment.copy(both, own * size, to.memory(), 0, (long) elements.length * size);
  }

  static long[] counts(Distribution distribution) {
    return IntStream.range(0, distribution.ranks()).mapToLong(distribution::localCount).toArray();
  }

  /** Returns the elements as numbers in their order. */
  static long[] keys(Run run, View view, Elements elements, boolean descending) {
    return keys(run, view, elements, descending, new long[size(run, view)]);
  }

  /** Returns memory that sorts use again, for as many numbers as a rank has elements. */
  static long[] scratch(Run run, View view) {
    return run.scratch().longs(SampleSort.KEYS, size(run, view));
  }

  private static int size(Run run, View view) {
    if (view.count() > Integer.MAX_VALUE - 8) {
      throw new IllegalStateException(
          "%d elements to sort on rank %d; the most is 2^31-9, use more ranks"
              .formatted(view.count(), run.rank()));
    }
    return (int) view.count();
  }

  /** Writes the elements as numbers in their order into an array and returns it. */
  static long[] keys(Run run, View view, Elements elements, boolean descending, long[] keys) {
    long flip = descending ? -1 : 0;
    run.chunks(
        view.count(),
        (_, begin, end) ->
            View.stretches(
                begin,
                end,
                (at, count) -> read(elements, view.address(at), keys, (int) at, (int) count, flip),
                view));
    return keys;
  }

  private static void read(
      Elements elements, long address, long[] keys, int at, int count, long flip) {
    boolean floating = elements.isFloating();
    for (int i = 0; i < count; i++) {
      keys[at + i] = Elements.key(elements.get(address, i), floating) ^ flip;
    }
  }

  private static void store(
      Run run, View view, Elements elements, SampleSort.Part sorted, boolean descending) {
    long flip = descending ? -1 : 0;
    run.chunks(
        view.count(),
        (_, begin, end) ->
            View.stretches(
                begin,
                end,
                (at, count) ->
                    write(
                        elements,
                        view.address(at),
                        sorted.keys(),
                        sorted.begin() + (int) at,
                        (int) count,
                        flip),
                view));
  }

  private static void write(
      Elements elements, long address, long[] keys, int at, int count, long flip) {
    boolean floating = elements.isFloating();
    for (int i = 0; i < count; i++) {
      elements.set(address, i, Elements.fromKey(keys[at + i] ^ flip, floating));
    }
  }

  /** Copies a view back to the array it was made of, unless it is the array's own memory. */
  private static void putBack(Run run, View view, DistributedArray array) {
    if (view.memory().address() != array.address()) {
      View own = View.of(array);
      run.communicate(comm -> view.moveTo(comm, own));
    }
  }
}
