package dev.rialto.array.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.algorithm.Select;
import dev.rialto.array.part.Operand;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.I8;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/** A rank's elements on a device as keys of which some are selected. */
public final class DeviceSelection implements Select.Keys {
  private static final int DIGITS = Select.DIGITS;

  /** Items that keep a large device busy. */
  private static final long MOST_ITEMS = 1 << 16;

  private final Operand array;
  private final ComputeClient client;
  private final DeviceKernels kernels;
  private final Operand keys;
  private final DeviceValues numbers;
  private final long count;

  public DeviceSelection(OperationRunner run, Operand array, long flip) {
    this.array = array;
    this.client = array.client();
    this.kernels = DeviceElementwise.kernels(array);
    this.count = array.layout().count();
    this.keys = DeviceTemporaries.longs(run, array, count);
    boolean floating = array.type().kind() == DType.Kind.FLOAT;
    DeviceElementwise.assign(keys, DeviceValues.of(array, array).keys(floating, flip));
    this.numbers = DeviceValues.numbers(run, array);
  }

  @Override
  public long[] digits(long prefix, int low, int bits) {
    if (count == 0) {
      return new long[DIGITS];
    }
    try (Buffer counts = client.empty("counts of digits", Long.BYTES * (long) DIGITS)) {
      client.fill(counts, MemorySegment.ofArray(new long[1]));
      kernels
          .kept("digits", DType.I64, DeviceSelection::digits)
          .launch(Math.min(count, MOST_ITEMS), counts, keys.buffer(), prefix, low, bits, count);
      return client.read(counts).toArray(JAVA_LONG);
    }
  }

  private static JavaKernel digits(JavaKernels on) {
    return on.kernel(
        (Item it, I64 counts, I64 keys, Long prefix, Integer low, Integer bits, Long count) -> {
          int[] found = it.sharedInts(DIGITS);
          for (int k = it.local(); k < DIGITS; k += it.blockSize()) {
            found[k] = 0;
          }
          it.barrier();
          for (long i = it.global(); i < count; i += it.globalSize()) {
            long rest = (keys.get(i) ^ Long.MIN_VALUE) >>> low;
            // Two shifts: one by all the bits of a long would shift by none.
            if (rest >>> bits == prefix) {
              it.atomicAdd(found, (int) (rest & ((1L << bits) - 1)), 1);
            }
          }
          it.barrier();
          for (int k = it.local(); k < DIGITS; k += it.blockSize()) {
            if (found[k] > 0) {
              it.atomicAdd(counts, k, (long) found[k]);
            }
          }
        });
  }

  @Override
  public long[] upTo(long last, int wanted) {
    if (count == 0) {
      return new long[0];
    }
    long[] below = numbers(last, 0, Long.MAX_VALUE);
    long[] equal = numbers(last, 1, wanted);
    long[] all = new long[below.length + 2 * equal.length];
    System.arraycopy(below, 0, all, 0, below.length);
    for (int i = 0; i < equal.length; i++) {
      all[below.length + 2 * i] = last;
      all[below.length + 2 * i + 1] = equal[i];
    }
    return all;
  }

  /** Returns the numbers of elements with a key, or the keys and numbers of those below it. */
  private long[] numbers(long key, int equal, long most) {
    try (Buffer marks = client.empty("marks", count);
        Buffer places = client.empty("places", Long.BYTES * count)) {
      kernels
          .kept("compared", DType.I64, DeviceSelection::compared)
          .launch(count, marks, keys.buffer(), key, equal);
      long found = SelectionKernels.marked(array, marks, places, count);
      if (found == 0) {
        return new long[0];
      }
      try (Buffer chosen = taken(numbers, places, found)) {
        if (equal == 1) {
          kernels.library().sort(SelectionKernels.longs(chosen, found));
          return longs(chosen, Math.min(found, most));
        }
        try (Buffer values = taken(DeviceValues.of(keys, keys), places, found)) {
          long[] of = longs(values, found);
          long[] elements = longs(chosen, found);
          long[] pairs = new long[2 * of.length];
          for (int i = 0; i < of.length; i++) {
            pairs[2 * i] = of[i];
            pairs[2 * i + 1] = elements[i];
          }
          return pairs;
        }
      }
    }
  }

  private long[] longs(Buffer words, long some) {
    return client.read(words.slice(0, Long.BYTES * some)).toArray(JAVA_LONG);
  }

  private static JavaKernel compared(JavaKernels on) {
    return on.kernel(
        (Item it, I8 marks, I64 keys, Long key, Integer equal) -> {
          long own = keys.get(it.global());
          boolean chosen = equal == 1 ? own == key : own < key;
          marks.set(it.global(), (byte) (chosen ? 1 : 0));
        });
  }

  /** Returns the values at listed places; the caller's. */
  private Buffer taken(DeviceValues values, Buffer places, long found) {
    Buffer to = client.empty("values at places", Long.BYTES * found);
    DeviceValues.At at = values.at();
    kernels.bound("taken", DType.I64, values, null, on -> taken(on, at)).launch(found, to, places);
    return to;
  }

  private static JavaKernel taken(JavaKernels on, DeviceValues.At at) {
    return on.kernel(
        (Item it, I64 to, I64 places) -> to.set(it.global(), at.at(places.get(it.global()))));
  }
}
