package dev.rialto.exchange.kernel;

import dev.rialto.exchange.plan.Region;
import dev.rialto.spi.copy.CopyTile;
import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Executor;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The kernels of host memory.
 *
 * <p>Moving is a {@link StridedCopy}; adding and scaling go by its pieces. Large kernels are
 * divided among the threads of an executor, if there is one.
 */
public final class HostKernels implements ExchangeKernels {
  private final @Nullable Executor executor;
  private final CopyTile tile;

  private HostKernels(@Nullable Executor executor, CopyTile tile) {
    this.executor = executor;
    this.tile = tile;
  }

  /** Makes kernels that run on the calling thread. */
  public static HostKernels serial() {
    return new HostKernels(null, CopyTile.USUAL);
  }

  /** Makes kernels that share large work among an executor's threads; it stays the caller's. */
  public static HostKernels on(Executor executor) {
    return new HostKernels(executor, CopyTile.USUAL);
  }

  @Override
  public List<String> tiles() {
    return CopyTile.ALL.stream().map(CopyTile::toString).toList();
  }

  @Override
  public HostKernels withTile(String size) {
    return new HostKernels(executor, CopyTile.parse(size));
  }

  @Override
  public Kernel move(DType type, Region from, Region to, boolean add) {
    if (from.count() != to.count()) {
      throw new IllegalArgumentException(
          "moving %d elements to %d; give regions of one count"
              .formatted(from.count(), to.count()));
    }
    return new HostMove(copy(type, from, to), add ? new Addition(type) : null, executor);
  }

  private StridedCopy copy(DType type, Region from, Region to) {
    return StridedCopy.of(from.layout(type), to.layout(type), tile, type.bytes(from.count()));
  }

  @Override
  public Kernel scale(DType type, Region region, double factor) {
    return new HostMove(copy(type, region, region), new Scaling(type, factor), executor);
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
