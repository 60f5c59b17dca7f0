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
  /** Items of a block, and elements of each, in a scan. */
  static final int BLOCK = 256;

  static final int EACH = 8;
  static final long TILE = BLOCK * EACH;

  /** Functions that capture another value each time would make any number of kernels. */
  private static final int MOST_KERNELS = 256;

  /** Which operand of two is also the result. */
  enum InPlace {
    NEITHER,
    FIRST,
    SECOND,
    BOTH
  }

  private final ComputeClient client;

  /** Those used last, the longest ago first. */
  private final Map<List<Object>, JavaKernel> made = new LinkedHashMap<>();

  DeviceKernels(ComputeClient client) {
    this.client = client;
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

  /**
   * Sets elements to a function of their numbers or indices; takes the first one's number and the
   * extents of axes after the first.
   */
  JavaKernel generate(DType type, Object f) {
    return kept("generate", type, on -> generate(on, f), f);
  }

  private static JavaKernel generate(JavaKernels on, Object f) {
    return switch (f) {
      case RealArray.At1 at ->
          on.kernel(
              (Item it, Reals z, Long first) ->
                  z.set(it.global(), at.applyAsDouble(first + it.global())));
      case RealArray.At2 at ->
          on.kernel(
              (Item it, Reals z, Long first, Long columns) -> {
                long e = first + it.global();
                z.set(it.global(), at.at(e / columns, e % columns));
              });
      case RealArray.At3 at ->
          on.kernel(
              (Item it, Reals z, Long first, Long rows, Long columns) -> {
                long e = first + it.global();
                long row = e / columns;
                z.set(it.global(), at.at(row / rows, row % rows, e % columns));
              });
      case IntegerArray.At1 at ->
          on.kernel(
              (Item it, Integers z, Long first) ->
                  z.set(it.global(), at.applyAsLong(first + it.global())));
      case IntegerArray.At2 at ->
          on.kernel(
              (Item it, Integers z, Long first, Long columns) -> {
                long e = first + it.global();
                z.set(it.global(), at.at(e / columns, e % columns));
              });
      case IntegerArray.At3 at ->
          on.kernel(
              (Item it, Integers z, Long first, Long rows, Long columns) -> {
                long e = first + it.global();
                long row = e / columns;
                z.set(it.global(), at.at(row / rows, row % rows, e % columns));
              });
      default -> throw new IllegalArgumentException("no function of indices: " + f);
    };
  }

  /** Sets {@code z = f(x)}, or {@code z = f(z)}. */
  JavaKernel map(DType type, Object f, boolean inPlace) {
    return kept("map" + inPlace, type, on -> map(on, f, inPlace), f);
  }

  private static JavaKernel map(JavaKernels on, Object function, boolean inPlace) {
    if (function instanceof RealArray.Unary f) {
      return inPlace
          ? on.kernel((Item it, Reals z) -> z.set(it.global(), f.applyAsDouble(z.get(it.global()))))
          : on.kernel(
              (Item it, Reals z, Reals x) ->
                  z.set(it.global(), f.applyAsDouble(x.get(it.global()))));
    }
    IntegerArray.Unary f = (IntegerArray.Unary) function;
    return inPlace
        ? on.kernel((Item it, Integers z) -> z.set(it.global(), f.applyAsLong(z.get(it.global()))))
        : on.kernel(
            (Item it, Integers z, Integers x) ->
                z.set(it.global(), f.applyAsLong(x.get(it.global()))));
  }

  /** Sets {@code z = f(x, y)}, where z may be one of them: an array is passed once. */
  JavaKernel zip(DType type, Object f, InPlace inPlace) {
    return kept("zip", type, on -> zip(on, f, inPlace), f, inPlace);
  }

  private static JavaKernel zip(JavaKernels on, Object function, InPlace inPlace) {
    if (function instanceof RealArray.Binary f) {
      return switch (inPlace) {
        case NEITHER -> on.kernel((Item it, Reals z, Reals x, Reals y) -> zip(it, z, x, y, f));
        case FIRST -> on.kernel((Item it, Reals z, Reals y) -> zip(it, z, z, y, f));
        case SECOND -> on.kernel((Item it, Reals z, Reals x) -> zip(it, z, x, z, f));
        case BOTH -> on.kernel((Item it, Reals z) -> zip(it, z, z, z, f));
      };
    }
    IntegerArray.Binary f = (IntegerArray.Binary) function;
    return switch (inPlace) {
      case NEITHER ->
          on.kernel((Item it, Integers z, Integers x, Integers y) -> zip(it, z, x, y, f));
      case FIRST -> on.kernel((Item it, Integers z, Integers y) -> zip(it, z, z, y, f));
      case SECOND -> on.kernel((Item it, Integers z, Integers x) -> zip(it, z, x, z, f));
      case BOTH -> on.kernel((Item it, Integers z) -> zip(it, z, z, z, f));
    };
  }

  private static void zip(Item it, Reals z, Reals x, Reals y, RealArray.Binary f) {
    z.set(it.global(), f.applyAsDouble(x.get(it.global()), y.get(it.global())));
  }

  private static void zip(Item it, Integers z, Integers x, Integers y, IntegerArray.Binary f) {
    z.set(it.global(), f.applyAsLong(x.get(it.global()), y.get(it.global())));
  }

  /** Sets {@code z = z + a x}; takes the factor, so that another one needs no other kernel. */
  JavaKernel axpy(DType type) {
    return kept(
        "axpy",
        type,
        on ->
            isReal(type)
                ? on.kernel(
                    (Item it, Reals z, Reals x, Double a) ->
                        z.set(it.global(), z.get(it.global()) + a * x.get(it.global())))
                : on.kernel(
                    (Item it, Integers z, Integers x, Long a) ->
                        z.set(it.global(), z.get(it.global()) + a * x.get(it.global()))));
  }

  /** Sets {@code z = z a}. */
  JavaKernel scale(DType type) {
    return kept(
        "scale",
        type,
        on ->
            isReal(type)
                ? on.kernel(
                    (Item it, Reals z, Double a) -> z.set(it.global(), z.get(it.global()) * a))
                : on.kernel(
                    (Item it, Integers z, Long a) -> z.set(it.global(), z.get(it.global()) * a)));
  }

  // --- All into one ---------------------------------------------------------------------------

  /** Combines {@code f(x)} of every so many elements, one result for each item. */
  JavaKernel fold(DType type, Object f, Object op) {
    return kept("fold", type, on -> fold(on, f, op), f, op);
  }

  private static JavaKernel fold(JavaKernels on, Object function, Object operator) {
    if (operator instanceof RealArray.Binary op) {
      RealArray.Unary f = (RealArray.Unary) function;
      return on.kernel(
          (Item it, F64 to, Reals x) -> {
            double all = f.applyAsDouble(x.get(it.global()));
            for (long i = it.global() + it.globalSize(); i < x.length(); i += it.globalSize()) {
              all = op.applyAsDouble(all, f.applyAsDouble(x.get(i)));
            }
            to.set(it.global(), all);
          });
    }
    IntegerArray.Unary f = (IntegerArray.Unary) function;
    IntegerArray.Binary op = (IntegerArray.Binary) operator;
    return on.kernel(
        (Item it, I64 to, Integers x) -> {
          long all = f.applyAsLong(x.get(it.global()));
          for (long i = it.global() + it.globalSize(); i < x.length(); i += it.globalSize()) {
            all = op.applyAsLong(all, f.applyAsLong(x.get(i)));
          }
          to.set(it.global(), all);
        });
  }

  /** Combines {@code f(x, y)} of every so many elements, one result for each item. */
  JavaKernel foldPairs(DType type, Object f, Object op) {
    return kept("foldPairs", type, on -> foldPairs(on, f, op), f, op);
  }

  private static JavaKernel foldPairs(JavaKernels on, Object function, Object operator) {
    if (operator instanceof RealArray.Binary op) {
      RealArray.Binary f = (RealArray.Binary) function;
      return on.kernel(
          (Item it, F64 to, Reals x, Reals y) -> {
            double all = f.applyAsDouble(x.get(it.global()), y.get(it.global()));
            for (long i = it.global() + it.globalSize(); i < x.length(); i += it.globalSize()) {
              all = op.applyAsDouble(all, f.applyAsDouble(x.get(i), y.get(i)));
            }
            to.set(it.global(), all);
          });
    }
    IntegerArray.Binary f = (IntegerArray.Binary) function;
    IntegerArray.Binary op = (IntegerArray.Binary) operator;
    return on.kernel(
        (Item it, I64 to, Integers x, Integers y) -> {
          long all = f.applyAsLong(x.get(it.global()), y.get(it.global()));
          for (long i = it.global() + it.globalSize(); i < x.length(); i += it.globalSize()) {
            all = op.applyAsLong(all, f.applyAsLong(x.get(i), y.get(i)));
          }
          to.set(it.global(), all);
        });
  }

  /** Finds the extremes of every so many elements: two keys and where they are, for each item. */
  JavaKernel extremes(DType type) {
    return kept(
        "extremes",
        type,
        on ->
            isReal(type)
                ? on.kernel(
                    (Item it, I64 to, Reals x) -> {
                      long least = it.global();
                      long most = least;
                      long leastKey = key(x.get(least));
                      long mostKey = leastKey;
                      for (long i = least + it.globalSize(); i < x.length(); i += it.globalSize()) {
                        long key = key(x.get(i));
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
                    (Item it, I64 to, Integers x) -> {
                      long least = it.global();
                      long most = least;
                      long leastKey = x.get(least);
                      long mostKey = leastKey;
                      for (long i = least + it.globalSize(); i < x.length(); i += it.globalSize()) {
                        long key = x.get(i);
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
                    }));
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
  JavaKernel tiles(DType type, Object operator, Number neutral) {
    return kept(
        "tiles",
        type,
        on ->
            operator instanceof RealArray.Binary op
                ? tiles(on, op, neutral.doubleValue())
                : tilesOfIntegers(on, (IntegerArray.Binary) operator, neutral.longValue()),
        operator,
        neutral);
  }

  private static JavaKernel tiles(JavaKernels on, RealArray.Binary op, double neutral) {
    return on.kernel(
        (Item it, F64 totals, Reals x) -> {
          double[] sums = it.sharedDoubles(BLOCK);
          sums(it, x, sums, op, neutral);
          if (it.local() == BLOCK - 1) {
            totals.set(it.block(), sums[BLOCK - 1]);
          }
        });
  }

  private static JavaKernel tilesOfIntegers(JavaKernels on, IntegerArray.Binary op, long neutral) {
    return on.kernel(
        (Item it, I64 totals, Integers x) -> {
          long[] sums = it.sharedLongs(BLOCK);
          sums(it, x, sums, op, neutral);
          if (it.local() == BLOCK - 1) {
            totals.set(it.block(), sums[BLOCK - 1]);
          }
        });
  }

  /** Scans each tile, from what comes before it. */
  JavaKernel scan(DType type, Object operator, Number neutral, boolean before, boolean inPlace) {
    return kept(
        "scan" + before + inPlace,
        type,
        on ->
            operator instanceof RealArray.Binary op
                ? scan(on, op, neutral.doubleValue(), before, inPlace)
                : scanIntegers(
                    on, (IntegerArray.Binary) operator, neutral.longValue(), before, inPlace),
        operator,
        neutral);
  }

  private static JavaKernel scan(
      JavaKernels on, RealArray.Binary op, double neutral, boolean before, boolean inPlace) {
    return inPlace
        ? on.kernel((Item it, Reals z, F64 carries) -> scan(it, z, z, carries, op, neutral, before))
        : on.kernel(
            (Item it, Reals z, F64 carries, Reals x) ->
                scan(it, z, x, carries, op, neutral, before));
  }

  private static JavaKernel scanIntegers(
      JavaKernels on, IntegerArray.Binary op, long neutral, boolean before, boolean inPlace) {
    return inPlace
        ? on.kernel(
            (Item it, Integers z, I64 carries) -> scan(it, z, z, carries, op, neutral, before))
        : on.kernel(
            (Item it, Integers z, I64 carries, Integers x) ->
                scan(it, z, x, carries, op, neutral, before));
  }

  private static void scan(
      Item it, Reals z, Reals x, F64 carries, RealArray.Binary op, double neutral, boolean before) {
    double[] sums = it.sharedDoubles(BLOCK);
    sums(it, x, sums, op, neutral);
    double all = carries.get(it.block());
    if (it.local() > 0) {
      all = op.applyAsDouble(all, sums[it.local() - 1]);
    }
    long end = Math.min(x.length(), (it.global() + 1) * EACH);
    for (long i = it.global() * EACH; i < end; i++) {
      double next = op.applyAsDouble(all, x.get(i));
      z.set(i, before ? all : next);
      all = next;
    }
  }

  private static void scan(
      Item it,
      Integers z,
      Integers x,
      I64 carries,
      IntegerArray.Binary op,
      long neutral,
      boolean before) {
    long[] sums = it.sharedLongs(BLOCK);
    sums(it, x, sums, op, neutral);
    long all = carries.get(it.block());
    if (it.local() > 0) {
      all = op.applyAsLong(all, sums[it.local() - 1]);
    }
    long end = Math.min(x.length(), (it.global() + 1) * EACH);
    for (long i = it.global() * EACH; i < end; i++) {
      long next = op.applyAsLong(all, x.get(i));
      z.set(i, before ? all : next);
      all = next;
    }
  }

  /** Sets each item's sum to that of its elements and of those of the items before it. */
  private static void sums(Item it, Reals x, double[] sums, RealArray.Binary op, double neutral) {
    int own = it.local();
    double sum = neutral;
    long end = Math.min(x.length(), (it.global() + 1) * EACH);
    for (long i = it.global() * EACH; i < end; i++) {
      sum = op.applyAsDouble(sum, x.get(i));
    }
    sums[own] = sum;
    it.barrier();
    for (int step = 1; step < BLOCK; step *= 2) {
      double left = neutral;
      if (own >= step) {
        left = sums[own - step];
      }
      it.barrier();
      sums[own] = op.applyAsDouble(left, sums[own]);
      it.barrier();
    }
  }

  private static void sums(Item it, Integers x, long[] sums, IntegerArray.Binary op, long neutral) {
    int own = it.local();
    long sum = neutral;
    long end = Math.min(x.length(), (it.global() + 1) * EACH);
    for (long i = it.global() * EACH; i < end; i++) {
      sum = op.applyAsLong(sum, x.get(i));
    }
    sums[own] = sum;
    it.barrier();
    for (int step = 1; step < BLOCK; step *= 2) {
      long left = neutral;
      if (own >= step) {
        left = sums[own - step];
      }
      it.barrier();
      sums[own] = op.applyAsLong(left, sums[own]);
      it.barrier();
    }
  }

  @Override
  public void close() {
    made.values().forEach(JavaKernel::close);
    made.clear();
  }
}
