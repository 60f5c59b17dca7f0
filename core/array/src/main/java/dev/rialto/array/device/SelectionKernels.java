package dev.rialto.array.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Places;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.I8;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;

/** Kernels that choose some of a rank's values on a device, or give them other places. */
public final class SelectionKernels {
  private SelectionKernels() {}

  /** Returns longs on a device as the library takes them. */
  static Tensor longs(Buffer words, long count) {
    return new Tensor(words, Shape.of(count), Layout.contiguous(DType.I64, count));
  }

  /**
   * Puts the places of values that are not 0, in their order, at the beginning of a list.
   *
   * @return how many there are
   */
  static long places(Operand array, DeviceValues marks, Buffer places, long count) {
    if (count == 0) {
      return 0;
    }
    DeviceValues.At at = marks.at();
    try (Buffer marked = array.client().empty("marks", count)) {
      DeviceElementwise.kernels(array)
          .bound("marks", DType.I8, marks, null, on -> marks(on, at))
          .launch(count, marked);
      return marked(array, marked, places, count);
    }
  }

  private static JavaKernel marks(JavaKernels on, DeviceValues.At at) {
    return on.kernel(
        (Item it, I8 marks) -> marks.set(it.global(), (byte) (at.at(it.global()) == 0 ? 0 : 1)));
  }

  /** Puts the places of marks, in their order, at the beginning of a list; returns how many. */
  static long marked(Operand array, Buffer marks, Buffer places, long count) {
    ComputeClient client = array.client();
    DeviceKernels kernels = DeviceElementwise.kernels(array);
    try (Buffer numbers = client.empty("places", Long.BYTES * count);
        Buffer found = client.empty("a count", Long.BYTES)) {
      kernels.kept("numbers", DType.I64, SelectionKernels::numbers).launch(count, numbers);
      kernels
          .library()
          .compact(
              longs(places, count),
              longs(found, 1),
              longs(numbers, count),
              new Tensor(marks, Shape.of(count), Layout.contiguous(DType.I8, count)));
      return client.read(found).get(JAVA_LONG, 0);
    }
  }

  private static JavaKernel numbers(JavaKernels on) {
    return on.kernel((Item it, I64 numbers) -> numbers.set(it.global(), it.global()));
  }

  /** Sets a rank's elements to the values at listed places. */
  static void take(Operand out, DeviceValues values, Buffer places) {
    if (out.layout().count() == 0) {
      return;
    }
    Places to = DeviceElementwise.places(out);
    DeviceValues.At at = values.at();
    DeviceElementwise.kernels(out)
        .bound(
            "take",
            out.type(),
            values,
            out,
            on -> take(on, DeviceKernels.isReal(out.type()), to, at),
            to)
        .launch(out.layout().count(), out.buffer(), places);
  }

  private static JavaKernel take(JavaKernels on, boolean real, Places to, DeviceValues.At at) {
    return real
        ? on.kernel(
            (Item it, Reals z, I64 places) ->
                z.set(to.of(it.global()), Double.longBitsToDouble(at.at(places.get(it.global())))))
        : on.kernel(
            (Item it, Integers z, I64 places) ->
                z.set(to.of(it.global()), at.at(places.get(it.global()))));
  }

  /**
   * Sets elements to a function of a value and the one before it.
   *
   * @param before the value before the first; none if that stays as it is
   */
  static void adjacent(Operand out, DeviceValues values, Object function, long... before) {
    if (out.layout().count() == 0) {
      return;
    }
    Places to = DeviceElementwise.places(out);
    DeviceValues.At at = values.at();
    DeviceValues.Words f = DeviceValues.words(function);
    DeviceElementwise.kernels(out)
        .bound(
            "adjacent",
            out.type(),
            values,
            out,
            on -> adjacent(on, DeviceKernels.isReal(out.type()), to, at, f),
            to,
            function)
        .launch(
            out.layout().count(),
            out.buffer(),
            before.length == 0 ? 0L : before[0],
            (long) before.length);
  }

  private static JavaKernel adjacent(
      JavaKernels on, boolean real, Places to, DeviceValues.At at, DeviceValues.Words f) {
    return real
        ? on.kernel(
            (Item it, Reals z, Long before, Long has) ->
                z.set(
                    to.of(it.global()),
                    Double.longBitsToDouble(difference(it.global(), at, f, before, has))))
        : on.kernel(
            (Item it, Integers z, Long before, Long has) ->
                z.set(to.of(it.global()), difference(it.global(), at, f, before, has)));
  }

  private static long difference(
      long i, DeviceValues.At at, DeviceValues.Words f, long before, long has) {
    long own = at.at(i);
    if (i == 0) {
      return has == 0 ? own : f.of(own, before);
    }
    return f.of(own, at.at(i - 1));
  }
}
