package dev.rialto.opencl;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.opencl.OpenClKernel.Argument;
import dev.rialto.opencl.OpenClKernel.Argument.Pointer;
import dev.rialto.opencl.OpenClKernel.Argument.Value;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.parts.DeviceLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies elements between layouts in a device's memory, by a kernel with an item per element, which
 * finds its place on either side by division or in a list. Elements at addresses that are not
 * multiples of their size are moved in the largest parts that are.
 */
final class LayoutProgram {
  private static final String NAME = "rialto_copy";

  private static final String SOURCE =
      """
      typedef struct {
        long offset;
        long list;
        long block;
        long axes;
        long extent[8];
        long stride[8];
      } Side;

      long place(const Side *side, __global const long *list, long i) {
        if (side->list) return (list[i / side->block] + i % side->block) * side->stride[0];
        long at = side->offset;
        for (int axis = (int)side->axes - 1; axis > 0; axis--) {
          at += i % side->extent[axis] * side->stride[axis];
          i /= side->extent[axis];
        }
        return at + i * side->stride[0];
      }

      #define MOVE(T) *(__global T *)(target + to_at) = *(__global const T *)(source + from_at)

      __kernel void rialto_copy(
          __global const char *source, Side from, __global const long *from_list,
          __global char *target, Side to, __global const long *to_list,
          long count, long parts, long size) {
        long i = get_global_id(0);
        if (i >= count * parts) return;
        long from_at = place(&from, from_list, i / parts) + i % parts * size;
        long to_at = place(&to, to_list, i / parts) + i % parts * size;
        switch (size) {
          case 1: MOVE(char); break;
          case 2: MOVE(short); break;
          case 4: MOVE(int); break;
          case 8: MOVE(long); break;
          default: MOVE(long2); break;
        }
      }
      """;

  private final OpenClCompiler compiler;
  private @Nullable OpenClKernel kernel;

  LayoutProgram(OpenClCompiler compiler) {
    this.compiler = compiler;
  }

  /** Returns the kernel, compiled when it is first needed. */
  private synchronized OpenClKernel kernel() {
    OpenClKernel loaded = kernel;
    if (loaded == null) {
      loaded = compiler.load(NAME, SOURCE);
      kernel = loaded;
    }
    return loaded;
  }

  /**
   * Adds a copy to a queue.
   *
   * @param fromList where the indices of {@code from} lie on the device if it is a list; or 0
   * @param toList the same for {@code to}
   */
  void copy(
      long source, Layout from, long fromList, long target, Layout to, long toList, long queue) {
    int size = from.type().size();
    long unit = Math.min(size, Long.lowestOneBit(source | target | 16));
    long parts = size / unit;
    try (Arena arena = Arena.ofConfined()) {
      // A pointer that is not followed needs an address too: a driver may refuse a launch without.
      MemorySegment numbers = arena.allocateFrom(JAVA_LONG, from.count(), parts, unit);
      List<Argument> arguments =
          List.of(
              new Pointer(source),
              new Value(DeviceLayout.describe(from, fromList, arena)),
              new Pointer(fromList == 0 ? source : fromList),
              new Pointer(target),
              new Value(DeviceLayout.describe(to, toList, arena)),
              new Pointer(toList == 0 ? target : toList),
              new Value(numbers.asSlice(0, 8)),
              new Value(numbers.asSlice(8, 8)),
              new Value(numbers.asSlice(16, 8)));
      kernel().launchWith(from.count() * parts, arguments, queue);
    }
  }
}
