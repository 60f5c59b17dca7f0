package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.SparseKernels;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sparse matrices and vectors on a GPU.
 *
 * <p>Kernels that sum up leave a number per block, and one more block adds these: two launches, but
 * the order of additions is the same each time and no block waits for another. The memory for the
 * numbers of blocks comes from the driver's stream-ordered pool.
 */
final class CudaSparse implements SparseKernels {
  /** Blocks of kernels that sum up, per multiprocessor: all that it holds at once. */
  private static final int BLOCKS_EACH = 8;

  static final int BLOCK = LoadedKernel.BLOCK;

  /** The last place of a number that a step has room for. */
  private static final int PLACES = 0xffff;

  private final CudaDevice device;
  private final KernelText kernels;
  private final int summingBlocks;

  CudaSparse(CudaDevice device, CudaCompiler compiler, int multiprocessors) {
    this.device = device;
    this.kernels = new KernelText(compiler, CudaSparseText.SOURCE);
    this.summingBlocks = BLOCKS_EACH * multiprocessors;
  }

  CudaDevice device() {
    return device;
  }

  /** Returns what the names of kernels for a type end with. */
  static String suffix(DType type) {
    return switch (type) {
      case F64 -> "_f64";
      case F32 -> "_f32";
      default ->
          throw new UnsupportedOperationException(
              "sparse matrices of " + type + " on a GPU; choose F32 or F64, or solve on the host");
    };
  }

  private static int blocks(long items) {
    return LoadedKernel.blocks(items, BLOCK);
  }

  /**
   * Returns how many blocks sum up.
   *
   * @param waves how often over a multiprocessor is to be full, where blocks wait for one another
   */
  int summingBlocks(long items, int waves) {
    return Math.min(blocks(items), waves * summingBlocks);
  }

  /** Adds a launch to a stream, all of whose arguments have 8 bytes. */
  void add(String name, int blocks, Stream stream, long... arguments) {
    CudaStream.require(stream)
        .submit(CudaStream.label(stream), handle -> launch(name, blocks, handle, arguments));
  }

  private void launch(String name, int blocks, long stream, long... arguments) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment values = arena.allocateFrom(JAVA_LONG, arguments);
      MemorySegment[] each = new MemorySegment[arguments.length];
      for (int i = 0; i < each.length; i++) {
        each[i] = values.asSlice((long) i * Long.BYTES);
      }
      kernels.get(name).launch(blocks, BLOCK, stream, LayoutKernel.pointers(arena, each));
    }
  }

  /**
   * Adds a kernel that leaves a number per block, given where as its last argument, and the block
   * that adds these.
   *
   * @param mode how {@code rialto_finish} treats what is in {@code out}
   */
  void addSumming(String name, int blocks, int mode, long out, Stream stream, long... arguments) {
    CudaStream.require(stream)
        .submit(
            CudaStream.label(stream),
            handle -> {
              long partial = Driver.allocateAsync((long) blocks * Double.BYTES, handle);
              try {
                long[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
                all[arguments.length] = partial;
                launch(name, blocks, handle, all);
                launch("rialto_finish", 1, handle, partial, blocks, mode, out);
              } finally {
                Driver.freeAsync(partial, handle);
              }
            });
  }

  private static long bits(double value) {
    return Double.doubleToRawLongBits(value);
  }

  @Override
  public Rows rows(
      DType type,
      Storage storage,
      MemorySegment starts,
      MemorySegment columns,
      MemorySegment values,
      int @Nullable [] numbers) {
    return CudaRows.of(this, type, storage, starts, columns, values, numbers);
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
      Stream stream) {
    if (n > 0) {
      add(
          "rialto_combine" + suffix(type),
          blocks(n),
          stream,
          n,
          bits(a.value()),
          a.number().address(),
          x.address(),
          bits(b.value()),
          b.number().address(),
          y.address(),
          bits(c.value()),
          c.number().address(),
          z.address(),
          numbers.address());
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
      Stream stream) {
    addSumming(
        "rialto_subtract" + suffix(type),
        Math.max(1, summingBlocks(n, 1)),
        0,
        out.address(),
        stream,
        n,
        bits(a.value()),
        a.number().address(),
        q.address(),
        r.address(),
        numbers.address());
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
      Stream stream) {
    if (n > 0) {
      add(
          "rialto_direction" + suffix(type),
          blocks(n),
          stream,
          n,
          bits(a.value()),
          a.number().address(),
          x.address(),
          z.address(),
          bits(b.value()),
          b.number().address(),
          p.address(),
          numbers.address());
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
      Stream stream) {
    addSumming(
        "rialto_step" + suffix(type),
        Math.max(1, summingBlocks(n, 1)),
        0,
        out.address(),
        stream,
        n,
        bits(a.value()),
        a.number().address(),
        bits(b.value()),
        b.number().address(),
        z.address(),
        w.address(),
        p.address(),
        s.address(),
        x.address(),
        r.address(),
        numbers.address());
  }

  @Override
  public void fill(DType type, long n, double value, MemorySegment x, Stream stream) {
    if (n > 0) {
      add("rialto_fill" + suffix(type), blocks(n), stream, n, bits(value), x.address());
    }
  }

  @Override
  public void multiply(
      DType type, long n, MemorySegment d, MemorySegment x, MemorySegment z, Stream stream) {
    if (n > 0) {
      add(
          "rialto_multiply" + suffix(type),
          blocks(n),
          stream,
          n,
          d.address(),
          x.address(),
          z.address());
    }
  }

  /** Returns what the kernels call it. */
  private static int number(Sum sum) {
    return switch (sum) {
      case DOT -> 0;
      case ABSOLUTE -> 1;
      case LARGEST -> 2;
    };
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
      Stream stream) {
    addSumming(
        "rialto_reduce" + suffix(type),
        Math.max(1, summingBlocks(n, 1)),
        sum == Sum.LARGEST ? 2 : 0,
        out.address(),
        stream,
        number(sum),
        n,
        x.address(),
        y.address(),
        stride);
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

  private static long pack(Step step) {
    long places = place(step.right()) << 32 | place(step.left()) << 16 | place(step.to());
    return places << 16 | number(step.operation());
  }

  private static long place(int place) {
    if (place < 0 || place > PLACES) {
      throw new IllegalArgumentException(
          "number " + place + " of a computation on a GPU; there are " + (PLACES + 1));
    }
    return place;
  }

  /** Steps are the last argument and lie one after the other, as all arguments do. */
  @Override
  public void compute(MemorySegment numbers, List<Step> steps, Stream stream) {
    for (int first = 0; first < steps.size(); first += CudaSparseText.STEPS) {
      List<Step> some = steps.subList(first, Math.min(steps.size(), first + CudaSparseText.STEPS));
      long[] arguments = new long[2 + CudaSparseText.STEPS];
      arguments[0] = numbers.address();
      arguments[1] = some.size();
      for (int i = 0; i < some.size(); i++) {
        arguments[2 + i] = pack(some.get(i));
      }
      add("rialto_compute", 1, stream, arguments);
    }
  }
}
