package dev.rialto.array;

import dev.rialto.runtime.Buffer;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Algorithms that take each element by itself, on arrays in a device's memory: {@linkplain
 * DeviceKernels kernels} on each rank, and what they have in common with {@link DeviceReduce} and
 * {@link DeviceScan}.
 *
 * <p>Arrays of one operation are on one device and divided alike. Where elements lie is compiled
 * into the kernels. Results depend on numbers of elements and nothing else.
 */
final class OnDevice {
  private OnDevice() {}

  /** Returns whether one of some arrays is on a device. */
  static boolean any(Array... arrays) {
    for (Array each : arrays) {
      if (each.isOnDevice()) {
        return true;
      }
    }
    return false;
  }

  /** Checks that a kernel can take some arrays together. */
  static void require(String operation, Array first, Array... others) {
    requireType(operation, first);
    for (Array other : others) {
      Elementwise.sameShape(first, other);
      if (first.client().device() != other.client().device()) {
        throw new IllegalArgumentException(
            "%s of %s on %s and %s on %s; copy one to an array where the other is"
                .formatted(
                    operation,
                    first,
                    first.client().device().name(),
                    other,
                    other.client().device().name()));
      }
      requireType(operation, other);
      if (!first.isAlignedWith(other) && !DeviceLayout.of(first).hasBlocksOf(other)) {
        throw new IllegalArgumentException(
            "%s of %s and %s on %s; give arrays that are divided alike"
                .formatted(operation, first, other, first.client().device().name()));
      }
    }
  }

  private static void requireType(String operation, Array array) {
    DType type = array.type();
    boolean known = type.kind() == DType.Kind.INTEGER || type == DType.F64 || type == DType.F32;
    if (!known) {
      throw array.notOnDevice(
          operation + " of elements other than F64, F32, I64, I32 and I8 in " + array);
    }
  }

  static DeviceKernels kernels(Array array) {
    return array.team().kernels(array.client());
  }

  static ArrayOperation<Array> fill(Array array, long[] words) {
    return ArrayOperation.local(
            array.team(),
            "fill",
            _ -> {
              MemorySegment pattern = Arena.ofAuto().allocate(array.type().size(), 16);
              Elements.of(array.type()).write(pattern.address(), words);
              if (array.part().count() > 0) {
                try (Buffer elements = array.held().unpacked()) {
                  array.client().fill(elements, pattern);
                  array.held().unpack(elements);
                }
              }
              return array;
            })
        .about(array)
        .anywhere();
  }

  /** Sets elements to a function of their numbers. */
  static ArrayOperation<Array> generate(Array array, Object f) {
    require("generate", array);
    Places numbers = numbers("generate", array);
    return ArrayOperation.local(
            array.team(),
            "generate",
            _ -> {
              assign(array, DeviceValues.generated(f, numbers, first(array)));
              return array;
            })
        .about(array)
        .anywhere();
  }

  /** Returns the number of this rank's first element in the whole array. */
  static long first(Array array) {
    return array.part().count() == 0 ? 0 : array.elementAt(0);
  }

  /** Returns the numbers of a rank's elements from the first one's on. */
  static Places numbers(String name, Array array) {
    Places numbers = DeviceLayout.of(array).numbers();
    if (numbers == null) {
      throw array.notOnDevice(name + " by the numbers of elements in " + array);
    }
    return numbers;
  }

  static Places places(Array array) {
    return array.held().places();
  }

  private static void assign(Array out, DeviceValues values) {
    if (out.part().count() > 0) {
      kernels(out).assign(out, values).launch(out.part().count(), out.buffer());
    }
  }

  static ArrayOperation<Array> transform(Array in, Array out, Object f) {
    return transform(out, () -> DeviceValues.of(in, out).map(f), in);
  }

  static ArrayOperation<Array> transform(Array a, Array b, Array out, Object f) {
    return transform(out, () -> DeviceValues.of(a, out).zip(DeviceValues.of(b, out), f), a, b);
  }

  private static ArrayOperation<Array> transform(
      Array out, Supplier<DeviceValues> values, Array... in) {
    require("transform", out, in);
    for (Array each : in) {
      Array.requireApart(each, out);
    }
    Object[] subjects = Arrays.copyOf(in, in.length + 1, Object[].class);
    subjects[in.length] = out;
    return ArrayOperation.local(
            out.team(),
            "transform",
            _ -> {
              assign(out, values.get());
              return out;
            })
        .about(subjects)
        .anywhere();
  }

  /** Adds {@code factor * x}, another array. */
  static ArrayOperation<Array> axpy(Array array, Number factor, Array x) {
    array.requireStored("setting");
    require("axpy", array, x);
    Array.requireApart(x, array);
    return ArrayOperation.local(
            array.team(),
            "axpy",
            _ -> {
              long count = array.part().count();
              if (count > 0) {
                kernels(array)
                    .axpy(array, DeviceValues.of(x, array))
                    .launch(count, array.buffer(), factor);
              }
              return array;
            })
        .about(array, x)
        .anywhere();
  }

  static ArrayOperation<Array> scale(Array array, Number factor) {
    array.requireStored("setting");
    require("scale", array);
    return ArrayOperation.local(
            array.team(),
            "scale",
            _ -> {
              long count = array.part().count();
              if (count > 0) {
                kernels(array)
                    .scale(array.type(), places(array))
                    .launch(count, array.buffer(), factor);
              }
              return array;
            })
        .about(array)
        .anywhere();
  }
}
