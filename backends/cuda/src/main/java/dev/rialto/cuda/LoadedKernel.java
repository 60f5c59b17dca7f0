package dev.rialto.cuda;

import dev.rialto.cuda.driver.ArgumentBlock;
import dev.rialto.cuda.driver.CudaContext;
import dev.rialto.cuda.driver.Driver;
import dev.rialto.cuda.driver.DriverStreams;
import dev.rialto.spi.parts.DriverKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Machine code of one kernel on one GPU. */
public final class LoadedKernel extends DriverKernel {
  /** Threads of a block: whole warps, and blocks small enough for eight on a multiprocessor. */
  static final int BLOCK = 256;

  private final CudaContext context;
  private final long module;
  private final long function;
  private final int block;
  private final int items;

  LoadedKernel(CudaContext context, String name, byte[] image) {
    this(context, name, image, 0);
  }

  /**
   * Loads a kernel.
   *
   * @param items how many threads an index has, a block of its own; 0 if indices have one each
   */
  LoadedKernel(CudaContext context, String name, byte[] image, int items) {
    super(name);
    this.context = context;
    this.items = items;
    context.enter();
    try (Arena arena = Arena.ofConfined()) {
      // The driver finds the end by itself; PTX would need the zero that allocating leaves there.
      MemorySegment code = arena.allocate(image.length + 1L, 8);
      MemorySegment.copy(MemorySegment.ofArray(image), 0, code, 0, image.length);
      this.module = DriverStreams.loadModule(code);
    }
    this.function = DriverStreams.function(module, name);
    this.block = Math.min(BLOCK, DriverStreams.maxThreads(function));
  }

  @Override
  protected void unload() {
    context.enter();
    // A failure here is one of earlier work, and its stream tells it.
    int _ = Driver.synchronizeContext();
    DriverStreams.unloadModule(module);
  }

  /** Adds a launch over a range of indices, several to a thread; the caller is in the context. */
  void launch(
      long begin,
      long end,
      int each,
      List<MemorySegment> buffers,
      long[] extra,
      long stream,
      ArgumentBlock arguments) {
    if (begin >= end) {
      return;
    }
    int count = buffers.size();
    arguments.reserve(count + 2 + extra.length);
    for (int i = 0; i < count; i++) {
      arguments.set(i, buffers.get(i).address());
    }
    arguments.set(count, begin);
    arguments.set(count + 1, end);
    for (int i = 0; i < extra.length; i++) {
      arguments.set(count + 2 + i, extra[i]);
    }
    if (items > 0) {
      launch(Math.toIntExact(end - begin), items, stream, arguments.pointers());
      return;
    }
    launch(blocks((end - begin - 1) / each + 1, block), block, stream, arguments.pointers());
  }

  /** Returns how many blocks give each item a thread; beyond the GPU's limit threads do several. */
  public static int blocks(long items, int block) {
    return (int) Math.min((items - 1) / block + 1, Integer.MAX_VALUE);
  }

  /** Lets blocks share so many bytes that launches ask for; more than the usual 48 KiB. */
  void allowShared(int bytes) {
    DriverStreams.allowShared(function, bytes);
  }

  /** Adds a launch whose arguments lie where the pointers say. */
  void launch(int blocks, int threads, long stream, MemorySegment pointers) {
    launch(blocks, threads, 0, stream, pointers);
  }

  /** Adds a launch whose blocks share memory. */
  void launch(int blocks, int threads, int shared, long stream, MemorySegment pointers) {
    check(DriverStreams.launch(function, blocks, 1, 1, threads, shared, stream, pointers), blocks);
  }

  /** Adds a launch over a grid of three axes. */
  void launch(int[] grid, int threads, long stream, MemorySegment pointers) {
    check(
        DriverStreams.launch(function, grid[0], grid[1], grid[2], threads, 0, stream, pointers),
        grid[0]);
  }

  private void check(int result, int blocks) {
    if (result != Driver.SUCCESS) {
      throw Driver.failure(result, "launching " + name + " over " + blocks + " blocks");
    }
  }
}
