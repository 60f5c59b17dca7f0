package dev.rialto.array;

import dev.rialto.jit.kernel.Bindings;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The kernels of algorithms on a device, written once for all devices and types. Each is compiled
 * when it is first used with a function, its captured values and a type, and kept for the next
 * time.
 */
final class DeviceKernels implements AutoCloseable {
  /** Items of a block. */
  static final int BLOCK = 256;

  /** Functions that capture another value each time would make any number of kernels. */
  private static final int MOST_KERNELS = 256;

  private final ComputeClient client;

  /** Those used last, the longest ago first. */
  private final Map<List<Object>, JavaKernel> made = new LinkedHashMap<>();

  private final IndexKernels indices;

  DeviceKernels(ComputeClient client) {
    this.client = client;
    this.indices = new IndexKernels(client);
  }

  /** Returns those of functions of indices. */
  IndexKernels indices() {
    return indices;
  }

  private JavaKernel kept(List<Object> key, DType type, Function<JavaKernels, JavaKernel> make) {
    JavaKernel known = made.remove(key);
    JavaKernel kernel =
        known == null
            ? make.apply(JavaKernels.on(client).withBlockSize(BLOCK).withElements(type))
            : known;
    made.put(key, kernel);
    if (made.size() > MOST_KERNELS) {
      var oldest = made.values().iterator();
      oldest.next().close();
      oldest.remove();
    }
    return kernel;
  }

  private JavaKernel kept(
      String name, DType type, Function<JavaKernels, JavaKernel> make, Object... constants) {
    return kept(key(name, type, constants), type, make);
  }

  private static List<Object> key(String name, DType type, Object... constants) {
    List<Object> key = new ArrayList<>(List.of(name, type));
    for (Object each : constants) {
      key.add(each instanceof Number ? each : JavaKernels.identity(each));
    }
    return key;
  }

  /** Returns a kernel that reads values; {@code out} is its first argument, if that is an array. */
  private DeviceValues.Bound bound(
      String name,
      DType type,
      DeviceValues values,
      @Nullable Array out,
      Function<JavaKernels, JavaKernel> make,
      Object... constants) {
    Array whole = out == null ? null : out.whole();
    List<Object> key = key(name, type, constants);
    key.addAll(values.key(whole));
    Bindings bindings = new Bindings(DeviceValues::memory, whole, null, false);
    JavaKernel kernel = kept(key, type, on -> make.apply(on.withBindings(bindings)));
    return values.bind(kernel, whole);
  }

  private static boolean isReal(DType type) {
    return type.kind() == DType.Kind.FLOAT;
  }

  // --- Each element ---------------------------------------------------------------------------

  /** Sets elements to values. */
  DeviceValues.Bound assign(Array out, DeviceValues values) {
    Places to = OnDevice.places(out);
    DeviceValues.At at = values.at();
    return bound(
        "assign", out.type(), values, out, on -> assign(on, isReal(out.type()), to, at), to);
  }

  private static JavaKernel assign(JavaKernels on, boolean real, Places to, DeviceValues.At at) {
    return real
        ? on.kernel(
            (Item it, Reals z) ->
                z.set(to.of(it.global()), Double.longBitsToDouble(at.at(it.global()))))
        : on.kernel((Item it, Integers z) -> z.set(to.of(it.global()), at.at(it.global())));
  }

  /** Sets {@code z = z + a x}; takes the factor, so that another one needs no other kernel. */
  DeviceValues.Bound axpy(Array out, DeviceValues x) {
    Places to = OnDevice.places(out);
    DeviceValues.At at = x.at();
    return bound("axpy", out.type(), x, out, on -> axpy(on, isReal(out.type()), to, at), to);
  }

  private static JavaKernel axpy(JavaKernels on, boolean real, Places to, DeviceValues.At at) {
    return real
        ? on.kernel(
            (Item it, Reals z, Double a) -> {
              long i = to.of(it.global());
              z.set(i, z.get(i) + a * Double.longBitsToDouble(at.at(it.global())));
            })
        : on.kernel(
            (Item it, Integers z, Long a) -> {
              long i = to.of(it.global());
              z.set(i, z.get(i) + a * at.at(it.global()));
            });
  }

  /** Sets {@code z = z a}. */
  JavaKernel scale(DType type, Places to) {
    return kept(
        "scale",
        type,
        on ->
            isReal(type)
                ? on.kernel(
                    (Item it, Reals z, Double a) -> {
                      long i = to.of(it.global());
                      z.set(i, z.get(i) * a);
                    })
                : on.kernel(
                    (Item it, Integers z, Long a) -> {
                      long i = to.of(it.global());
                      z.set(i, z.get(i) * a);
                    }),
        to);
  }

  // --- All into one ---------------------------------------------------------------------------

  /** Combines every so many values, one result for each item; takes their number last. */
  DeviceValues.Bound fold(DeviceValues values, Object operator) {
    DeviceValues.Words op = DeviceValues.words(operator);
    DeviceValues.At x = values.at();
    return bound("fold", DType.I64, values, null, on -> fold(on, op, x), operator);
  }

  private static JavaKernel fold(JavaKernels on, DeviceValues.Words op, DeviceValues.At x) {
    return on.kernel(
        (Item it, I64 to, Long count) -> {
          long all = x.at(it.global());
          for (long i = it.global() + it.globalSize(); i < count; i += it.globalSize()) {
            all = op.of(all, x.at(i));
          }
          to.set(it.global(), all);
        });
  }

  /** Combines every so many results of {@link #fold}. */
  JavaKernel foldAgain(Object operator) {
    DeviceValues.Words op = DeviceValues.words(operator);
    return kept("foldAgain", DType.I64, on -> foldAgain(on, op), operator);
  }

  private static JavaKernel foldAgain(JavaKernels on, DeviceValues.Words op) {
    return on.kernel(
        (Item it, I64 to, I64 x, Long count) -> {
          long all = x.get(it.global());
          for (long i = it.global() + it.globalSize(); i < count; i += it.globalSize()) {
            all = op.of(all, x.get(i));
          }
          to.set(it.global(), all);
        });
  }

  /**
   * Finds the extremes of every so many values: two keys and which they are, for each item; takes
   * their number last.
   */
  DeviceValues.Bound extremes(DeviceValues values, boolean floating) {
    DeviceValues.At keys = DeviceValues.keys(values.at(), floating);
    String name = floating ? "extremes" : "extremesOfIntegers";
    return bound(name, DType.I64, values, null, on -> extremes(on, keys));
  }

  private static JavaKernel extremes(JavaKernels on, DeviceValues.At keys) {
    return on.kernel(
        (Item it, I64 to, Long count) -> {
          long least = it.global();
          long most = least;
          long leastKey = keys.at(least);
          long mostKey = leastKey;
          for (long i = least + it.globalSize(); i < count; i += it.globalSize()) {
            long key = keys.at(i);
            if (key < leastKey) {
              leastKey = key;
              least = i;
            }
            if (key > mostKey) {
              mostKey = key;
              most = i;
            }
          }
          long at = 4 * it.global();
          to.set(at, leastKey);
          to.set(at + 1, least);
          to.set(at + 2, mostKey);
          to.set(at + 3, most);
        });
  }

  /** Returns a number that is ordered as doubles are: -0.0 before 0.0, and NaN last. */
  static long key(double value) {
    return Double.isNaN(value) ? Long.MAX_VALUE : flipped(Double.doubleToRawLongBits(value));
  }

  /** Returns the bits of the double that has a key. */
  static long bits(long key) {
    return key == Long.MAX_VALUE ? Double.doubleToRawLongBits(Double.NaN) : flipped(key);
  }

  private static long flipped(long bits) {
    return bits ^ (bits >> 63 & Long.MAX_VALUE);
  }

  // --- Running --------------------------------------------------------------------------------

  /** Combines the values of each tile. */
  DeviceValues.Bound tiles(DeviceValues values, Object operator, long neutral) {
    DeviceValues.Words op = DeviceValues.words(operator);
    DeviceValues.At x = values.at();
    return bound(
        "tiles",
        DType.I64,
        values,
        null,
        on -> ScanKernels.tiles(on, op, neutral, x),
        operator,
        neutral);
  }

  /** Scans each tile, from what comes before it. */
  DeviceValues.Bound scan(
      Array out, DeviceValues values, Object operator, long neutral, boolean before) {
    DeviceValues.Words op = DeviceValues.words(operator);
    DeviceValues.At x = values.at();
    Places to = OnDevice.places(out);
    return bound(
        "scan" + before,
        out.type(),
        values,
        out,
        on ->
            isReal(out.type())
                ? ScanKernels.reals(on, op, neutral, before, to, x)
                : ScanKernels.integers(on, op, neutral, before, to, x),
        operator,
        neutral,
        to);
  }

  @Override
  public void close() {
    made.values().forEach(JavaKernel::close);
    made.clear();
    indices.close();
  }
}
