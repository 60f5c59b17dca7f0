package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reductions on a device: kernels combine elements into a few results, the host combines those, and
 * ranks exchange the same words as on the host.
 */
final class DeviceReduce {
  /** Elements that are combined by an item of a kernel, before there are more items. */
  private static final long EACH = 16;

  /** Items that keep a large device busy. */
  private static final long MOST_ITEMS = 1 << 18;

  /** As many, where each has several results. */
  private static final long MOST_RESULTS = 1 << 15;

  /** Results that the host combines. */
  private static final long FEW = 1024;

  private static final long[] NOTHING = {};

  private DeviceReduce() {}

  /** Combines all elements, functions of them, or of pairs of them. */
  static ArrayOperation<long[]> reduce(
      String name,
      Array array,
      @Nullable Array other,
      @Nullable Object f,
      Combination combination) {
    if (other == null) {
      OnDevice.require(name, array);
    } else {
      OnDevice.require(name, array, other);
    }
    if (!combination.commutative()) {
      throw array.notOnDevice(name + " with " + combination + " of " + array);
    }
    Folding folding = new Folding(combination, words(array.type()), null, null);
    ArrayOperation<long[]> made =
        ArrayOperation.collective(
            array.team(),
            name,
            run -> {
              long[] own = ofRank(array, other, f, combination.function());
              long[] all = folding.ofRanks(run, run.gatherLast(own), run.ranks());
              return all.length == 0 ? combination.identity(Elements.of(array.type())) : all;
            });
    return (other == null ? made.about(array, combination) : made.about(array, other, combination))
        .anywhere();
  }

  /** Returns what elements are combined as. */
  static Elements words(DType type) {
    return Elements.of(type.kind() == DType.Kind.FLOAT ? DType.F64 : DType.I64);
  }

  /** Returns the word of this rank's elements, or none if it has none. */
  private static long[] ofRank(Array array, @Nullable Array other, @Nullable Object f, Object op) {
    long count = array.part().count();
    if (count == 0) {
      return NOTHING;
    }
    ComputeClient client = array.client();
    DeviceKernels made = OnDevice.kernels(array);
    DeviceValues own = DeviceValues.of(array, array);
    DeviceValues values =
        f == null ? own : other == null ? own.map(f) : own.zip(DeviceValues.of(other, array), f);
    long items = Math.clamp(count / EACH, 1, MOST_ITEMS);
    Buffer results = client.empty("results of a reduction", 8 * items);
    try {
      made.fold(values, op).launch(items, results, count);
      if (items > FEW) {
        Buffer fewer = client.empty("results of a reduction", 8 * FEW);
        made.foldAgain(op).launch(FEW, fewer, results, items);
        results.close();
        results = fewer;
      }
      DeviceValues.Words combine = DeviceValues.words(op);
      long[] words = client.read(results).toArray(JAVA_LONG);
      return new long[] {Arrays.stream(words).reduce(combine::of).getAsLong()};
    } finally {
      results.close();
    }
  }

  /** Finds the extremes; see {@link Reduce#minMax}. */
  static ArrayOperation<long[]> minMax(Array array) {
    OnDevice.require("minMax", array);
    Places numbers = OnDevice.numbers("minMax", array);
    return ArrayOperation.collective(
            array.team(),
            "minMax",
            run -> {
              long[] all = NOTHING;
              for (long[] each : run.gatherLast(extremes(array, numbers))) {
                all = all.length == 0 ? each : extreme(all, each);
              }
              Reduce.requireElements(all.length > 0, "minMax");
              if (array.type().kind() == DType.Kind.FLOAT) {
                all[0] = DeviceKernels.bits(all[0]);
                all[2] = DeviceKernels.bits(all[2]);
              }
              return all;
            })
        .about(array)
        .anywhere();
  }

  private static long[] extremes(Array array, Places numbers) {
    long count = array.part().count();
    if (count == 0) {
      return NOTHING;
    }
    long items = Math.clamp(count / EACH, 1, MOST_RESULTS);
    try (Buffer results = array.client().empty("results of minMax", 32 * items)) {
      OnDevice.kernels(array)
          .extremes(DeviceValues.of(array, array), words(array.type()).isFloating())
          .launch(items, results, count);
      MemorySegment read = array.client().read(results);
      long first = OnDevice.first(array);
      long[] all = NOTHING;
      for (long item = 0; item < items; item++) {
        long[] each = read.asSlice(32 * item, 32).toArray(JAVA_LONG);
        each[1] = first + numbers.of(each[1]);
        each[3] = first + numbers.of(each[3]);
        all = all.length == 0 ? each : extreme(all, each);
      }
      return all;
    }
  }

  /** Returns the extremes of two; of equal ones, the first. */
  private static long[] extreme(long[] a, long[] b) {
    if (b.length == 0) {
      return a;
    }
    boolean less = b[0] < a[0] || (b[0] == a[0] && b[1] < a[1]);
    boolean more = b[2] > a[2] || (b[2] == a[2] && b[3] < a[3]);
    return new long[] {
      less ? b[0] : a[0], less ? b[1] : a[1], more ? b[2] : a[2], more ? b[3] : a[3]
    };
  }
}
