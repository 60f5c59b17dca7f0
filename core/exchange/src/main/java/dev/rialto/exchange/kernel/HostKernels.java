package dev.rialto.exchange.kernel;

import dev.rialto.exchange.plan.Region;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The kernels of host memory.
 *
 * <p>What is contiguous on both sides is copied as bytes; boxes of one shape become a {@link
 * BoxKernel} of rows or of tiles; everything else is a {@link RunKernel} over the runs that are
 * contiguous on both sides. Large kernels are divided among the threads of an executor, if there is
 * one. The loops work on addresses, because how loops over segments are compiled depends on what
 * else has run in the process.
 */
public final class HostKernels implements ExchangeKernels {
  private final @Nullable Executor executor;
  private final Tile tile;

  private HostKernels(@Nullable Executor executor, Tile tile) {
    this.executor = executor;
    this.tile = tile;
  }

  /** Makes kernels that run on the calling thread. */
  public static HostKernels serial() {
    return new HostKernels(null, Tile.USUAL);
  }

  /** Makes kernels that share large work among an executor's threads; it stays the caller's. */
  public static HostKernels on(Executor executor) {
    return new HostKernels(executor, Tile.USUAL);
  }

  @Override
  public List<String> tiles() {
    return Tile.ALL.stream().map(Tile::toString).toList();
  }

  @Override
  public HostKernels withTile(String size) {
    return new HostKernels(executor, Tile.parse(size));
  }

  @Override
  public Kernel move(DType type, Region from, Region to, boolean add) {
    if (from.count() != to.count()) {
      throw new IllegalArgumentException(
          "moving %d elements to %d; give regions of one count"
              .formatted(from.count(), to.count()));
    }
    int size = type.size();
    if (add) {
      return new RunKernel(RunPairs.of(from, to, size), new Addition(type), executor);
    }
    if (from.contiguousFrom() >= 0 && to.contiguousFrom() >= 0) {
      long bytes = type.bytes(from.count());
      return new CopyKernel(
          from.contiguousFrom() * size, to.contiguousFrom() * size, bytes, executor);
    }
    LoopNest nest = LoopNest.of(from, to, type);
    return nest != null
        ? new BoxKernel(nest, tile, executor)
        : new RunKernel(RunPairs.of(from, to, size), RunKernel.COPY, executor);
  }

  @Override
  public Kernel scale(DType type, Region region, double factor) {
    return new RunKernel(
        RunPairs.of(region, region, type.size()), new Scaling(type, factor), executor);
  }

  @Override
  public void check(MemorySegment memory, long bytes, boolean written, String role) {
    if (written) {
      HostMemory.requireWritable(memory, bytes, role);
    } else {
      HostMemory.requireReadable(memory, bytes, role);
    }
    if (bytes > 0) {
      HostMemory.requireNative(memory, role);
    }
  }

  /** Does nothing: host kernels have ended when they return. */
  @Override
  public void finish() {}
}
