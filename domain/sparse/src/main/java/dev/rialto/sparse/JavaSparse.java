package dev.rialto.sparse;

import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.SparseKernels;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sparse matrices and vectors on a device by kernels in Java, for devices whose backend has none of
 * its own, and for what those lack. All work goes to one stream; used by one thread at a time.
 */
final class JavaSparse implements SparseKernels, AutoCloseable {
  /** Items that leave a sum each: enough to keep a large device busy. */
  private static final long MOST_ITEMS = 1 << 15;

  /** Elements of a sum that an item has at least, if there are more items than a block. */
  private static final long EACH = 16;

  private final ComputeClient client;
  private final Stream stream;
  private final Map<List<Object>, JavaKernel> kernels = new HashMap<>();
  private final Buffer partial;

  private JavaSparse(ComputeClient client) {
    this.client = client;
    this.stream = client.stream().timeline();
    this.partial = client.empty("sums of items", Double.BYTES * MOST_ITEMS);
  }

  /** Returns whether Java is compiled for a device. */
  static boolean isFor(Device device) {
    return JitBackend.targets().values().stream()
        .flatMap(target -> target.devices().stream())
        .anyMatch(each -> each.name().equals(device.name()));
  }

  /** Makes kernels whose work goes to the stream that a client is bound to. */
  static JavaSparse on(ComputeClient client) {
    return new JavaSparse(client);
  }

  ComputeClient client() {
    return client;
  }

  Buffer partial() {
    return partial;
  }

  /** Returns a kernel, compiled when it is first asked for. */
  JavaKernel kernel(DType type, Supplier<KernelBody> body, Object... key) {
    return kernels.computeIfAbsent(
        List.of(type, List.of(key)),
        _ ->
            JavaKernels.on(client)
                .withElements(type)
                .withBlockSize(SparseBodies.BLOCK)
                .compile(body.get()));
  }

  void require(Stream given) {
    if (!given.equals(stream)) {
      throw new IllegalArgumentException(
          "kernels of one stream are launched on another; make others for that");
    }
  }

  /** Uses memory as a buffer for a launch; what is used in the order of a stream needs no more. */
  Buffer at(MemorySegment memory, long bytes) {
    return client.wrap(memory, bytes, () -> {});
  }

  private Buffer vector(MemorySegment memory, DType type, long n) {
    return at(memory, type.bytes(n));
  }

  /** Returns how many items sum up. */
  static long items(long n) {
    return Math.clamp(n / EACH, SparseBodies.BLOCK, MOST_ITEMS);
  }

  /** Adds up what items have left. */
  void finish(long items, boolean largest, boolean add, MemorySegment out) {
    try (Buffer sum = at(out, Double.BYTES)) {
      kernel(DType.F64, () -> SparseBodies.finish(largest, add), "finish", largest, add)
          .launch(SparseBodies.BLOCK, sum, partial, items);
    }
  }

  @Override
  public Rows rows(
      DType type,
      Storage storage,
      MemorySegment starts,
      MemorySegment columns,
      MemorySegment values,
      int @Nullable [] numbers) {
    return JavaRows.of(this, type, storage, starts, columns, values, numbers);
  }

  // --- Updates by factors
  // --------------------------------------------------------------------------

  /** Returns factors as kernels take them: places are counted from the first of the numbers. */
  private static long[] words(MemorySegment numbers, Factor... factors) {
    long[] words = new long[2 * factors.length];
    for (int i = 0; i < factors.length; i++) {
      Factor factor = factors[i];
      words[2 * i] = Double.doubleToRawLongBits(factor.value());
      words[2 * i + 1] =
          factor.isKnown() ? -1 : (factor.number().address() - numbers.address()) / Double.BYTES;
    }
    return words;
  }

  /** Returns the numbers that factors are some of, or any memory if all are known. */
  private Buffer numbers(MemorySegment numbers, long[] words) {
    if (numbers.address() == 0) {
      return partial.slice(0, Double.BYTES);
    }
    long last = FREE;
    for (int i = 1; i < words.length; i += 2) {
      last = Math.max(last, words[i] + 1);
    }
    return at(numbers, Double.BYTES * last);
  }

  @Override
  public void combine(
      DType type,
      long n,
      Factor a,
      MemorySegment x,
      Factor b,
      MemorySegment y,
      Factor c,
      MemorySegment z,
      MemorySegment numbers,
      Stream on) {
    require(on);
    boolean ends = numbers.address() != 0;
    long[] words = words(numbers, a, b, c);
    try (Buffer to = vector(z, type, n);
        Buffer first = vector(x, type, n);
        Buffer second = vector(y, type, n);
        Buffer all = numbers(numbers, words)) {
      kernel(type, () -> SparseBodies.combine(ends), "combine", ends)
          .launch(n, to, first, second, all, words);
    }
  }

  @Override
  public void subtractDot(
      DType type,
      long n,
      Factor a,
      MemorySegment q,
      MemorySegment r,
      MemorySegment out,
      MemorySegment numbers,
      Stream on) {
    Factor negative = new Factor(-a.value(), a.number());
    combine(type, n, negative, q, Factor.of(0), q, Factor.of(1), r, numbers, on);
    reduce(Sum.DOT, type, n, r, r, 1, out, on);
  }

  @Override
  public void nextDirection(
      DType type,
      long n,
      Factor a,
      MemorySegment x,
      MemorySegment z,
      Factor b,
      MemorySegment p,
      MemorySegment numbers,
      Stream on) {
    require(on);
    boolean ends = numbers.address() != 0;
    long[] words = words(numbers, a, b);
    try (Buffer solution = vector(x, type, n);
        Buffer direction = vector(p, type, n);
        Buffer residual = vector(z, type, n);
        Buffer all = numbers(numbers, words)) {
      kernel(type, () -> SparseBodies.direction(ends), "direction", ends)
          .launch(n, solution, direction, residual, all, words);
    }
  }

  @Override
  public void pipelinedStep(
      DType type,
      long n,
      Factor a,
      Factor b,
      MemorySegment z,
      MemorySegment w,
      MemorySegment p,
      MemorySegment s,
      MemorySegment x,
      MemorySegment r,
      MemorySegment out,
      MemorySegment numbers,
      Stream on) {
    require(on);
    boolean ends = numbers.address() != 0;
    boolean same = z.address() == r.address();
    long[] words = words(numbers, a, b);
    try (Buffer direction = vector(p, type, n);
        Buffer image = vector(s, type, n);
        Buffer solution = vector(x, type, n);
        Buffer residual = vector(r, type, n);
        Buffer product = vector(w, type, n);
        Buffer other = vector(z, type, n);
        Buffer all = numbers(numbers, words)) {
      JavaKernel kernel = kernel(type, () -> SparseBodies.step(ends, same), "step", ends, same);
      if (same) {
        kernel.launch(n, direction, image, solution, residual, product, all, words);
      } else {
        kernel.launch(n, direction, image, solution, residual, product, other, all, words);
      }
    }
    reduce(Sum.DOT, type, n, r, r, 1, out, on);
  }

  // --- Vectors and numbers
  // -------------------------------------------------------------------------

  @Override
  public void fill(DType type, long n, double value, MemorySegment x, Stream on) {
    require(on);
    try (Buffer to = vector(x, type, n)) {
      kernel(type, SparseBodies::fill, "fill").launch(n, to, value);
    }
  }

  @Override
  public void multiply(
      DType type, long n, MemorySegment d, MemorySegment x, MemorySegment z, Stream on) {
    require(on);
    try (Buffer to = vector(z, type, n);
        Buffer first = vector(d, type, n);
        Buffer second = vector(x, type, n)) {
      kernel(type, SparseBodies::multiply, "multiply").launch(n, to, first, second);
    }
  }

  @Override
  public void reduce(
      Sum sum,
      DType type,
      long n,
      MemorySegment x,
      MemorySegment y,
      int stride,
      MemorySegment out,
      Stream on) {
    require(on);
    long items = items(n);
    long span = n == 0 ? 0 : (n - 1) * stride + 1;
    try (Buffer first = vector(x, type, span);
        Buffer second = vector(y, type, span)) {
      kernel(type, () -> SparseBodies.reduce(sum), "reduce", sum)
          .launch(items, partial, first, second, n, (long) stride);
    }
    finish(items, sum == Sum.LARGEST, false, out);
  }

  /** Returns what the kernel calls it. */
  private static long number(Operation operation) {
    return switch (operation) {
      case COPY -> 0;
      case SUBTRACT -> 1;
      case MULTIPLY -> 2;
      case DIVIDE -> 3;
      case ROOT -> 4;
      case APPEND -> 5;
      case END_IF_EQUAL -> 6;
      case END_IF_LESS -> 7;
      case END_IF_AT_MOST -> 8;
      case END_UNLESS_FINITE -> 9;
    };
  }

  @Override
  public void compute(MemorySegment numbers, List<Step> steps, Stream on) {
    require(on);
    long[] words = new long[SparseBodies.STEP * steps.size()];
    int last = FREE;
    int next = 0;
    for (Step step : steps) {
      words[next++] = number(step.operation());
      words[next++] = step.to();
      words[next++] = step.left();
      words[next++] = step.right();
      last = Math.max(last, 1 + Math.max(step.to(), Math.max(step.left(), step.right())));
    }
    try (Buffer all = at(numbers, (long) Double.BYTES * last)) {
      kernel(DType.F64, SparseBodies::compute, "compute").launch(1, all, words);
    }
  }

  @Override
  public void close() {
    partial.close();
    kernels.values().forEach(JavaKernel::close);
    kernels.clear();
  }
}
