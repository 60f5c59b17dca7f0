package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Algorithms on arrays in a device's memory: {@linkplain DeviceKernels kernels} on each rank, and
 * the same words among ranks as on the host.
 *
 * <p>Arrays of one operation are on one device, of one type and divided alike. Where elements lie
 * is compiled into the kernels. Results depend on numbers of elements and nothing else.
 */
final class OnDevice {
  /** Elements that are combined by an item of a kernel, before there are more items. */
  private static final long EACH = 16;

  /** Items that keep a large device busy. */
  private static final long MOST_ITEMS = 1 << 18;

  /** As many, where each has several results. */
  private static final long MOST_RESULTS = 1 << 15;

  /** Results that the host combines. */
  private static final long FEW = 1024;

  private static final long[] NOTHING = {};

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
      if (!first.isAlignedWith(other) && !first.held().hasBlocksOf(other.held())) {
        throw new IllegalArgumentException(
            "%s of %s and %s on %s; give arrays that are divided alike"
                .formatted(operation, first, other, first.client().device().name()));
      }
    }
  }

  private static DeviceKernels kernels(Array array) {
    return array.team().kernels(array.client());
  }

  /** Runs a kernel with an item for each of this rank's elements. */
  private static void launch(JavaKernel kernel, Array array, Object... arguments) {
    if (array.part().count() > 0) {
      kernel.launch(array.part().count(), arguments);
    }
  }

  // --- Each element ---------------------------------------------------------------------------

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
  private static long first(Array array) {
    return array.part().count() == 0 ? 0 : array.elementAt(0);
  }

  /** Returns the numbers of a rank's elements from the first one's on. */
  private static Places numbers(String name, Array array) {
    Places numbers = array.held().numbers();
    if (numbers == null) {
      throw array.notOnDevice(name + " by the numbers of elements in " + array);
    }
    return numbers;
  }

  private static Places places(Array array) {
    return array.held().places();
  }

  /** Returns where elements lie, in the order in which another array has them. */
  private static Places places(Array array, Array as) {
    return array.held().places(array, as);
  }

  /** Returns whether two arrays, or views of one, are in one piece of memory. */
  private static boolean isOneMemory(Array a, Array b) {
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

  /** Copies elements; at least one of the arrays is on a device. */
  static Operation<Array> copy(Array in, Array out) {
    return Operation.collective(
            out.team(),
            "copy",
            run -> {
              if (in.isAlignedWith(out)) {
                copyOwn(run, in, out);
              } else if (isEverywhere(run, isOnOneDevice(in, out))) {
                run.exchange(
                    out.client(), exchanger -> Movement.move(exchanger, in.held(), out.held()));
              } else {
                View from = in.isOnDevice() ? download(run, in) : in.view();
                View to =
                    out.isOnDevice()
                        ? View.temporary(run, out.type(), out.distribution())
                        : out.view();
                run.move(from, to);
                if (out.isOnDevice()) {
                  out.held().write(to.memory());
                }
              }
              long[][] _ = run.gatherLast();
              return out;
            })
        .about(in, out)
        .anywhere();
  }

  private static boolean isOnOneDevice(Array in, Array out) {
    return in.isOnDevice() && in.client().device() == out.client().device();
  }

  private static boolean isEverywhere(Run run, boolean here) {
    boolean all = true;
    for (long[] each : run.gather(here ? 1 : 0)) {
      all &= each[0] == 1;
    }
    return all;
  }

  private static void copyOwn(Run run, Array in, Array out) {
    if (out.part().count() == 0 || in == out) {
      return;
    }
    if (isOnOneDevice(in, out)) {
      try (Buffer elements = in.held().packed()) {
        out.held().put(elements);
      }
    } else if (!in.isOnDevice() && in.part().isDense()) {
      out.held().write(in.view().memory());
    } else if (!out.isOnDevice() && out.part().isDense()) {
      in.held().read(out.view().memory());
    } else {
      MemorySegment elements = run.allocate(in.owned().bytes());
      in.copyTo(elements);
      out.copyFrom(elements);
    }
  }

  /** Returns a copy of this rank's elements in the host's memory. */
  private static View download(Run run, Array array) {
    View copy = View.temporary(run, array.type(), array.distribution());
    array.held().read(copy.memory());
    return copy;
  }

  // --- All into one ---------------------------------------------------------------------------

  /** Combines all elements, functions of them, or of pairs of them. */
  static Operation<long[]> reduce(
      String name,
      Array array,
      @Nullable Array other,
      @Nullable Object f,
      Combination combination) {
    if (other == null) {
      require(name, array);
    } else {
      require(name, array, other);
    }
    if (!combination.commutative()) {
      throw array.notOnDevice(name + " with " + combination + " of " + array);
    }
    Folding folding = new Folding(combination, words(array.type()), null, null);
    Operation<long[]> made =
        Operation.collective(
            array.team(),
            name,
            run -> {
              long[] own = ofRank(array, other, f, combination.function());
              long[] all = folding.ofRanks(run, run.gatherLast(own), run.ranks());
              return all.length == 0 ? combination.identity(Elements.of(array.type())) : all;
            });
    return (other == null ? made.about(array, combination) : made.about(array, other, combination))
        .anywhere();
  }

  private static Elements words(DType type) {
    return Elements.of(type.kind() == DType.Kind.FLOAT ? DType.F64 : DType.I64);
  }

  /** Returns the word of this rank's elements, or none if it has none. */
  private static long[] ofRank(Array array, @Nullable Array other, @Nullable Object f, Object op) {
    long count = array.part().count();
    if (count == 0) {
      return NOTHING;
    }
    ComputeClient client = array.client();
    DeviceKernels made = kernels(array);
    DType type = array.type();
    Elements words = words(type);
    RealArray.Unary real = OnDevice::same;
    IntegerArray.Unary integer = OnDevice::same;
    Object same = words.isFloating() ? real : integer;
    long items = Math.clamp(count / EACH, 1, MOST_ITEMS);
    Buffer results = client.empty("results of a reduction", 8 * items);
    try {
      if (other == null) {
        Object of = f == null ? same : f;
        made.fold(type, of, op, places(array)).launch(items, results, array.buffer(), count);
      } else {
        JavaKernel kernel =
            made.foldPairs(
                type, Objects.requireNonNull(f), op, places(array), places(other, array));
        kernel.launch(items, results, array.buffer(), other.buffer(), count);
      }
      if (items > FEW) {
        Buffer fewer = client.empty("results of a reduction", 8 * FEW);
        made.fold(words.type, same, op, Places.DENSE).launch(FEW, fewer, results, items);
        results.close();
        results = fewer;
      }
      return new long[] {combined(client.read(results), op)};
    } finally {
      results.close();
    }
  }

  private static double same(double x) {
    return x;
  }

  private static long same(long x) {
    return x;
  }

  /** Combines doubles, or longs, of the host. */
  private static long combined(MemorySegment results, Object operator) {
    if (operator instanceof RealArray.Binary op) {
      double all = results.get(JAVA_DOUBLE, 0);
      for (long i = 1; i < results.byteSize() / 8; i++) {
        all = op.applyAsDouble(all, results.getAtIndex(JAVA_DOUBLE, i));
      }
      return Double.doubleToRawLongBits(all);
    }
    IntegerArray.Binary op = (IntegerArray.Binary) operator;
    long all = results.get(JAVA_LONG, 0);
    for (long i = 1; i < results.byteSize() / 8; i++) {
      all = op.applyAsLong(all, results.getAtIndex(JAVA_LONG, i));
    }
    return all;
  }

  /** Finds the extremes; see {@link Reduce#minMax}. */
  static Operation<long[]> minMax(Array array) {
    require("minMax", array);
    Places numbers = numbers("minMax", array);
    return Operation.collective(
            array.team(),
            "minMax",
            run -> {
              long[] all = NOTHING;
              for (long[] each : run.gatherLast(extremes(array, numbers))) {
                all = all.length == 0 ? each : extreme(all, each);
              }
              Reduce.requireElements(all.length > 0, "minMax");
              if (array.type().kind() == DType.Kind.FLOAT) {
                all[0] = DeviceKernels.bits(all[0]);
                all[2] = DeviceKernels.bits(all[2]);
              }
              return all;
            })
        .about(array)
        .anywhere();
  }

  private static long[] extremes(Array array, Places numbers) {
    long count = array.part().count();
    if (count == 0) {
      return NOTHING;
    }
    long items = Math.clamp(count / EACH, 1, MOST_RESULTS);
    try (Buffer results = array.client().empty("results of minMax", 32 * items)) {
      JavaKernel kernel = kernels(array).extremes(array.type(), places(array));
      kernel.launch(items, results, array.buffer(), count);
      MemorySegment read = array.client().read(results);
      long first = first(array);
      long[] all = NOTHING;
      for (long item = 0; item < items; item++) {
        long[] each = read.asSlice(32 * item, 32).toArray(JAVA_LONG);
        each[1] = first + numbers.of(each[1]);
        each[3] = first + numbers.of(each[3]);
        all = all.length == 0 ? each : extreme(all, each);
      }
      return all;
    }
  }

  /** Returns the extremes of two; of equal ones, the first. */
  private static long[] extreme(long[] a, long[] b) {
    if (b.length == 0) {
      return a;
    }
    boolean less = b[0] < a[0] || (b[0] == a[0] && b[1] < a[1]);
    boolean more = b[2] > a[2] || (b[2] == a[2] && b[3] < a[3]);
    return new long[] {
      less ? b[0] : a[0], less ? b[1] : a[1], more ? b[2] : a[2], more ? b[3] : a[3]
    };
  }

  // --- Running --------------------------------------------------------------------------------

  /** Scans; see {@link Scan#of}. */
  static Operation<Array> scan(Array in, Array out, Combination combination, long... initial) {
    String name = initial.length > 0 ? "exclusiveScan" : "inclusiveScan";
    require(name, out, in);
    Array.requireApart(in, out);
    if (!combination.commutative()) {
      throw out.notOnDevice(name + " with " + combination + " of " + out);
    }
    if (!in.isInOrder() || !out.isInOrder()) {
      Array other = in.isInOrder() ? out : in;
      throw out.notOnDevice(name + " of " + other + ", which is not in order");
    }
    Elements words = words(out.type());
    long[] identity = combination.identity(Elements.of(out.type()));
    // Nothing, added to any number, leaves it as it is: 0.0 and -0.0 give 0.0.
    Number neutral =
        !words.isFloating()
            ? (Number) identity[0]
            : combination.named() == ReduceOp.Builtin.SUM
                ? (Number) (-0.0)
                : (Number) Double.longBitsToDouble(identity[0]);
    Folding folding = new Folding(combination, words, null, null);
    return Operation.collective(
            out.team(),
            name,
            run -> {
              long[] totals = totals(in, combination, neutral);
              long[] own = folding.ofRanks(run, rows(totals), totals.length).clone();
              long[][] all = run.gather(own);
              long[] before = folding.ofRanks(run, all, run.rank());
              if (initial.length > 0) {
                before =
                    before.length == 0
                        ? initial
                        : folding.ofRanks(run, new long[][] {initial, before}, 2);
              }
              if (before.length == 0) {
                before = new long[] {bits(neutral)};
              }
              carry(totals, before[0], combination.function());
              tiles(in, out, combination, neutral, initial.length > 0, totals);
              long[][] _ = run.gatherLast();
              return out;
            })
        .about(in, out, combination, initial.length)
        .anywhere();
  }

  private static long bits(Number number) {
    return number instanceof Double value ? Double.doubleToRawLongBits(value) : number.longValue();
  }

  private static long[][] rows(long[] words) {
    long[][] rows = new long[words.length][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = new long[] {words[i]};
    }
    return rows;
  }

  /** Returns what the elements of each tile are combined into. */
  private static long[] totals(Array in, Combination combination, Number neutral) {
    int tiles = Math.toIntExact((in.part().count() + DeviceScans.TILE - 1) / DeviceScans.TILE);
    if (tiles == 0) {
      return NOTHING;
    }
    try (Buffer results = in.client().empty("totals of a scan", 8L * tiles)) {
      kernels(in)
          .tiles(in.type(), combination.function(), neutral, places(in))
          .launch((long) tiles * DeviceKernels.BLOCK, results, in.buffer(), in.part().count());
      return in.client().read(results).toArray(JAVA_LONG);
    }
  }

  /** Replaces each word by the combination of those before it. */
  private static void carry(long[] words, long first, Object operator) {
    long carry = first;
    for (int i = 0; i < words.length; i++) {
      long own = words[i];
      words[i] = carry;
      carry =
          operator instanceof RealArray.Binary op
              ? Double.doubleToRawLongBits(
                  op.applyAsDouble(Double.longBitsToDouble(carry), Double.longBitsToDouble(own)))
              : ((IntegerArray.Binary) operator).applyAsLong(carry, own);
    }
  }

  private static void tiles(
      Array in,
      Array out,
      Combination combination,
      Number neutral,
      boolean before,
      long[] carries) {
    if (carries.length == 0) {
      return;
    }
    boolean inPlace = isOneMemory(in, out);
    JavaKernel kernel =
        kernels(out)
            .scan(
                out.type(),
                combination.function(),
                neutral,
                before,
                places(out),
                places(in, out),
                inPlace);
    long count = out.part().count();
    long items = (long) carries.length * DeviceKernels.BLOCK;
    try (Buffer starts = out.client().create(MemorySegment.ofArray(carries))) {
      if (inPlace) {
        kernel.launch(items, out.buffer(), starts, count);
      } else {
        kernel.launch(items, out.buffer(), starts, in.buffer(), count);
      }
    }
  }
}
