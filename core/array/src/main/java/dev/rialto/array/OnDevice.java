package dev.rialto.array;

import dev.rialto.runtime.Buffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

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

  /** Checks that arrays are of one shape and on one device. */
  static void require(String operation, Array... arrays) {
    Array first = arrays[0];
    for (Array other : arrays) {
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
    }
  }

  /** Returns whether each rank has the same elements of two arrays, in any order. */
  static boolean isAligned(Array array, Array other) {
    return array.isAlignedWith(other) || DeviceLayout.of(array).hasBlocksOf(other);
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
        .about(array);
  }

  /** Sets elements to a function of their numbers. */
  static ArrayOperation<Array> generate(Array array, Object f) {
    array.requireReal();
    return ArrayOperation.local(
            array.team(),
            "generate",
            run -> {
              assign(array, DeviceValues.numbers(run, array).generate(f));
              return array;
            })
        .about(array);
  }

  static Places places(Array array) {
    return array.held().places();
  }

  /** Sets a rank's elements to values. */
  static void assign(Array out, DeviceValues values) {
    if (out.part().count() > 0) {
      kernels(out).assign(out, values).launch(out.part().count(), out.buffer());
    }
  }

  /** Makes values of arrays, each of which has the elements that a rank has of the result. */
  private interface Body {
    void run(Array... in);
  }

  static ArrayOperation<Array> transform(Array in, Array out, Object f) {
    return transform("transform", out, x -> assign(out, DeviceValues.of(x[0], out).map(f)), in);
  }

  static ArrayOperation<Array> transform(Array a, Array b, Array out, Object f) {
    return transform(
        "transform",
        out,
        x -> assign(out, DeviceValues.of(x[0], out).zip(DeviceValues.of(x[1], out), f)),
        a,
        b);
  }

  /** Sets elements to a function of a list of those of any number of arrays. */
  static ArrayOperation<Array> transformMany(Object f, Array out, Array... in) {
    return transform(
        "transform",
        out,
        x ->
            assign(
                out,
                DeviceValues.combined(
                    f, Arrays.stream(x).map(each -> DeviceValues.of(each, out)).toList())),
        in);
  }

  private static ArrayOperation<Array> transform(String name, Array out, Body body, Array... in) {
    Object[] subjects = Arrays.copyOf(in, in.length + 1, Object[].class);
    subjects[in.length] = out;
    boolean aligned = true;
    for (Array each : in) {
      require(name, out, each);
      Array.requireApart(each, out);
      aligned &= isAligned(each, out);
    }
    boolean local = aligned;
    OperationRunner.Body<Array> whole =
        run -> {
          Array[] from = new Array[in.length];
          Arrays.setAll(from, i -> DeviceTemporaries.aligned(run, in[i], out));
          body.run(from);
          if (!local) {
            long[][] _ = run.gatherLast();
          }
          return out;
        };
    return (local
            ? ArrayOperation.local(out.team(), name, whole)
            : ArrayOperation.collective(out.team(), name, whole))
        .about(subjects);
  }

  /** Adds {@code factor * x}, another array. */
  static ArrayOperation<Array> axpy(Array array, Number factor, Array x) {
    array.requireStored("setting");
    return transform(
        "axpy",
        array,
        from -> {
          long count = array.part().count();
          if (count > 0) {
            kernels(array)
                .axpy(array, DeviceValues.of(from[0], array))
                .launch(count, array.buffer(), factor);
          }
        },
        x);
  }

  static ArrayOperation<Array> scale(Array array, Number factor) {
    array.requireStored("setting");
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
        .about(array);
  }
}
