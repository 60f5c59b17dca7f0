package dev.rialto.array;

import dev.rialto.jit.kernel.F64;
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

  /** Which operand of two is in the memory of the result. */
  enum InPlace {
    NEITHER,
    FIRST,
    SECOND,
    BOTH;

    static InPlace of(boolean first, boolean second) {
      return first ? second ? BOTH : FIRST : second ? SECOND : NEITHER;
    }
  }

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

  private JavaKernel kept(
      String name, DType type, Function<JavaKernels, JavaKernel> make, Object... constants) {
    List<Object> key = new ArrayList<>(List.of(name, type));
    for (Object each : constants) {
      key.add(each instanceof Enum || each instanceof Number ? each : JavaKernels.identity(each));
    }
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

  private static boolean isReal(DType type) {
    return type.kind() == DType.Kind.FLOAT;
  }

  // --- Each element ---------------------------------------------------------------------------

  /** Sets elements to a function of their numbers; takes what is added to those. */
  JavaKernel generate(DType type, Object f, Places to, Places numbers) {
    return kept("generate", type, on -> generate(on, f, to, numbers), f, to, numbers);
  }

  private static JavaKernel generate(JavaKernels on, Object f, Places to, Places numbers) {
    return f instanceof RealArray.At1 at
        ? on.kernel(
            (Item it, Reals z, Long first) ->
                z.set(to.of(it.global()), at.applyAsDouble(first + numbers.of(it.global()))))
        : generate(on, (IntegerArray.At1) f, to, numbers);
  }

  private static JavaKernel generate(
      JavaKernels on, IntegerArray.At1 f, Places to, Places numbers) {
    return on.kernel(
        (Item it, Integers z, Long first) ->
            z.set(to.of(it.global()), f.applyAsLong(first + numbers.of(it.global()))));
  }

  /** Sets {@code z = f(x)}; in place if both are in one memory, which is passed once. */
  JavaKernel map(DType type, Object f, Places to, Places from, boolean inPlace) {
    return kept("map" + inPlace, type, on -> map(on, f, to, from, inPlace), f, to, from);
  }

  private static JavaKernel map(
      JavaKernels on, Object function, Places to, Places from, boolean inPlace) {
    if (function instanceof RealArray.Unary f) {
      return inPlace
          ? on.kernel((Item it, Reals z) -> map(it, z, to, z, from, f))
          : on.kernel((Item it, Reals z, Reals x) -> map(it, z, to, x, from, f));
    }
    IntegerArray.Unary f = (IntegerArray.Unary) function;
    return inPlace
        ? on.kernel((Item it, Integers z) -> map(it, z, to, z, from, f))
        : on.kernel((Item it, Integers z, Integers x) -> map(it, z, to, x, from, f));
  }

  private static void map(Item it, Reals z, Places to, Reals x, Places from, RealArray.Unary f) {
    z.set(to.of(it.global()), f.applyAsDouble(x.get(from.of(it.global()))));
  }

  private static void map(
      Item it, Integers z, Places to, Integers x, Places from, IntegerArray.Unary f) {
    z.set(to.of(it.global()), f.applyAsLong(x.get(from.of(it.global()))));
  }

  /** Sets {@code z = f(x, y)}; memory that z shares with one of them is passed once. */
  JavaKernel zip(DType type, Object f, Places z, Places x, Places y, InPlace inPlace) {
    return kept("zip", type, on -> zip(on, f, z, x, y, inPlace), f, z, x, y, inPlace);
  }

  private static JavaKernel zip(
      JavaKernels on, Object function, Places to, Places p, Places q, InPlace inPlace) {
    if (function instanceof RealArray.Binary f) {
      return switch (inPlace) {
        case NEITHER ->
            on.kernel((Item it, Reals z, Reals x, Reals y) -> zip(it, z, to, x, p, y, q, f));
        case FIRST -> on.kernel((Item it, Reals z, Reals y) -> zip(it, z, to, z, p, y, q, f));
        case SECOND -> on.kernel((Item it, Reals z, Reals x) -> zip(it, z, to, x, p, z, q, f));
        case BOTH -> on.kernel((Item it, Reals z) -> zip(it, z, to, z, p, z, q, f));
      };
    }
    IntegerArray.Binary f = (IntegerArray.Binary) function;
    return switch (inPlace) {
      case NEITHER ->
          on.kernel((Item it, Integers z, Integers x, Integers y) -> zip(it, z, to, x, p, y, q, f));
      case FIRST -> on.kernel((Item it, Integers z, Integers y) -> zip(it, z, to, z, p, y, q, f));
      case SECOND -> on.kernel((Item it, Integers z, Integers x) -> zip(it, z, to, x, p, z, q, f));
      case BOTH -> on.kernel((Item it, Integers z) -> zip(it, z, to, z, p, z, q, f));
    };
  }

  private static void zip(
      Item it, Reals z, Places to, Reals x, Places p, Reals y, Places q, RealArray.Binary f) {
    long i = it.global();
    z.set(to.of(i), f.applyAsDouble(x.get(p.of(i)), y.get(q.of(i))));
  }

  private static void zip(
      Item it,
      Integers z,
      Places to,
      Integers x,
      Places p,
      Integers y,
      Places q,
      IntegerArray.Binary f) {
    long i = it.global();
    z.set(to.of(i), f.applyAsLong(x.get(p.of(i)), y.get(q.of(i))));
  }

  /**
   * Sets {@code z = z + a x}, in one memory or two; takes the factor, so that another one needs no
   * other kernel.
   */
  JavaKernel axpy(DType type, Places to, Places from, boolean inPlace) {
    return kept(
        "axpy" + inPlace,
        type,
        on -> isReal(type) ? axpy(on, to, from, inPlace) : axpyIntegers(on, to, from, inPlace),
        to,
        from);
  }

  private static JavaKernel axpy(JavaKernels on, Places to, Places from, boolean inPlace) {
    return inPlace
        ? on.kernel((Item it, Reals z, Double a) -> axpy(it, z, to, z, from, a))
        : on.kernel((Item it, Reals z, Reals x, Double a) -> axpy(it, z, to, x, from, a));
  }

  private static void axpy(Item it, Reals z, Places to, Reals x, Places from, double a) {
    long i = to.of(it.global());
    z.set(i, z.get(i) + a * x.get(from.of(it.global())));
  }

  private static JavaKernel axpyIntegers(JavaKernels on, Places to, Places from, boolean inPlace) {
    return inPlace
        ? on.kernel((Item it, Integers z, Long a) -> axpy(it, z, to, z, from, a))
        : on.kernel((Item it, Integers z, Integers x, Long a) -> axpy(it, z, to, x, from, a));
  }

  private static void axpy(Item it, Integers z, Places to, Integers x, Places from, long a) {
    long i = to.of(it.global());
    z.set(i, z.get(i) + a * x.get(from.of(it.global())));
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

  /**
   * Combines {@code f(x)} of every so many elements, one result for each item; takes their number
   * last.
   */
  JavaKernel fold(DType type, Object f, Object op, Places from) {
    return kept("fold", type, on -> fold(on, f, op, from), f, op, from);
  }

  private static JavaKernel fold(JavaKernels on, Object function, Object operator, Places from) {
    if (operator instanceof RealArray.Binary op) {
      RealArray.Unary f = (RealArray.Unary) function;
      return on.kernel(
          (Item it, F64 to, Reals x, Long count) -> {
            double all = f.applyAsDouble(x.get(from.of(it.global())));
            for (long i = it.global() + it.globalSize(); i < count; i += it.globalSize()) {
              all = op.applyAsDouble(all, f.applyAsDouble(x.get(from.of(i))));
            }
            to.set(it.global(), all);
          });
    }
    IntegerArray.Unary f = (IntegerArray.Unary) function;
    IntegerArray.Binary op = (IntegerArray.Binary) operator;
    return on.kernel(
        (Item it, I64 to, Integers x, Long count) -> {
          long all = f.applyAsLong(x.get(from.of(it.global())));
          for (long i = it.global() + it.globalSize(); i < count; i += it.globalSize()) {
            all = op.applyAsLong(all, f.applyAsLong(x.get(from.of(i))));
          }
          to.set(it.global(), all);
        });
  }

  /** Combines {@code f(x, y)} of every so many elements; see {@link #fold}. */
  JavaKernel foldPairs(DType type, Object f, Object op, Places p, Places q) {
    return kept("foldPairs", type, on -> foldPairs(on, f, op, p, q), f, op, p, q);
  }

  private static JavaKernel foldPairs(
      JavaKernels on, Object function, Object operator, Places p, Places q) {
    if (operator instanceof RealArray.Binary op) {
      RealArray.Binary f = (RealArray.Binary) function;
      return on.kernel(
          (Item it, F64 to, Reals x, Reals y, Long count) -> {
            double all = f.applyAsDouble(x.get(p.of(it.global())), y.get(q.of(it.global())));
            for (long i = it.global() + it.globalSize(); i < count; i += it.globalSize()) {
              all = op.applyAsDouble(all, f.applyAsDouble(x.get(p.of(i)), y.get(q.of(i))));
            }
            to.set(it.global(), all);
          });
    }
    IntegerArray.Binary f = (IntegerArray.Binary) function;
    IntegerArray.Binary op = (IntegerArray.Binary) operator;
    return on.kernel(
        (Item it, I64 to, Integers x, Integers y, Long count) -> {
          long all = f.applyAsLong(x.get(p.of(it.global())), y.get(q.of(it.global())));
          for (long i = it.global() + it.globalSize(); i < count; i += it.globalSize()) {
            all = op.applyAsLong(all, f.applyAsLong(x.get(p.of(i)), y.get(q.of(i))));
          }
          to.set(it.global(), all);
        });
  }

  /**
   * Finds the extremes of every so many elements: two keys and which they are, for each item; takes
   * their number last.
   */
  JavaKernel extremes(DType type, Places from) {
    return kept(
        "extremes",
        type,
        on ->
            isReal(type)
                ? on.kernel(
                    (Item it, I64 to, Reals x, Long count) -> {
                      long least = it.global();
                      long most = least;
                      long leastKey = key(x.get(from.of(least)));
                      long mostKey = leastKey;
                      for (long i = least + it.globalSize(); i < count; i += it.globalSize()) {
                        long key = key(x.get(from.of(i)));
                        if (key < leastKey) {
                          leastKey = key;
                          least = i;
                        }
                        if (key > mostKey) {
                          mostKey = key;
                          most = i;
                        }
                      }
                      found(it, to, leastKey, least, mostKey, most);
                    })
                : on.kernel(
                    (Item it, I64 to, Integers x, Long count) -> {
                      long least = it.global();
                      long most = least;
                      long leastKey = x.get(from.of(least));
                      long mostKey = leastKey;
                      for (long i = least + it.globalSize(); i < count; i += it.globalSize()) {
                        long key = x.get(from.of(i));
                        if (key < leastKey) {
                          leastKey = key;
                          least = i;
                        }
                        if (key > mostKey) {
                          mostKey = key;
                          most = i;
                        }
                      }
                      found(it, to, leastKey, least, mostKey, most);
                    }),
        from);
  }

  private static void found(Item it, I64 to, long leastKey, long least, long mostKey, long most) {
    long at = 4 * it.global();
    to.set(at, leastKey);
    to.set(at + 1, least);
    to.set(at + 2, mostKey);
    to.set(at + 3, most);
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

  /** Combines the elements of each tile. */
  JavaKernel tiles(DType type, Object operator, Number neutral, Places from) {
    return kept(
        "tiles",
        type,
        on ->
            operator instanceof RealArray.Binary op
                ? ScanKernels.tiles(on, op, neutral.doubleValue(), from)
                : ScanKernels.tilesOfIntegers(
                    on, (IntegerArray.Binary) operator, neutral.longValue(), from),
        operator,
        neutral,
        from);
  }

  /** Scans each tile, from what comes before it, in one memory or two. */
  JavaKernel scan(
      DType type,
      Object operator,
      Number neutral,
      boolean before,
      Places to,
      Places from,
      boolean inPlace) {
    return kept(
        "scan" + before + inPlace,
        type,
        on ->
            operator instanceof RealArray.Binary op
                ? ScanKernels.scan(on, op, neutral.doubleValue(), before, to, from, inPlace)
                : ScanKernels.scanIntegers(
                    on,
                    (IntegerArray.Binary) operator,
                    neutral.longValue(),
                    before,
                    to,
                    from,
                    inPlace),
        operator,
        neutral,
        to,
        from);
  }

  @Override
  public void close() {
    made.values().forEach(JavaKernel::close);
    made.clear();
    indices.close();
  }
}
