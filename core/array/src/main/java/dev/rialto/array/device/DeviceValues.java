package dev.rialto.array.device;

import static java.lang.Double.doubleToRawLongBits;
import static java.lang.Double.longBitsToDouble;

import dev.rialto.array.Array;
import dev.rialto.array.ComplexArray;
import dev.rialto.array.F32Array;
import dev.rialto.array.F64Array;
import dev.rialto.array.HalfArray;
import dev.rialto.array.I32Array;
import dev.rialto.array.I64Array;
import dev.rialto.array.I8Array;
import dev.rialto.array.IntegerArray;
import dev.rialto.array.RealArray;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.Places;
import dev.rialto.array.part.Zip;
import dev.rialto.array.run.OperationRunner;
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
public final class DeviceValues {
  /** A value for each number of an element. */
  @FunctionalInterface
  interface At extends Serializable {
    long at(long n);
  }

  /** A function of two values. */
  @FunctionalInterface
  public interface Words extends Serializable {
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
  public static DeviceValues of(Operand array, Operand as) {
    Operands.requireReal(array);
    array.checkOpen();
    Zip zip = array.zip();
    if (zip != null) {
      return of(zip.first(), as).zip(of(zip.second(), as), zip.function());
    }
    Places places = DeviceLayout.of(array).places(as);
    Operand whole = array.whole();
    return new DeviceValues(at(whole, places), whole, JavaKernels.identity(places));
  }

  /** Returns whether an int or a float holds any of the elements, and any other of their type. */
  static boolean areNarrow(Operand array) {
    return array.zip() == null
        && switch (array.type()) {
          case F32, I32, I8 -> true;
          default -> false;
        };
  }

  private static At at(Operand array, Places places) {
    return switch (array.array()) {
      case F64Array a -> n -> doubleToRawLongBits(a.get(places.of(n)));
      case F32Array a -> n -> doubleToRawLongBits(a.get(places.of(n)));
      case I64Array a -> n -> a.get(places.of(n));
      case I32Array a -> n -> a.get(places.of(n));
      case I8Array a -> n -> a.get(places.of(n));
      case HalfArray a -> n -> doubleToRawLongBits(a.get(places.of(n)));
      case ComplexArray a -> throw new IllegalStateException("elements of " + a + " in a kernel");
    };
  }

  /**
   * Returns the numbers of an array's elements in row-major order of the whole, as longs: by a rule
   * or, if they follow none, from a list that lasts as long as an operation.
   */
  public static DeviceValues numbers(OperationRunner run, Operand array) {
    Places rule = DeviceLayout.of(array).numbers();
    if (rule == null) {
      return of(DeviceTemporaries.numbers(run, array), array);
    }
    long first = array.layout().count() == 0 ? 0 : array.elementAt(0);
    List<Object> rest = new ArrayList<>(JavaKernels.identity(rule));
    rest.add(first);
    return new DeviceValues(numbered(rule, first), "numbers", rest);
  }

  private static At numbered(Places rule, long first) {
    return n -> first + rule.of(n);
  }

  DeviceValues generate(Object function) {
    return with("generate", function, generated(function, at));
  }

  private static At generated(Object function, At x) {
    if (function instanceof RealArray.At1 f) {
      return n -> doubleToRawLongBits(f.applyAsDouble(x.at(n)));
    }
    IntegerArray.At1 f = (IntegerArray.At1) function;
    return n -> f.applyAsLong(x.at(n));
  }

  private DeviceValues with(String name, Object function, At computed) {
    List<Object> rest = new ArrayList<>(JavaKernels.identity(function));
    rest.addAll(form);
    return new DeviceValues(computed, name, rest);
  }

  DeviceValues map(Object function) {
    return with("map", function, mapped(function, at));
  }

  private static At mapped(Object function, At x) {
    if (function instanceof RealArray.Unary f) {
      return n -> doubleToRawLongBits(f.applyAsDouble(longBitsToDouble(x.at(n))));
    }
    IntegerArray.Unary f = (IntegerArray.Unary) function;
    return n -> f.applyAsLong(x.at(n));
  }

  DeviceValues zip(DeviceValues other, Object function) {
    List<Object> rest = new ArrayList<>(JavaKernels.identity(function));
    rest.addAll(form);
    rest.addAll(other.form);
    return new DeviceValues(zipped(words(function), at, other.at), "zip", rest);
  }

  /** Writes values to the first places of a list. */
  @FunctionalInterface
  private interface Filler extends Serializable {
    void fill(long[] list, long n);
  }

  /** Returns a function of lists: of the first values, the second ones, and so on. */
  static DeviceValues combined(Object function, List<DeviceValues> all) {
    List<Object> rest = new ArrayList<>();
    rest.add(all.size());
    Filler filler = (_, _) -> {};
    for (int i = 0; i < all.size(); i++) {
      filler = filled(filler, i, all.get(i).at);
      rest.addAll(all.get(i).form);
    }
    rest.addAll(JavaKernels.identity(function));
    return new DeviceValues(listed(function, all.size(), filler), "combined", rest);
  }

  private static Filler filled(Filler before, int place, At x) {
    return (list, n) -> {
      before.fill(list, n);
      list[place] = x.at(n);
    };
  }

  private static At listed(Object function, int length, Filler filler) {
    if (function instanceof RealArray.Many f) {
      return n -> {
        long[] words = new long[length];
        filler.fill(words, n);
        double[] list = new double[length];
        for (int i = 0; i < length; i++) {
          list[i] = longBitsToDouble(words[i]);
        }
        return doubleToRawLongBits(f.applyAsDouble(list));
      };
    }
    IntegerArray.Many f = (IntegerArray.Many) function;
    return n -> {
      long[] list = new long[length];
      filler.fill(list, n);
      return f.applyAsLong(list);
    };
  }

  private static At zipped(Words f, At x, At y) {
    return n -> f.of(x.at(n), y.at(n));
  }

  /** Returns 1 for each value that meets a condition, or does not, and 0 for the others. */
  public DeviceValues test(Object condition, boolean meets) {
    return with(meets ? "test" : "testNot", condition, tested(condition, meets, at));
  }

  private static At tested(Object condition, boolean meets, At x) {
    if (condition instanceof RealArray.Condition c) {
      return n -> c.test(longBitsToDouble(x.at(n))) == meets ? 1 : 0;
    }
    IntegerArray.Condition c = (IntegerArray.Condition) condition;
    return n -> c.test(x.at(n)) == meets ? 1 : 0;
  }

  /** Returns these where other values are not 0, and elsewhere the largest long. */
  public DeviceValues where(DeviceValues marks) {
    List<Object> rest = new ArrayList<>(marks.form);
    rest.addAll(form);
    return new DeviceValues(chosen(marks.at, at), "where", rest);
  }

  private static At chosen(At marks, At x) {
    return n -> marks.at(n) != 0 ? x.at(n) : Long.MAX_VALUE;
  }

  /** Returns these for a kernel that reads other values after them. */
  DeviceValues and(DeviceValues others) {
    List<Object> rest = new ArrayList<>(form);
    rest.addAll(others.form);
    return new DeviceValues(at, "and", rest);
  }

  /** Returns numbers that are ordered as these values are; with the bits turned, the other way. */
  DeviceValues keys(boolean floating, long flip) {
    return new DeviceValues(keyed(at, floating, flip), List.of("keys", floating, flip), form);
  }

  private static At keyed(At x, boolean floating, long flip) {
    return n -> Elements.key(x.at(n), floating) ^ flip;
  }

  DeviceValues fromKeys(boolean floating) {
    return new DeviceValues(unkeyed(at, floating), List.of("fromKeys", floating), form);
  }

  private static At unkeyed(At x, boolean floating) {
    return n -> Elements.fromKey(x.at(n), floating);
  }

  /** Returns a function of two elements as one of their bits. */
  static Words words(Object function) {
    if (function instanceof Words f) {
      return f;
    }
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
  List<Object> key(@Nullable Operand out) {
    List<Operand> arrays = arrays(out);
    List<Object> key = new ArrayList<>();
    for (Object each : form) {
      key.add(each instanceof Operand array ? List.of(array.type(), arrays.indexOf(array)) : each);
    }
    return key;
  }

  /** Returns the arrays that are read, each once, besides that of the result. */
  List<Operand> arrays(@Nullable Operand out) {
    List<Operand> arrays = new ArrayList<>();
    for (Object each : form) {
      if (each instanceof Operand array && array != out && !arrays.contains(array)) {
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
  Bound bind(JavaKernel kernel, @Nullable Operand out) {
    return new Bound(kernel, arrays(out).stream().map(Operand::buffer).toList());
  }

  /** A kernel with the memory that it reads. */
  record Bound(JavaKernel kernel, List<Buffer> read) {
    void launch(long items, Object... arguments) {
      List<Object> all = new ArrayList<>(List.of(arguments));
      all.addAll(read);
      kernel.launch(items, all.toArray());
    }
  }
}
