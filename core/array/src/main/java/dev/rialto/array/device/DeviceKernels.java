package dev.rialto.array.device;

import dev.rialto.array.part.KernelCache;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Places;
import dev.rialto.jit.kernel.Bindings;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.jit.library.KernelLibrary;
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
public final class DeviceKernels implements KernelCache {
  /** Items of a block. */
  static final int BLOCK = 256;

  /** Functions that capture another value each time would make any number of kernels. */
  private static final int MOST_KERNELS = 256;

  private final ComputeClient client;

  /** Those used last, the longest ago first. */
  private final Map<List<Object>, JavaKernel> made = new LinkedHashMap<>();

  private final IndexKernels indices;
  private final KernelLibrary library;

  DeviceKernels(ComputeClient client) {
    this.client = client;
    this.indices = new IndexKernels(client);
    this.library = KernelLibrary.on(client);
  }

  /** Returns those of functions of indices. */
  public IndexKernels indices() {
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

  JavaKernel kept(
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

  /** Returns algorithms of several kernels that do not depend on functions. */
  public KernelLibrary library() {
    return library;
  }

  /** Returns a kernel that reads values; {@code out} is its first argument, if that is an array. */
  DeviceValues.Bound bound(
      String name,
      DType type,
      DeviceValues values,
      @Nullable Operand out,
      Function<JavaKernels, JavaKernel> make,
      Object... constants) {
    Operand whole = out == null ? null : out.whole();
    List<Object> key = key(name, type, constants);
    key.addAll(values.key(whole));
    Bindings bindings =
        new Bindings(DeviceValues::memory, whole == null ? null : whole.array(), null, false);
    JavaKernel kernel = kept(key, type, on -> make.apply(on.withBindings(bindings)));
    return values.bind(kernel, whole);
  }

  static boolean isReal(DType type) {
    return type.kind() == DType.Kind.FLOAT;
  }

  // --- Each element ---------------------------------------------------------------------------

  /** Sets elements to values. */
  DeviceValues.Bound assign(Operand out, DeviceValues values) {
    Places to = DeviceElementwise.places(out);
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
  DeviceValues.Bound axpy(Operand out, DeviceValues x) {
    Places to = DeviceElementwise.places(out);
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

  /** Combines every so many values from one to another, one result for each item. */
  DeviceValues.Bound fold(DeviceValues values, Object operator) {
    DeviceValues.Words op = DeviceValues.words(operator);
    DeviceValues.At x = values.at();
    return bound("fold", DType.I64, values, null, on -> fold(on, op, x), operator);
  }

  private static JavaKernel fold(JavaKernels on, DeviceValues.Words op, DeviceValues.At x) {
    return on.kernel(
        (Item it, I64 to, Long first, Long end) -> {
          long all = x.at(first + it.global());
          for (long i = first + it.global() + it.globalSize(); i < end; i += it.globalSize()) {
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
   * Finds the extremes of every so many values: two keys and which they are, for each item; of
   * equal ones, that of the least number. Takes how many values there are last.
   */
  DeviceValues.Bound extremes(DeviceValues values, DeviceValues numbers, boolean floating) {
    DeviceValues keys = values.keys(floating, 0);
    DeviceValues.At key = keys.at();
    DeviceValues.At number = numbers.at();
    return bound("extremes", DType.I64, keys.and(numbers), null, on -> extremes(on, key, number));
  }

  private static JavaKernel extremes(
      JavaKernels on, DeviceValues.At keys, DeviceValues.At numbers) {
    return on.kernel(
        (Item it, I64 to, Long count) -> {
          long leastKey = keys.at(it.global());
          long mostKey = leastKey;
          long least = numbers.at(it.global());
          long most = least;
          for (long i = it.global() + it.globalSize(); i < count; i += it.globalSize()) {
            long key = keys.at(i);
            long number = numbers.at(i);
            if (key < leastKey || (key == leastKey && number < least)) {
              leastKey = key;
              least = number;
            }
            if (key > mostKey || (key == mostKey && number < most)) {
              mostKey = key;
              most = number;
            }
          }
          long at = 4 * it.global();
          to.set(at, leastKey);
          to.set(at + 1, least);
          to.set(at + 2, mostKey);
          to.set(at + 3, most);
        });
  }

  // --- Running --------------------------------------------------------------------------------

  /** Combines the values of each tile, in their order. */
  DeviceValues.Bound tiles(DeviceValues values, Object operator) {
    DeviceValues.Words op = DeviceValues.words(operator);
    DeviceValues.At x = values.at();
    return bound("tiles", DType.I64, values, null, on -> ScanKernels.tiles(on, op, x), operator);
  }

  /** Combines the results of {@link #tiles} in tiles. */
  JavaKernel tilesAgain(Object operator) {
    DeviceValues.Words op = DeviceValues.words(operator);
    return kept("tilesAgain", DType.I64, on -> ScanKernels.tilesAgain(on, op), operator);
  }

  /** Scans each tile, from what comes before it. */
  DeviceValues.Bound scan(Operand out, DeviceValues values, Object operator, boolean before) {
    DeviceValues.Words op = DeviceValues.words(operator);
    DeviceValues.At x = values.at();
    Places to = DeviceElementwise.places(out);
    return bound(
        "scan" + before,
        out.type(),
        values,
        out,
        on ->
            isReal(out.type())
                ? ScanKernels.reals(on, op, before, to, x)
                : ScanKernels.integers(on, op, before, to, x),
        operator,
        to);
  }

  @Override
  public void close() {
    made.values().forEach(JavaKernel::close);
    made.clear();
    indices.close();
    library.close();
  }
}
