package dev.rialto.array;

import static java.lang.Double.doubleToRawLongBits;
import static java.lang.Double.longBitsToDouble;

import dev.rialto.jit.kernel.IndexedMemory;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.runtime.Buffer;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values that a kernel reads by the number of an element in the rank's part: those of arrays, or
 * functions of them. They are the bits of a double or a long, so that a kernel is written once for
 * reals and integers. Arrays are compiled in by where their elements lie; each launch passes their
 * memory.
 */
final class DeviceValues {
  /** A value for each number of an element. */
  @FunctionalInterface
  interface At extends Serializable {
    long at(long n);
  }

  /** A function of two values. */
  @FunctionalInterface
  interface Words extends Serializable {
    long of(long x, long y);
  }

  private final At at;

  /** The arrays and what else tells this from other values, in prefix notation. */
  private final List<Object> form;

  private DeviceValues(At at, Object first, List<?> rest) {
    this.at = at;
    this.form = new ArrayList<>();
    form.add(first);
    form.addAll(rest);
  }

  /** Returns the elements of an array, in the order in which another has them in memory. */
  static DeviceValues of(Array array, Array as) {
    Zip zip = array.zip();
    if (zip != null) {
      return of(zip.first(), as).zip(of(zip.second(), as), zip.function());
    }
    Places places = DeviceLayout.of(array).places(as);
    Array whole = array.whole();
    return new DeviceValues(at(whole, places), whole, JavaKernels.identity(places));
  }

  private static At at(Array array, Places places) {
    return switch (array) {
      case F64Array a -> n -> doubleToRawLongBits(a.get(places.of(n)));
      case F32Array a -> n -> doubleToRawLongBits(a.get(places.of(n)));
      case I64Array a -> n -> a.get(places.of(n));
      case I32Array a -> n -> a.get(places.of(n));
      case I8Array a -> n -> a.get(places.of(n));
      case HalfArray a -> throw new IllegalStateException("elements of " + a + " in a kernel");
      case ComplexArray a -> throw new IllegalStateException("elements of " + a + " in a kernel");
    };
  }

  /** Returns a function of numbers of elements, from {@code first} on, as values. */
  static DeviceValues generated(Object function, Places numbers, long first) {
    List<Object> rest = new ArrayList<>(JavaKernels.identity(numbers));
    rest.add(first);
    rest.addAll(JavaKernels.identity(function));
    return new DeviceValues(generatedAt(function, numbers, first), "generated", rest);
  }

  private static At generatedAt(Object function, Places numbers, long first) {
    if (function instanceof RealArray.At1 f) {
      return n -> doubleToRawLongBits(f.applyAsDouble(first + numbers.of(n)));
    }
    IntegerArray.At1 f = (IntegerArray.At1) function;
    return n -> f.applyAsLong(first + numbers.of(n));
  }

  /** Returns a function of each value. */
  DeviceValues map(Object function) {
    List<Object> rest = new ArrayList<>(JavaKernels.identity(function));
    rest.addAll(form);
    return new DeviceValues(mapped(function, at), "map", rest);
  }

  private static At mapped(Object function, At x) {
    if (function instanceof RealArray.Unary f) {
      return n -> doubleToRawLongBits(f.applyAsDouble(longBitsToDouble(x.at(n))));
    }
    IntegerArray.Unary f = (IntegerArray.Unary) function;
    return n -> f.applyAsLong(x.at(n));
  }

  /** Returns a function of each value and one of others. */
  DeviceValues zip(DeviceValues other, Object function) {
    List<Object> rest = new ArrayList<>(JavaKernels.identity(function));
    rest.addAll(form);
    rest.addAll(other.form);
    return new DeviceValues(zipped(words(function), at, other.at), "zip", rest);
  }

  private static At zipped(Words f, At x, At y) {
    return n -> f.of(x.at(n), y.at(n));
  }

  /** Returns numbers that are ordered as the values of an array are. */
  static At keys(At x, boolean floating) {
    return floating ? n -> DeviceKernels.key(longBitsToDouble(x.at(n))) : x;
  }

  /** Returns a function of two elements as one of their bits. */
  static Words words(Object function) {
    if (function instanceof RealArray.Binary f) {
      return (x, y) ->
          doubleToRawLongBits(f.applyAsDouble(longBitsToDouble(x), longBitsToDouble(y)));
    }
    IntegerArray.Binary f = (IntegerArray.Binary) function;
    return (x, y) -> f.applyAsLong(x, y);
  }

  At at() {
    return at;
  }

  /** Returns what is equal for values that a kernel computes alike; a result is in {@code out}. */
  List<Object> key(@Nullable Array out) {
    List<Array> arrays = arrays(out);
    List<Object> key = new ArrayList<>();
    for (Object each : form) {
      key.add(each instanceof Array array ? List.of(array.type(), arrays.indexOf(array)) : each);
    }
    return key;
  }

  /** Returns the arrays that are read, each once, besides that of the result. */
  List<Array> arrays(@Nullable Array out) {
    List<Array> arrays = new ArrayList<>();
    for (Object each : form) {
      if (each instanceof Array array && array != out && !arrays.contains(array)) {
        arrays.add(array);
      }
    }
    return arrays;
  }

  /** Returns the memory of an array as kernels see it: where an element lies is no part of it. */
  static @Nullable IndexedMemory memory(Object object) {
    return object instanceof Array array
        ? new IndexedMemory(array.type(), List.of(0L), List.of(Long.MAX_VALUE), List.of(1L), 0)
        : null;
  }

  /**
   * Returns a kernel of such values with the memory that it reads: arrays are passed in the order
   * in which its code comes to them, which is that of the form.
   */
  Bound bind(JavaKernel kernel, @Nullable Array out) {
    return new Bound(kernel, arrays(out).stream().map(Array::buffer).toList());
  }

  /** A kernel with the memory that it reads. */
  record Bound(JavaKernel kernel, List<Buffer> read) {
    /** Launches it with its own arguments. */
    void launch(long items, Object... arguments) {
      List<Object> all = new ArrayList<>(List.of(arguments));
      all.addAll(read);
      kernel.launch(items, all.toArray());
    }
  }
}
