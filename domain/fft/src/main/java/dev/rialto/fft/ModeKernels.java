package dev.rialto.fft;

import dev.rialto.array.ComplexArray;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Kernels that work on modes in a device's memory. One is compiled when a function is first used,
 * and kept with the plan.
 *
 * <p>A launch is told by a table where the elements of its array lie, and which waves belong to
 * them: the place of the first element, then for each axis in the order of memory {@value #AXIS}
 * words, then waves and wave numbers of each index.
 */
final class ModeKernels implements AutoCloseable {
  /** Functions that capture another value each time would make any number of kernels. */
  private static final int MOST_KERNELS = 64;

  /**
   * Words of the table for each axis: extent, stride, number, points of the box, and where in the
   * table its waves and its wave numbers begin.
   */
  static final int AXIS = 6;

  /** Those used last, the longest ago first. */
  private final Map<List<Object>, JavaKernel> made = new LinkedHashMap<>();

  /**
   * Multiplies each mode by a factor.
   *
   * @param function what tells the factor from others
   */
  void multiply(
      ComplexArray modes, long[] table, int axes, Modes.Multiplier factor, Object function) {
    JavaKernel kernel = kernel(modes, JavaKernels.identity(function), multiply(axes, factor));
    try (Buffer there = table(modes, table)) {
      kernel.launch(modes.owned().count(), modes.buffer(), there);
    }
  }

  void convolve(ComplexArray modes, long[] table, ComplexArray others, long[] theirs, int axes) {
    long count = modes.owned().count();
    try (Buffer to = table(modes, table);
        Buffer from = table(modes, theirs)) {
      if (modes == others) {
        kernel(modes, List.of("square"), square(axes)).launch(count, modes.buffer(), to);
      } else {
        kernel(modes, List.of("convolve"), convolve(axes))
            .launch(count, modes.buffer(), others.buffer(), to, from);
      }
    }
  }

  private static Buffer table(ComplexArray modes, long[] table) {
    return modes.space().client().create(MemorySegment.ofArray(table));
  }

  private JavaKernel kernel(ComplexArray modes, List<Object> function, KernelBody body) {
    ComputeClient client = modes.space().client();
    List<Object> key = new ArrayList<>(List.of(client.device(), modes.type()));
    key.addAll(function);
    JavaKernel kernel = made.remove(key);
    if (kernel != null && !kernel.isCurrent()) {
      kernel.close();
      kernel = null;
    }
    if (kernel == null) {
      DType part = modes.type() == DType.C128 ? DType.F64 : DType.F32;
      kernel = JavaKernels.on(client).withElements(part).compile(body);
    }
    made.put(key, kernel);
    if (made.size() > MOST_KERNELS) {
      var oldest = made.values().iterator();
      oldest.next().close();
      oldest.remove();
    }
    return kernel;
  }

  private static long place(I64 table, long element, int axes) {
    long place = table.get(0);
    long rest = element;
    for (int axis = axes - 1; axis >= 0; axis--) {
      long at = 1 + (long) AXIS * axis;
      place += rest % table.get(at) * table.get(at + 1);
      rest /= table.get(at);
    }
    return place;
  }

  private static KernelBody multiply(int axes, Modes.Multiplier factor) {
    KernelBody.Of2<Reals, I64> body =
        (Item it, Reals modes, I64 table) -> {
          long[] waves = new long[axes];
          long[] points = new long[axes];
          double[] numbers = new double[axes];
          double[] value = new double[2];
          long rest = it.global();
          for (int axis = axes - 1; axis >= 0; axis--) {
            long at = 1 + (long) AXIS * axis;
            long index = rest % table.get(at);
            rest /= table.get(at);
            int number = (int) table.get(at + 2);
            points[number] = table.get(at + 3);
            waves[number] = table.get(table.get(at + 4) + index);
            numbers[number] = Double.longBitsToDouble(table.get(table.get(at + 5) + index));
          }
          factor.set(waves, points, numbers, value);
          times(modes, 2 * place(table, it.global(), axes), value[0], value[1]);
        };
    return body;
  }

  private static void times(Reals modes, long place, double re, double im) {
    double ownRe = modes.get(place);
    double ownIm = modes.get(place + 1);
    modes.set(place, ownRe * re - ownIm * im);
    modes.set(place + 1, ownRe * im + ownIm * re);
  }

  private static KernelBody convolve(int axes) {
    KernelBody.Of4<Reals, Reals, I64, I64> body =
        (Item it, Reals modes, Reals others, I64 to, I64 from) -> {
          long other = 2 * place(from, it.global(), axes);
          times(modes, 2 * place(to, it.global(), axes), others.get(other), others.get(other + 1));
        };
    return body;
  }

  private static KernelBody square(int axes) {
    KernelBody.Of2<Reals, I64> body =
        (Item it, Reals modes, I64 table) -> {
          long place = 2 * place(table, it.global(), axes);
          times(modes, place, modes.get(place), modes.get(place + 1));
        };
    return body;
  }

  @Override
  public void close() {
    made.values().forEach(JavaKernel::close);
    made.clear();
  }
}
