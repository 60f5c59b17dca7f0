package dev.rialto.array.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.algorithm.Reduce;
import dev.rialto.array.algorithm.Reduction;
import dev.rialto.array.loop.Combination;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.Places;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reductions on a device: kernels combine elements into a few results, the host combines those, and
 * ranks exchange the same words as on the host.
 */
public final class DeviceReduce {
  /** Elements that are combined by an item of a kernel, before there are more items. */
  private static final long EACH = 16;

  /** Blocks that keep a large device busy, each with several reads of an item under way. */
  private static final long MOST_BLOCKS = 1024;

  /** Results that the host combines. */
  private static final long FEW = 1024;

  private static final long[] NOTHING = {};

  private DeviceReduce() {}

  /** Combines all elements, functions of them, or of pairs of them. */
  public static ArrayOperation<long[]> reduce(
      String name,
      Operand array,
      @Nullable Operand other,
      @Nullable Object f,
      Combination combination) {
    Operand[] arrays = other == null ? new Operand[] {array} : new Operand[] {array, other};
    Operands.requireOneDevice(name, arrays);
    Reduction folding = new Reduction(combination, words(array.type()), null, null);
    boolean anyOrder = combination.commutative();
    ArrayOperation<long[]> made =
        ArrayOperation.collective(
            name,
            run -> {
              Operand x = anyOrder ? array : DeviceTemporaries.inOrder(run, array);
              DeviceValues values = DeviceValues.of(x, x);
              if (other != null) {
                Operand y =
                    anyOrder
                        ? DeviceTemporaries.aligned(run, other, x)
                        : DeviceTemporaries.inOrderAs(run, other, x);
                values = values.zip(DeviceValues.of(y, x), Objects.requireNonNull(f));
              } else if (f != null) {
                values = values.map(f);
              }
              long[] own =
                  anyOrder
                      ? ofRank(x, values, 0, x.layout().count(), combination.function())
                      : inOrder(x, values, combination.function());
              long[] all = folding.ofRanks(run, run.gatherLast(own), run.ranks());
              if (all.length == 0) {
                all = combination.identity(Elements.of(array.type()));
              }
              Reduce.requireElements(all.length > 0, "reducing with an operator of the user's");
              return all;
            });
    return other == null ? made.about(array, combination) : made.about(array, other, combination);
  }

  static Elements words(DType type) {
    return Elements.of(type.kind() == DType.Kind.FLOAT ? DType.F64 : DType.I64);
  }

  /** Returns the word of some values of a rank in any order, or none if there are none. */
  public static long[] ofRank(Operand array, DeviceValues values, long from, long to, Object op) {
    long count = to - from;
    if (count == 0) {
      return NOTHING;
    }
    ComputeClient client = array.client();
    DeviceKernels made = DeviceElementwise.kernels(array);
    long items = items(count);
    try (Buffer results = client.empty("results of a reduction", 8 * blocks(items))) {
      made.fold(values, op).launch(items, results, from, to);
      return combined(client.read(results).toArray(JAVA_LONG), op);
    }
  }

  /** Returns how many items combine so many values: one for each of a few, or whole blocks. */
  private static long items(long count) {
    long blocks = Math.clamp(count / (EACH * DeviceKernels.BLOCK), 1, MOST_BLOCKS);
    return Math.min(count, blocks * DeviceKernels.BLOCK);
  }

  private static long blocks(long items) {
    return Math.max(1, items / DeviceKernels.BLOCK);
  }

  private static long[] combined(long[] words, Object op) {
    DeviceValues.Words combine = DeviceValues.words(op);
    long all = words[0];
    for (int i = 1; i < words.length; i++) {
      all = combine.of(all, words[i]);
    }
    return new long[] {all};
  }

  /** Returns the word of a rank's values in their order, or none if it has none. */
  static long[] inOrder(Operand array, DeviceValues values, Object op) {
    long count = array.layout().count();
    if (count == 0) {
      return NOTHING;
    }
    ComputeClient client = array.client();
    DeviceKernels made = DeviceElementwise.kernels(array);
    long tiles = ScanKernels.tiles(count);
    Buffer results = client.empty("results of a reduction", 8 * tiles);
    try {
      made.tiles(values, op).launch(tiles * DeviceKernels.BLOCK, results, count);
      while (tiles > FEW) {
        long before = tiles;
        tiles = ScanKernels.tiles(before);
        Buffer fewer = client.empty("results of a reduction", 8 * tiles);
        made.tilesAgain(op).launch(tiles * DeviceKernels.BLOCK, fewer, results, before);
        results.close();
        results = fewer;
      }
      return combined(client.read(results).toArray(JAVA_LONG), op);
    } finally {
      results.close();
    }
  }

  /** Finds the extremes; see {@link Reduce#minMax}. */
  public static ArrayOperation<long[]> minMax(Operand array) {
    Operands.requireOneDevice("minMax", array);
    boolean floating = Elements.real(array.type(), "minMax").isFloating();
    return ArrayOperation.collective(
            "minMax",
            run -> {
              DeviceValues numbers = DeviceValues.numbers(run, array);
              long[] all = NOTHING;
              for (long[] each : run.gatherLast(extremes(array, numbers, floating))) {
                if (all.length == 0) {
                  all = each.clone();
                } else if (each.length > 0) {
                  addExtreme(all, each, 0);
                }
              }
              Reduce.requireElements(all.length > 0, "minMax");
              all[0] = Elements.fromKey(all[0], floating);
              all[2] = Elements.fromKey(all[2], floating);
              return all;
            })
        .about(array);
  }

  private static long[] extremes(Operand array, DeviceValues numbers, boolean floating) {
    long count = array.layout().count();
    if (count == 0) {
      return NOTHING;
    }
    boolean rising = Places.DENSE.equals(DeviceLayout.of(array).numbers());
    long items = items(count);
    long blocks = blocks(items);
    try (Buffer results = array.client().empty("results of minMax", 32 * blocks)) {
      DeviceElementwise.kernels(array)
          .extremes(
              DeviceValues.of(array, array),
              numbers,
              floating,
              rising,
              DeviceValues.areNarrow(array))
          .launch(items, results, count);
      long[] found = array.client().read(results).toArray(JAVA_LONG);
      long[] all = Arrays.copyOf(found, 4);
      for (int i = 4; i < found.length; i += 4) {
        addExtreme(all, found, i);
      }
      return all;
    }
  }

  /** Adds other extremes to some; of equal ones, the first stay. */
  private static void addExtreme(long[] all, long[] found, int at) {
    for (int i = 0; i < 4; i += 2) {
      long key = found[at + i];
      long number = found[at + i + 1];
      boolean beyond = i == 0 ? key < all[i] : key > all[i];
      if (beyond || (key == all[i] && number < all[i + 1])) {
        all[i] = key;
        all[i + 1] = number;
      }
    }
  }
}
