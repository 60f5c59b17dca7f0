package dev.rialto.array;

import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.runtime.Buffer;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Algorithms that take each element by itself, on arrays in a device's memory: {@linkplain
 * DeviceKernels kernels} on each rank, and what they have in common with {@link DeviceReduce} and
 * {@link DeviceScan}.
 *
 * <p>Arrays of one operation are on one device, of one type and divided alike. Where elements lie
 * is compiled into the kernels. Results depend on numbers of elements and nothing else.
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
    DType type = first.type();
    boolean known = type.kind() == DType.Kind.INTEGER || type == DType.F64 || type == DType.F32;
    if (!known) {
      throw first.notOnDevice(
          operation + " of elements other than F64, F32, I64, I32 and I8 in " + first);
    }
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
      if (other.type() != type) {
        throw new IllegalArgumentException(
            "%s of %s and %s on %s; give arrays of one type"
                .formatted(operation, first, other, first.client().device().name()));
      }
      if (!first.isAlignedWith(other) && !DeviceLayout.of(first).hasBlocksOf(other)) {
        throw new IllegalArgumentException(
            "%s of %s and %s on %s; give arrays that are divided alike"
                .formatted(operation, first, other, first.client().device().name()));
      }
    }
  }

  static DeviceKernels kernels(Array array) {
    return array.team().kernels(array.client());
  }

  /** Runs a kernel with an item for each of this rank's elements. */
  private static void launch(JavaKernel kernel, Array array, Object... arguments) {
    if (array.part().count() > 0) {
      kernel.launch(array.part().count(), arguments);
    }
  }

  static Operation<Array> fill(Array array, long[] words) {
    return Operation.local(
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
  static Operation<Array> generate(Array array, Object f) {
    require("generate", array);
    Places numbers = numbers("generate", array);
    return Operation.local(
            array.team(),
            "generate",
            _ -> {
              launch(
                  kernels(array).generate(array.type(), f, places(array), numbers),
                  array,
                  array.buffer(),
                  first(array));
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

  /** Returns where elements lie, in the order in which another array has them. */
  static Places places(Array array, Array as) {
    return DeviceLayout.of(array).places(as);
  }

  /** Returns whether two arrays, or views of one, are in one piece of memory. */
  static boolean isOneMemory(Array a, Array b) {
    return a.buffer() == b.buffer();
  }

  static Operation<Array> transform(Array in, Array out, Object f) {
    require("transform", out, in);
    Array.requireApart(in, out);
    return Operation.local(
            out.team(),
            "transform",
            _ -> {
              boolean inPlace = isOneMemory(in, out);
              JavaKernel kernel =
                  kernels(out).map(out.type(), f, places(out), places(in, out), inPlace);
              if (inPlace) {
                launch(kernel, out, out.buffer());
              } else {
                launch(kernel, out, out.buffer(), in.buffer());
              }
              return out;
            })
        .about(in, out)
        .anywhere();
  }

  static Operation<Array> transform(Array a, Array b, Array out, Object f) {
    require("transform", out, a, b);
    Array.requireApart(a, out);
    Array.requireApart(b, out);
    return Operation.local(
            out.team(),
            "transform",
            _ -> {
              DeviceKernels.InPlace inPlace =
                  DeviceKernels.InPlace.of(isOneMemory(a, out), isOneMemory(b, out));
              JavaKernel kernel =
                  kernels(out)
                      .zip(out.type(), f, places(out), places(a, out), places(b, out), inPlace);
              switch (inPlace) {
                case BOTH -> launch(kernel, out, out.buffer());
                case FIRST -> launch(kernel, out, out.buffer(), b.buffer());
                case SECOND -> launch(kernel, out, out.buffer(), a.buffer());
                case NEITHER -> launch(kernel, out, out.buffer(), a.buffer(), b.buffer());
              }
              return out;
            })
        .about(a, b, out)
        .anywhere();
  }

  /** Adds {@code factor * x}, another array. */
  static Operation<Array> axpy(Array array, Number factor, Array x) {
    require("axpy", array, x);
    Array.requireApart(x, array);
    return Operation.local(
            array.team(),
            "axpy",
            _ -> {
              boolean inPlace = isOneMemory(x, array);
              JavaKernel kernel =
                  kernels(array).axpy(array.type(), places(array), places(x, array), inPlace);
              if (inPlace) {
                launch(kernel, array, array.buffer(), factor);
              } else {
                launch(kernel, array, array.buffer(), x.buffer(), factor);
              }
              return array;
            })
        .about(array, x)
        .anywhere();
  }

  static Operation<Array> scale(Array array, Number factor) {
    require("scale", array);
    return Operation.local(
            array.team(),
            "scale",
            _ -> {
              JavaKernel kernel = kernels(array).scale(array.type(), places(array));
              launch(kernel, array, array.buffer(), factor);
              return array;
            })
        .about(array)
        .anywhere();
  }
}
