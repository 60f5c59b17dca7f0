package dev.rialto.array.device;

import dev.rialto.array.algorithm.Rearrange;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Resource;
import dev.rialto.spi.data.DType;

/** {@link Rearrange} of a rank's elements on a device. */
public final class DeviceRearrange {
  private DeviceRearrange() {}

  /** Returns a new array with the elements at whose places those of another meet a condition. */
  public static Operand copyIf(OperationRunner run, Operand array, Operand by, Object condition) {
    Operand from = DeviceTemporaries.inOrder(run, array);
    Operand tested = by == array ? from : DeviceTemporaries.inOrderAs(run, by, from);
    long count = from.layout().count();
    DeviceValues marks = DeviceValues.of(tested, tested).test(condition, true);
    try (Buffer places = from.client().empty("places of elements", Long.BYTES * count)) {
      long kept = SelectionKernels.places(from, marks, places, count);
      return Rearrange.made(
          run,
          array,
          kept,
          made -> SelectionKernels.take(made, DeviceValues.of(from, from), places));
    }
  }

  /** Sets {@code out[i] = f(in[i], in[i-1])}; the first element of all stays. */
  public static void adjacent(OperationRunner run, Operand in, Operand out, Object f) {
    Operand from = DeviceTemporaries.inOrder(run, in);
    DeviceValues values = DeviceValues.of(from, from);
    // An item would read what another one has written.
    boolean apart = !values.arrays(null).contains(out.whole());
    Operand to =
        apart
            ? DeviceTemporaries.likeInOrder(run, out, from)
            : run.temporary(from, Operands.divided(from, from.distribution()), out.type());
    long[] before = {};
    long[][] ends = run.gather(last(from, values));
    for (int rank = run.rank() - 1; rank >= 0 && before.length == 0; rank--) {
      before = ends[rank];
    }
    SelectionKernels.adjacent(to, values, f, before);
    DeviceTemporaries.move(run, to, out);
  }

  private static long[] last(Operand array, DeviceValues values) {
    long count = array.layout().count();
    return DeviceReduce.ofRank(
        array, values, Math.max(0, count - 1), count, (DeviceValues.Words) (_, y) -> y);
  }

  /** Sets an array to its elements of the listed numbers, wherever they are. */
  public static void fetch(OperationRunner run, Operand array, long[] elements) {
    ComputeClient client = array.client();
    DType type = array.type();
    long own = type.bytes(array.layout().count());
    long more = type.bytes(elements.length);
    try (Buffer both = client.empty("elements of other ranks", own + more)) {
      if (own > 0) {
        try (Buffer packed = array.part().packed()) {
          client.copy(packed.slice(0, own), both.slice(0, own));
        }
      }
      run.exchange(
          client,
          exchanger -> {
            try (Exchange exchange =
                    exchanger.exchange(
                        Halo.indexed(exchanger.communicator(), array.distribution(), elements),
                        type);
                Resource memory = client.resource(both, true)) {
              exchange.run(memory.segment(), memory.segment());
            }
          });
      if (more > 0) {
        array.part().put(both.slice(own, more));
      }
    }
  }
}
