package dev.rialto.array.device;

import dev.rialto.array.part.KernelCache;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Places;
import dev.rialto.jit.kernel.Bindings;
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
  static final int BLOCK = 256;

  /** Elements that an item of an assignment sets. */
  private static final int EACH = 4;

  /** Functions that capture another value each time would make any number of kernels. */
  private static final int MOST_KERNELS = 256;

  private final ComputeClient client;

  /** The package of these kernels, whose own indices are right; those of functions are checked. */
  static final String TRUSTED = "dev/rialto/array/device/";

  /** Those used last, the longest ago first. */
  private final Map<List<Object>, JavaKernel> made = new LinkedHashMap<>();

  private final IndexKernels indices;
  private final KernelLibrary library;

  DeviceKernels(ComputeClient client) {
    this.client = client;
    this.indices = new IndexKernels(client);
    this.library = KernelLibrary.on(client);
  }

  public IndexKernels indices() {
    return indices;
  }

  private JavaKernel kept(List<Object> key, DType type, Function<JavaKernels, JavaKernel> make) {
    JavaKernel known = made.remove(key);
    if (known != null && !known.isCurrent()) {
      known.close();
      known = null;
    }
    JavaKernel kernel =
        known == null
            ? make.apply(
                JavaKernels.on(client)
                    .withBlockSize(BLOCK)
                    .withElements(type)
                    .withBindings(new Bindings(_ -> null, null, null, false, TRUSTED)))
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
        new Bindings(
            DeviceValues::memory, whole == null ? null : whole.array(), null, false, TRUSTED);
    JavaKernel kernel = kept(key, type, on -> make.apply(on.withBindings(bindings)));
    return values.bind(kernel, whole);
  }

  static boolean isReal(DType type) {
    return type.kind() == DType.Kind.FLOAT;
  }

  // --- Each element ---------------------------------------------------------------------------

  void assign(Operand out, DeviceValues values) {
    long count = out.layout().count();
    long blocks = (count + EACH * BLOCK - 1) / (EACH * BLOCK);
    assigning(out, values).launch(blocks * BLOCK, out.buffer(), count);
  }

  private DeviceValues.Bound assigning(Operand out, DeviceValues values) {
    Places to = DeviceElementwise.places(out);
    DeviceValues.At at = values.at();
    return bound(
        "assign", out.type(), values, out, on -> assign(on, isReal(out.type()), to, at), to);
  }

  /** Makes a kernel whose items set {@value #EACH} elements each; takes how many there are. */
  private static JavaKernel assign(JavaKernels on, boolean real, Places to, DeviceValues.At at) {
    return real
        ? on.kernel(
            (Item it, Reals z, Long count) -> {
              long first = it.block() * (EACH * BLOCK) + it.local();
              if (first - it.local() + EACH * BLOCK <= count) {
                // All are read before the first is written, so that the reads are under way at
                // once.
                long a = at.at(first);
                long b = at.at(first + BLOCK);
                long c = at.at(first + 2 * BLOCK);
                long d = at.at(first + 3 * BLOCK);
                z.set(to.of(first), Double.longBitsToDouble(a));
                z.set(to.of(first + BLOCK), Double.longBitsToDouble(b));
                z.set(to.of(first + 2 * BLOCK), Double.longBitsToDouble(c));
                z.set(to.of(first + 3 * BLOCK), Double.longBitsToDouble(d));
              } else {
                for (long i = first; i < count; i += BLOCK) {
                  z.set(to.of(i), Double.longBitsToDouble(at.at(i)));
                }
              }
            })
        : on.kernel(
            (Item it, Integers z, Long count) -> {
              long first = it.block() * (EACH * BLOCK) + it.local();
              if (first - it.local() + EACH * BLOCK <= count) {
                long a = at.at(first);
                long b = at.at(first + BLOCK);
                long c = at.at(first + 2 * BLOCK);
                long d = at.at(first + 3 * BLOCK);
                z.set(to.of(first), a);
                z.set(to.of(first + BLOCK), b);
                z.set(to.of(first + 2 * BLOCK), c);
                z.set(to.of(first + 3 * BLOCK), d);
              } else {
                for (long i = first; i < count; i += BLOCK) {
                  z.set(to.of(i), at.at(i));
                }
              }
            });
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

  // --- Complex elements, as pairs of real numbers ---------------------------------------------

  /** Returns the type of the parts of complex numbers. */
  private static DType part(Operand array) {
    return array.type() == DType.C128 ? DType.F64 : DType.F32;
  }

  /** Sets {@code z = z + a x}; takes both memories and the two parts of the factor. */
  JavaKernel axpy(Operand out, Operand in) {
    Places to = DeviceElementwise.places(out);
    Places from = DeviceElementwise.places(in);
    return kept(
        "complex axpy",
        part(out),
        on ->
            on.kernel(
                (Item it, Reals z, Reals x, Double re, Double im) -> {
                  long i = 2 * to.of(it.global());
                  long j = 2 * from.of(it.global());
                  double a = x.get(j);
                  double b = x.get(j + 1);
                  z.set(i, z.get(i) + times(re, a, im, -b));
                  z.set(i + 1, z.get(i + 1) + times(re, b, im, a));
                }),
        to,
        from);
  }

  /** Sets {@code z = a z}, or {@code z + a z}; takes the two parts of the factor. */
  JavaKernel scale(Operand out, boolean add) {
    Places to = DeviceElementwise.places(out);
    double own = add ? 1 : 0;
    return kept(
        "complex scale",
        part(out),
        on ->
            on.kernel(
                (Item it, Reals z, Double re, Double im) -> {
                  long i = 2 * to.of(it.global());
                  double a = z.get(i);
                  double b = z.get(i + 1);
                  double first = times(re, a, im, -b);
                  double second = times(re, b, im, a);
                  z.set(i, own == 0 ? first : a + first);
                  z.set(i + 1, own == 0 ? second : b + second);
                }),
        to,
        own);
  }

  /** Returns {@code a x + b y}; a factor without an imaginary part leaves infinity what it is. */
  private static double times(double a, double x, double b, double y) {
    return b == 0 ? a * x : a * x + b * y;
  }

  // --- All into one ---------------------------------------------------------------------------

  /** Combines every so many values from one to another, one result for each block. */
  DeviceValues.Bound fold(DeviceValues values, Object operator) {
    DeviceValues.Words op = DeviceValues.words(operator);
    DeviceValues.At x = values.at();
    return bound("fold", DType.I64, values, null, on -> ReductionKernels.fold(on, op, x), operator);
  }

  /**
   * Finds the extremes of every so many values: two keys and which they are, for each block; of
   * equal ones, that of the least number. Takes how many values there are last.
   *
   * @param rising whether later values have higher numbers
   * @param narrow whether values have at most 4 bytes
   */
  DeviceValues.Bound extremes(
      DeviceValues values, DeviceValues numbers, boolean floating, boolean rising, boolean narrow) {
    DeviceValues.At value = values.at();
    DeviceValues.At number = numbers.at();
    return bound(
        "extremes" + floating + rising + narrow,
        DType.I64,
        values.and(numbers),
        null,
        on ->
            rising && narrow
                ? ReductionKernels.narrowExtremes(on, value, number, floating)
                : ReductionKernels.extremes(on, value, number, floating, rising));
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

  /** Sets longs to zeros, in one launch where a fill takes several copies. */
  JavaKernel zeros() {
    return kept(
        "zeros", DType.I64, on -> on.kernel((Item it, Integers x) -> x.set(it.global(), 0L)));
  }

  /** Scans all values, tile by tile; narrow ones have a result of their own type. */
  DeviceValues.Bound scan(
      Operand out, DeviceValues values, Object operator, boolean before, boolean narrow) {
    DeviceValues.Words op = DeviceValues.words(operator);
    DeviceValues.At x = values.at();
    Places to = DeviceElementwise.places(out);
    return bound(
        "scan" + before + narrow,
        out.type(),
        values,
        out,
        on ->
            isReal(out.type())
                ? ScanKernels.reals(on, op, before, narrow, to, x)
                : ScanKernels.integers(on, op, before, narrow, to, x),
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
