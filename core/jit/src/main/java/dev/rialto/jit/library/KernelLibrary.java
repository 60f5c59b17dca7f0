package dev.rialto.jit.library;

import dev.rialto.jit.kernel.Checks;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.Tunable;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.system.files.TuningCache;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Kernels that many programs need, on a client's device.
 *
 * {@snippet :
 * try (KernelLibrary library = KernelLibrary.on(client)) {
 *   library.product(c, a, b);
 *   library.product(c, a, KernelLibrary.transposed(b));
 * }
 * }
 *
 * <p>Each is written in Java once for all devices, and has the same bits on all of them and for any
 * strides, unless it says otherwise. Where there are several ways to compute something, the fastest
 * is found by a {@link Tunable} when a size is first used. Calls return at once, as launches do.
 * Thread-safe; owned by the caller.
 */
public final class KernelLibrary implements AutoCloseable {
  private static final int MOST_BYTES = 8;
  private static final int BLOCK = 256;

  private final JavaKernels settings;
  private final TuningCache cache;
  private final KeyAlgorithms algorithms;
  private final Map<List<Object>, Tunable> tunables = new ConcurrentHashMap<>();
  private final Map<List<Object>, JavaKernel> kernels = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** Makes a library that remembers what is fastest in a cache. */
  KernelLibrary(JavaKernels settings, TuningCache cache) {
    this.settings = settings;
    this.cache = cache;
    this.algorithms =
        new KeyAlgorithms(
            settings.client(), (key, body) -> kernel(key, on -> on.compile(body.get())));
  }

  /** Makes a library for a client's device. */
  public static KernelLibrary on(ComputeClient client) {
    return on(JavaKernels.on(client));
  }

  /** Makes a library whose kernels are compiled with settings; sizes of blocks are its own. */
  public static KernelLibrary on(JavaKernels settings) {
    return new KernelLibrary(settings.withChecks(Checks.NONE), TuningCache.standard());
  }

  /** Returns a matrix, or a batch of them, with its last two axes exchanged, in the same memory. */
  public static Tensor transposed(Tensor tensor) {
    Shape shape = tensor.shape();
    int last = shape.rank() - 1;
    if (last < 1) {
      throw new IllegalArgumentException(
          "the transpose of a tensor of shape " + shape + "; give one of at least 2 axes");
    }
    long[] places = Strides.of(tensor, shape.rank());
    long[] strides = Arrays.copyOfRange(places, 1, places.length);
    long[] extents = shape.extents();
    exchange(strides, last);
    exchange(extents, last);
    Shape exchanged = Shape.of(extents);
    return new Tensor(
        tensor.buffer(),
        exchanged,
        Layout.strided(tensor.layout().type(), exchanged, strides, places[0]));
  }

  private static void exchange(long[] axes, int last) {
    long kept = axes[last];
    axes[last] = axes[last - 1];
    axes[last - 1] = kept;
  }

  /**
   * Sets {@code c = a b}, for matrices or for each of a batch of them. Elements are F64, F32, F16
   * or BF16; those of 16 bits are summed up in 32 and rounded at the end. Sums are in order and by
   * fused steps, so that all devices give the same bits; but 16-bit elements are summed up in the
   * order of a device that {@linkplain JavaKernels#multipliesTiles multiplies tiles}.
   *
   * @param c rows by columns; with three axes, the first is the batch
   * @param a rows by summed elements; without a batch, it is used for each of c
   * @param b summed elements by columns, in the same way
   */
  public void product(Tensor c, Tensor a, Tensor b) {
    DType type = TensorRules.floating("product", c, a, b);
    TensorRules.written("product", c);
    TensorRules.axes("product", c, 2, 3);
    long batch = batches(c);
    long rows = extent(c, 2);
    long columns = extent(c, 1);
    long summed = extent(a, 1);
    for (Tensor each : List.of(a, b)) {
      TensorRules.axes("product", each, 2, 3);
      TensorRules.require(
          batches(each) == batch || each.shape().rank() == 2,
          () ->
              "a product of batches: %s of %s; give as many matrices, or one for all"
                  .formatted(c.shape(), each.shape()));
    }
    TensorRules.require(
        extent(a, 2) == rows && extent(b, 1) == columns && extent(b, 2) == summed,
        () ->
            "a product of shape %s of shapes %s and %s; give rows by sums and sums by columns"
                .formatted(c.shape(), a.shape(), b.shape()));
    long[] numbers =
        Strides.join(
            new long[] {rows, columns, summed},
            Strides.of(c, 3),
            Strides.of(a, 3),
            Strides.of(b, 3));
    if (DeviceProducts.run(settings.client(), type, batch, numbers, c, a, b)) {
      return;
    }
    boolean tiles = settings.multipliesTiles() && HalfProductKernels.fits(type, numbers);
    tunable(
            List.of("product", type, tiles),
            on -> tiles ? HalfProductKernels.of(on, type) : ProductKernels.of(on, type))
        .launch(Shape.of(batch, rows, columns), c.buffer(), a.buffer(), b.buffer(), numbers);
  }

  /**
   * Sets {@code to} to the transpose of a matrix, or of each of a batch of them. Elements are of
   * any type of up to 8 bytes.
   */
  public void transpose(Tensor to, Tensor from) {
    DType type = TensorRules.alike("transpose", to, from);
    TensorRules.written("transpose", to);
    TensorRules.axes("transpose", to, 2, 3);
    TensorRules.axes("transpose", from, 2, 3);
    long rows = extent(from, 2);
    long columns = extent(from, 1);
    TensorRules.require(
        type.size() <= MOST_BYTES
            && batches(to) == batches(from)
            && extent(to, 2) == columns
            && extent(to, 1) == rows,
        () ->
            "a transpose of shape %s of shape %s, %s; exchange the last two extents, of elements of up to 8 bytes"
                .formatted(to.shape(), from.shape(), type));
    long[] numbers =
        Strides.join(new long[] {rows, columns}, Strides.of(to, 3), Strides.of(from, 3));
    tunable(List.of("transpose", type.size()), on -> TransposeKernels.of(on, type.size()))
        .launch(Shape.of(batches(from), rows, columns), to.buffer(), from.buffer(), numbers);
  }

  /**
   * Convolves signals or images, as neural networks do: {@code to[b, o, y, x]} is the sum over c,
   * r, s of {@code from[b, c, y * stride + r - padding, x * stride + s - padding] * weights[o, c,
   * r, s]}, where places outside are 0. Elements are F64, F32, F16 or BF16, and summed up as in
   * {@link #product}.
   *
   * @param to batches, channels and one or two further axes
   * @param from batches, channels and as many axes
   * @param weights channels of the result, channels, and as many axes
   * @param stride by how many elements places of the result are apart in {@code from}, from 1
   * @param padding how many zeros surround {@code from} on either side
   */
  public void convolve(Tensor to, Tensor from, Tensor weights, int stride, int padding) {
    DType type = TensorRules.floating("convolution", to, from, weights);
    long[] numbers = ConvolutionKernels.numbers(to, from, weights, stride, padding);
    tunable(List.of("convolution", type), on -> ConvolutionKernels.of(on, type))
        .launch(ConvolutionKernels.size(to), to.buffer(), from.buffer(), weights.buffer(), numbers);
  }

  /**
   * Combines the elements of each segment of an array: {@code to[i]} is what the elements from
   * {@code starts[i]} to before {@code starts[i + 1]} are combined to, in double precision or as
   * longs. A segment without elements gives what changes no other number, such as 0 for a sum.
   *
   * @param to one element per segment: F64, F32, I64, I32 or I8, without gaps
   * @param from the elements, of the same type, without gaps
   * @param starts I64, one more than there are segments, in order; those outside of the elements
   *     count as its ends
   */
  public void reduceSegments(Tensor to, Tensor from, Tensor starts, Reduction op) {
    DType type = TensorRules.alike("reduction of segments", to, from);
    TensorRules.require(
        TensorRules.isNumber(type),
        () -> "a reduction of segments of %s; choose F64, F32, I64, I32 or I8".formatted(type));
    TensorRules.require(
        starts.layout().type() == DType.I64 && starts.shape().count() == to.shape().count() + 1,
        () ->
            "%s segments with %s starts of %s; give one I64 more than there are segments"
                .formatted(to.shape().count(), starts.shape().count(), starts.layout().type()));
    TensorRules.dense("reduction of segments", to, from, starts);
    tunable(List.of("segments", type, op), on -> SegmentKernels.of(on, type, op))
        .launch(Shape.of(to.shape().count()), elements(to), elements(from), elements(starts));
  }

  /**
   * Counts elements in intervals of one width; see {@link Intervals}. What is outside is not
   * counted.
   *
   * @param counts I64, one for each interval, without gaps
   * @param from real numbers, without gaps
   */
  public void histogram(Tensor counts, Tensor from, double low, double high) {
    DType type = from.layout().type();
    long intervals = counts.shape().count();
    TensorRules.require(
        type.kind() != DType.Kind.COMPLEX && counts.layout().type() == DType.I64,
        () ->
            "a histogram of %s in counts of %s; count real numbers in I64"
                .formatted(type, counts.layout().type()));
    TensorRules.require(
        intervals > 0
            && intervals <= Integer.MAX_VALUE
            && low < high
            && high - low < Double.POSITIVE_INFINITY,
        () ->
            "a histogram of %d intervals from %s to %s; give from 1 to 2147483647 of a finite width"
                .formatted(intervals, low, high));
    TensorRules.dense("histogram", counts, from);
    Tunable counting =
        tunable(
            List.of("histogram", type, intervals),
            on -> HistogramKernels.of(on, type, (int) intervals));
    Shape size = Shape.of(from.shape().count(), intervals);
    // In a launch, where a fill would copy them from the host.
    JavaKernel zeros =
        kernel(List.of("zeros"), on -> on.kernel((Item it, I64 z) -> z.set(it.global(), 0L)));
    // A launch that is refused leaves the counts as they were.
    try (JavaKernel.Prepared launch =
        counting.prepare(size, elements(counts), elements(from), low, high)) {
      zeros.launch(intervals, elements(counts));
      launch.run();
    }
  }

  /**
   * Sorts elements in place, the least first and NaN last, by their digits.
   *
   * @param keys F64, F32, I64 or I32, without gaps
   */
  public void sort(Tensor keys) {
    requireKeys(keys);
    if (keys.shape().count() > 1) {
      algorithms.sort(elements(keys), keys.layout().type(), keys.shape().count(), null, 0);
    }
  }

  /**
   * Sorts elements as {@link #sort(Tensor)} does and moves values with them; values of equal keys
   * stay in their order.
   *
   * @param values as many, of 8 or 4 bytes, without gaps
   */
  public void sort(Tensor keys, Tensor values) {
    requireKeys(keys);
    int bytes = values.layout().type().size();
    TensorRules.require(
        values.shape().count() == keys.shape().count() && (bytes == 8 || bytes == 4),
        () ->
            "a sort of %s keys with %s values of %s; give as many, of 4 or 8 bytes"
                .formatted(keys.shape(), values.shape(), values.layout().type()));
    TensorRules.dense("sort", values);
    if (keys.shape().count() > 1) {
      algorithms.sort(
          elements(keys), keys.layout().type(), keys.shape().count(), elements(values), bytes);
    }
  }

  private static void requireKeys(Tensor keys) {
    DType type = keys.layout().type();
    TensorRules.require(
        TensorRules.isNumber(type) && type.size() >= 4,
        () -> "a sort of %s; choose F64, F32, I64 or I32".formatted(keys.layout().type()));
    TensorRules.dense("sort", keys);
  }

  /**
   * Moves the elements that are marked to the front of another tensor, in their order.
   *
   * @param to of the type of {@code from} and no smaller, without gaps; what is behind stays
   * @param count one I64: how many were marked
   * @param from of up to 8 bytes an element, without gaps
   * @param marks I8, one for each element; those that are not 0 mark it
   */
  public void compact(Tensor to, Tensor count, Tensor from, Tensor marks) {
    DType type = TensorRules.alike("selection", to, from);
    long n = from.shape().count();
    TensorRules.require(
        type.size() <= MOST_BYTES
            && to.shape().count() >= n
            && marks.shape().count() == n
            && marks.layout().type() == DType.I8
            && count.layout().type() == DType.I64
            && count.shape().count() == 1,
        () ->
            "a selection from shape %s of %s to shape %s, with %s marks of %s and a count of %s; give as much room and as many marks of I8, one count of I64, and elements of up to 8 bytes"
                .formatted(
                    from.shape(),
                    type,
                    to.shape(),
                    marks.shape(),
                    marks.layout().type(),
                    count.layout().type()));
    TensorRules.dense("selection", to, from, marks, count);
    if (n == 0) {
      settings.client().fill(elements(count), MemorySegment.ofArray(new long[1]));
    } else {
      algorithms.compact(
          elements(to), elements(count), elements(from), elements(marks), type.size(), n);
    }
  }

  /** Returns the part of the buffer that a tensor without gaps has. */
  private static Buffer elements(Tensor tensor) {
    return tensor.buffer().slice(0, tensor.layout().span());
  }

  /**
   * Fills a tensor with random numbers in [0, 1): number i is that of {@link
   * dev.rialto.jit.kernel.Philox} for the seed and i.
   *
   * @param to F64 or F32, without gaps
   */
  public void uniform(Tensor to, long seed) {
    random("uniform", to, seed, RandomKernels::uniform);
  }

  /**
   * Fills a tensor with random numbers of mean 0 and variance 1, which depend on the seed and their
   * index. Their last bits are the device's, as those of {@code Math.log} are.
   *
   * @param to F64 or F32, without gaps
   */
  public void normal(Tensor to, long seed) {
    random("normal", to, seed, RandomKernels::normal);
  }

  /** Makes a kernel for a type. */
  private interface Maker {
    JavaKernel make(JavaKernels on, DType type);
  }

  private void random(String name, Tensor to, long seed, Maker maker) {
    DType type = to.layout().type();
    TensorRules.require(
        type == DType.F64 || type == DType.F32,
        () -> "random numbers of %s; choose F64 or F32".formatted(type));
    TensorRules.dense("random numbers", to);
    kernel(List.of(name, type), on -> maker.make(on, type))
        .launch(to.shape().count(), to.buffer(), seed);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException(
          "a kernel of a library that is closed; keep it open as long as it is used");
    }
  }

  private JavaKernel kernel(List<Object> key, Function<JavaKernels, JavaKernel> maker) {
    requireOpen();
    return kernels.computeIfAbsent(key, _ -> maker.apply(settings.withBlock(BLOCK)));
  }

  private Tunable tunable(List<Object> key, Function<JavaKernels, Tunable> maker) {
    requireOpen();
    return tunables.computeIfAbsent(key, _ -> maker.apply(settings).withCache(cache));
  }

  private static long batches(Tensor tensor) {
    return tensor.shape().rank() == 3 ? tensor.shape().extent(0) : 1;
  }

  /** Returns an extent, counted from the last axis, which is 1. */
  private static long extent(Tensor tensor, int fromLast) {
    return tensor.shape().extent(tensor.shape().rank() - fromLast);
  }

  /** Gives the code back, once the device has done all launches. */
  @Override
  public void close() {
    closed = true;
    tunables.values().forEach(Tunable::close);
    tunables.clear();
    kernels.values().forEach(JavaKernel::close);
    kernels.clear();
  }
}
