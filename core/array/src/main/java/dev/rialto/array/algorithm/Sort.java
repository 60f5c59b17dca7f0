package dev.rialto.array.algorithm;

import dev.rialto.array.device.DeviceKeys;
import dev.rialto.array.loop.KeyLoops;
import dev.rialto.array.loop.SortOrder;
import dev.rialto.array.part.ElementCopy;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.View;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.spi.comm.Communicator;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Algorithms that put elements in order: afterwards they ascend, or descend, in row-major order of
 * the whole array, and each rank holds as many as before.
 *
 * <p>A {@linkplain SampleSort sample sort}: each element travels about once. -0.0 comes before 0.0
 * and NaN last. Equal elements keep their order, which shows where others go {@linkplain #byKey
 * with them}. Up to 2^31-9 elements on each rank.
 */
public final class Sort {
  private Sort() {}

  /** Sorts, the smallest or the largest first. */
  public static ArrayOperation<Operand> of(Operand array, boolean descending) {
    Elements _ = Elements.real(array.type(), "sorting");
    return of(array, SortOrder.NATURAL, descending);
  }

  /**
   * Sorts in an order of the user's; elements that it finds equal stay in the order they were in.
   */
  public static ArrayOperation<Operand> by(Operand array, Object comparison) {
    return of(array, SortOrder.of(comparison), false);
  }

  private static ArrayOperation<Operand> of(Operand array, SortOrder order, boolean descending) {
    array.requireStored("sorting");
    long flip = descending ? -1 : 0;
    String name = order.isNatural() ? "sort" : "sort by comparison";
    return ArrayOperation.collective(
            name,
            run -> {
              if (array.isOnDevice()) {
                if (flip != 0 || !order.isNatural() || !DeviceKeys.sortInPlace(run, array)) {
                  DeviceKeys.of(run, array, order, flip).sort().apply(array);
                }
              } else {
                View view = HostTemporaries.inOrder(run, array);
                new HostKeys(run, view, order, flip, false).sort().store();
                putBack(run, view, array);
              }
              long[][] _ = run.gatherLast();
              return array;
            })
        .about(array, descending);
  }

  /**
   * Sorts an array and puts the elements of others in the same order; those with equal keys stay in
   * the order they were in. Keys that are computed are not written.
   *
   * @param values arrays of the same shape, of any type and divided in any way
   */
  public static ArrayOperation<Operand> byKey(Operand keys, Operand... values) {
    for (Operand each : values) {
      Operands.requireSameShape(keys, each);
      each.requireStored("sorting");
    }
    Operand[] all = Arrays.copyOf(values, values.length + 1);
    all[values.length] = keys;
    Operand[] written = keys.zip() == null ? all : values;
    for (int i = 0; i < written.length; i++) {
      for (int j = 0; j < i; j++) {
        Operands.requireApart(written[i], written[j]);
      }
    }
    boolean onDevice = Operands.anyOnDevice(all);
    if (onDevice) {
      Operands.requireOneDevice("sort by key", all);
    }
    Elements _ = Elements.real(keys.type(), "sorting");
    return ArrayOperation.collective(
            "sort by key",
            run -> {
              if (onDevice) {
                DeviceKeys.of(run, keys, SortOrder.NATURAL, 0).sort().apply(written);
              } else {
                byKeyOnHost(run, keys, values);
              }
              long[][] _ = run.gatherLast();
              return keys;
            })
        .about((Object[]) all);
  }

  private static void byKeyOnHost(OperationRunner run, Operand keys, Operand... values) {
    View view = HostTemporaries.stored(run, HostTemporaries.inOrder(run, keys));
    HostKeys sorted = new HostKeys(run, view, SortOrder.NATURAL, 0, true).sort();
    int end = sorted.begin() + Math.toIntExact(view.count());
    long[] order = Arrays.copyOfRange(sorted.positions(), sorted.begin(), end);
    View[] permuted = new View[values.length];
    for (int i = 0; i < values.length; i++) {
      permuted[i] = HostTemporaries.temporary(run, values[i].type(), view.distribution());
      fetch(run, values[i], order, permuted[i]);
    }
    if (keys.zip() == null) {
      sorted.store();
      putBack(run, view, keys);
    }
    for (int i = 0; i < values.length; i++) {
      run.move(permuted[i], values[i].view());
    }
  }

  /** Copies the listed elements of an array, wherever they are, to a view. */
  static void fetch(OperationRunner run, Operand array, long[] elements, View to) {
    int size = array.type().size();
    long own = array.layout().count();
    MemorySegment both = run.allocate((own + elements.length) * size);
    ElementCopy.pack(array, array.view().memory(), both);
    run.exchange(
        array.client(),
        exchanger -> {
          Communicator comm = exchanger.communicator();
          ExchangePlan plan = Halo.indexed(comm, array.distribution(), elements);
          try (Exchange exchange = exchanger.exchange(plan, array.type())) {
            exchange.run(both, both);
          }
        });
    MemorySegment.copy(both, own * size, to.memory(), 0, (long) elements.length * size);
  }

  public static long[] counts(Distribution distribution) {
    return IntStream.range(0, distribution.ranks()).mapToLong(distribution::localCount).toArray();
  }

  /** Returns how many elements this rank is to sort. */
  public static int size(OperationRunner run, View view) {
    return run.listed(view.count(), "to sort");
  }

  /** Writes the elements as numbers in their order into an array and returns it. */
  static long[] keys(OperationRunner run, View view, long flip, long[] keys) {
    KeyLoops loops = KeyLoops.of(view.elements());
    run.stretches(
        0,
        view.count(),
        (_, at, count) -> loops.read(view.address(at), (int) at, (int) count, flip, keys),
        view);
    return keys;
  }

  /** Copies a view back to the array it was made of, unless it is the array's own memory. */
  private static void putBack(OperationRunner run, View view, Operand array) {
    if (view.memory().address() != array.address()) {
      run.move(view, array.view());
    }
  }
}
