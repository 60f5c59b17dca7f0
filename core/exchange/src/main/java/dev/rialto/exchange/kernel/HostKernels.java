package dev.rialto.exchange.kernel;

import dev.rialto.exchange.plan.Region;
import dev.rialto.spi.copy.CopyTile;
import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The kernels of host memory.
 *
 * <p>Moving is a {@link StridedCopy}; adding and scaling go by its pieces.
 */
public final class HostKernels implements ExchangeKernels {
  private final CopyTile tile;

  private HostKernels(CopyTile tile) {
    this.tile = tile;
  }

  /** Makes kernels that run on the calling thread. */
  public static HostKernels serial() {
    return new HostKernels(CopyTile.USUAL);
  }

  @Override
  public List<String> tiles() {
    return CopyTile.ALL.stream().map(CopyTile::toString).toList();
  }

  @Override
  public HostKernels withTile(String size) {
    return new HostKernels(CopyTile.parse(size));
  }

  @Override
  public Kernel move(DType type, Region from, Region to, boolean add) {
    if (from.count() != to.count()) {
      throw new IllegalArgumentException(
          "moving %d elements to %d; give regions of one count"
              .formatted(from.count(), to.count()));
    }
    return new HostMove(copy(type, from, to), add ? new Addition(type) : null);
  }

  private StridedCopy copy(DType type, Region from, Region to) {
    return StridedCopy.of(from.layout(type), to.layout(type), tile, type.bytes(from.count()));
  }

  @Override
  public Kernel scale(DType type, Region region, double factor) {
    return new HostMove(copy(type, region, region), new Scaling(type, factor));
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
