package dev.rialto.array.algorithm;

import dev.rialto.array.device.DeviceReduce;
import dev.rialto.array.device.DeviceValues;
import dev.rialto.array.loop.Loops;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.View;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.array.run.Scratch;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/** A rank's elements and a condition that each meets or not, where the array is. */
public interface ConditionTest {
  /** Returns the least number of an element that meets it; {@link Long#MAX_VALUE} if none does. */
  long first();

  /** Returns how many elements meet it. */
  long count();

  boolean any(boolean meets, long from, long to);

  static ConditionTest of(OperationRunner run, Operand array, Object condition) {
    return array.isOnDevice()
        ? new DeviceTest(run, array, condition)
        : new HostTest(
            run, array, array.values(), condition, Loops.of(condition, null, array.elements()));
  }

  /** Loops of the host. */
  record HostTest(OperationRunner run, Operand array, View view, Object condition, Loops loops)
      implements ConditionTest {
    private long[] chunks(long value) {
      int chunks = OperationRunner.chunksOf(view.count());
      long[] of = run.scratch().longs(Scratch.CHUNKS, chunks);
      Arrays.fill(of, 0, chunks, value);
      return of;
    }

    @Override
    public long first() {
      long[] first = chunks(Long.MAX_VALUE);
      run.stretches(
          0,
          view.count(),
          (chunk, at, count) -> {
            long i = 0;
            while (i < count && !(view.isInOrder() && first[chunk] < Long.MAX_VALUE)) {
              long address = view.address(at + i);
              i += loops.find(condition, true, view.elements(), address, count - i);
              if (i < count) {
                first[chunk] = Math.min(first[chunk], array.elementAt(at + i));
              }
              i++;
            }
          },
          view);
      return Arrays.stream(first, 0, OperationRunner.chunksOf(view.count()))
          .min()
          .orElse(Long.MAX_VALUE);
    }

    @Override
    public long count() {
      long[] met = chunks(0);
      run.stretches(
          0,
          view.count(),
          (chunk, at, count) ->
              met[chunk] += loops.count(condition, view.elements(), view.address(at), count),
          view);
      return Arrays.stream(met, 0, OperationRunner.chunksOf(view.count())).sum();
    }

    @Override
    public boolean any(boolean meets, long from, long to) {
      AtomicBoolean found = new AtomicBoolean();
      run.stretches(
          from,
          to,
          (_, at, count) -> {
            long address = view.address(at);
            if (!found.get()
                && loops.find(condition, meets, view.elements(), address, count) < count) {
              found.set(true);
            }
          },
          view);
      return found.get();
    }
  }

  /** Kernels that combine what a test gives for each element. */
  record DeviceTest(OperationRunner run, Operand array, Object condition) implements ConditionTest {
    private static final DeviceValues.Words SUM = (x, y) -> x + y;
    private static final DeviceValues.Words LEAST = (x, y) -> Math.min(x, y);

    private DeviceValues marks(boolean meets) {
      return DeviceValues.of(array, array).test(condition, meets);
    }

    private long combined(
        DeviceValues values, long from, long to, DeviceValues.Words op, long none) {
      long[] all = DeviceReduce.ofRank(array, values, from, to, op);
      return all.length == 0 ? none : all[0];
    }

    @Override
    public long first() {
      DeviceValues found = DeviceValues.numbers(run, array).where(marks(true));
      return combined(found, 0, array.layout().count(), LEAST, Long.MAX_VALUE);
    }

    @Override
    public long count() {
      return combined(marks(true), 0, array.layout().count(), SUM, 0);
    }

    @Override
    public boolean any(boolean meets, long from, long to) {
      return combined(marks(meets), from, to, SUM, 0) > 0;
    }
  }
}
