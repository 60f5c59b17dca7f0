package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.SparseKernels;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
   * Adds a kernel that leaves {@code sums} numbers per block, given where as its last argument, and
   * the block that adds these.
   *
   * @param mode how {@code rialto_finish} treats what is in {@code out}
   */
  void addSumming(
      String name, int blocks, int sums, int mode, long out, Stream stream, long... arguments) {
    CudaStream.require(stream)
        .submit(
            CudaStream.label(stream),
            handle -> {
              long partial = Driver.allocateAsync((long) blocks * sums * Double.BYTES, handle);
              try {
                long[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
                all[arguments.length] = partial;
                launch(name, blocks, handle, all);
                launch("rialto_finish", 1, handle, partial, blocks, sums, mode, out);
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
      double a,
      MemorySegment x,
      double b,
      MemorySegment y,
      double c,
      MemorySegment z,
      Stream stream) {
    if (n > 0) {
      add(
          "rialto_combine" + suffix(type),
          blocks(n),
          stream,
          n,
          bits(a),
          x.address(),
          bits(b),
          y.address(),
          bits(c),
          z.address());
    }
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
        1,
        sum == Sum.LARGEST ? 2 : 0,
        out.address(),
        stream,
        number(sum),
        n,
        x.address(),
        y.address(),
        stride);
  }

  @Override
  public void coefficients(MemorySegment sums, MemorySegment state, double limit, Stream stream) {
    add("rialto_coefficients", 1, stream, sums.address(), state.address(), bits(limit));
  }

  @Override
  public void step(
      DType type,
      long n,
      MemorySegment state,
      MemorySegment w,
      MemorySegment p,
      MemorySegment s,
      MemorySegment x,
      MemorySegment r,
      Stream stream) {
    if (n > 0) {
      add(
          "rialto_step" + suffix(type),
          blocks(n),
          stream,
          n,
          state.address(),
          w.address(),
          p.address(),
          s.address(),
          x.address(),
          r.address());
    }
  }
}
