package dev.rialto.array.device;

import dev.rialto.array.Complex;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.Places;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.array.run.OperationRunner;
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
public final class DeviceElementwise {
  private DeviceElementwise() {}

  /** Returns whether each rank has the same elements of two arrays, in any order. */
  static boolean isAligned(Operand array, Operand other) {
    return Operands.isAligned(array, other) || DeviceLayout.of(array).hasBlocksOf(other);
  }

  public static DeviceKernels kernels(Operand array) {
    return array.team().kernels(DeviceKernels.class, array.client(), DeviceKernels::new);
  }

  public static ArrayOperation<Operand> fill(Operand array, long[] words) {
    return ArrayOperation.local(
            "fill",
            _ -> {
              MemorySegment pattern = Arena.ofAuto().allocate(array.type().size(), 16);
              Elements.of(array.type()).write(pattern.address(), words);
              if (array.layout().count() > 0) {
                try (Buffer elements = array.part().unpacked()) {
                  array.client().fill(elements, pattern);
                  array.part().unpack(elements);
                }
              }
              return array;
            })
        .about(array);
  }

  /** Sets elements to a function of their numbers. */
  public static ArrayOperation<Operand> generate(Operand array, Object f) {
    Operands.requireReal(array);
    return ArrayOperation.local(
            "generate",
            run -> {
              assign(array, DeviceValues.numbers(run, array).generate(f));
              return array;
            })
        .about(array);
  }

  static Places places(Operand array) {
    return array.part().places();
  }

  /** Sets a rank's elements to values. */
  static void assign(Operand out, DeviceValues values) {
    if (out.layout().count() > 0) {
      kernels(out).assign(out, values);
    }
  }

  /** Makes values of arrays, each of which has the elements that a rank has of the result. */
  private interface Body {
    void run(Operand... in);
  }

  public static ArrayOperation<Operand> transform(Operand in, Operand out, Object f) {
    return transform("transform", out, x -> assign(out, DeviceValues.of(x[0], out).map(f)), in);
  }

  public static ArrayOperation<Operand> transform(Operand a, Operand b, Operand out, Object f) {
    return transform(
        "transform",
        out,
        x -> assign(out, DeviceValues.of(x[0], out).zip(DeviceValues.of(x[1], out), f)),
        a,
        b);
  }

  /** Sets elements to a function of a list of those of any number of arrays. */
  public static ArrayOperation<Operand> transformMany(Object f, Operand out, Operand... in) {
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

  private static ArrayOperation<Operand> transform(
      String name, Operand out, Body body, Operand... in) {
    Object[] subjects = Arrays.copyOf(in, in.length + 1, Object[].class);
    subjects[in.length] = out;
    boolean aligned = true;
    for (Operand each : in) {
      Operands.requireOneDevice(name, out, each);
      Operands.requireApart(each, out);
      aligned &= isAligned(each, out);
    }
    boolean local = aligned;
    OperationRunner.Body<Operand> whole =
        run -> {
          Operand[] from = new Operand[in.length];
          Arrays.setAll(from, i -> DeviceTemporaries.aligned(run, in[i], out));
          body.run(from);
          if (!local) {
            long[][] _ = run.gatherLast();
          }
          return out;
        };
    return (local ? ArrayOperation.local(name, whole) : ArrayOperation.collective(name, whole))
        .about(subjects);
  }

  /** Adds {@code factor * x}, another array. */
  public static ArrayOperation<Operand> axpy(Operand array, Number factor, Operand x) {
    array.requireStored("setting");
    return transform(
        "axpy",
        array,
        from -> {
          long count = array.layout().count();
          if (count > 0) {
            kernels(array)
                .axpy(array, DeviceValues.of(from[0], array))
                .launch(count, array.buffer(), factor);
          }
        },
        x);
  }

  public static ArrayOperation<Operand> scale(Operand array, Number factor) {
    array.requireStored("setting");
    return ArrayOperation.local(
            "scale",
            _ -> {
              long count = array.layout().count();
              if (count > 0) {
                kernels(array)
                    .scale(array.type(), places(array))
                    .launch(count, array.buffer(), factor);
              }
              return array;
            })
        .about(array);
  }

  /**
   * Adds {@code factor * x}, another complex array.
   *
   * @throws UnsupportedOperationException if the arrays are of two types or divided in two ways
   */
  public static ArrayOperation<Operand> axpy(Operand array, Complex factor, Operand x) {
    array.requireStored("setting");
    x.requireStored("adding");
    Operands.requireOneDevice("axpy", array, x);
    Operands.requireApart(x, array);
    if (array.type() != x.type() || !Operands.isAligned(array, x)) {
      throw new UnsupportedOperationException(
          "axpy of %s and %s, of two types or divided in two ways; copy one to an array like the other"
              .formatted(array, x));
    }
    return ArrayOperation.local(
            "axpy",
            _ -> {
              long count = array.layout().count();
              if (count > 0 && Operands.overlap(array, x)) {
                kernels(array)
                    .scale(array, true)
                    .launch(count, array.buffer(), factor.re(), factor.im());
              } else if (count > 0) {
                kernels(array)
                    .axpy(array, x)
                    .launch(count, array.buffer(), x.buffer(), factor.re(), factor.im());
              }
              return array;
            })
        .about(array, x);
  }

  /** Multiplies complex elements by a number. */
  public static ArrayOperation<Operand> scale(Operand array, Complex factor) {
    array.requireStored("setting");
    return ArrayOperation.local(
            "scale",
            _ -> {
              long count = array.layout().count();
              if (count > 0) {
                kernels(array)
                    .scale(array, false)
                    .launch(count, array.buffer(), factor.re(), factor.im());
              }
              return array;
            })
        .about(array);
  }
}
