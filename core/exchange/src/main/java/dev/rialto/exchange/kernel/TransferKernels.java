package dev.rialto.exchange.kernel;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.device.ArrayKernels;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.util.function.UnaryOperator;

/**
 * The kernels of a device that has none for exchanges: copies from layout to layout, which every
 * device has. What computes is refused.
 */
final class TransferKernels implements ArrayKernels {
  private final Device device;
  private final UnaryOperator<MemorySegment> reach;

  /**
   * Makes them.
   *
   * @param reach returns memory as the device's transfers tell it: the host's with a size, the
   *     device's without
   */
  TransferKernels(Device device, UnaryOperator<MemorySegment> reach) {
    this.device = device;
    this.reach = reach;
  }

  @Override
  public Prepared move(Layout from, Layout to, boolean add) {
    if (add) {
      throw refused("adding what is received to what is there");
    }
    return new Prepared() {
      @Override
      public void run(MemorySegment source, MemorySegment target, Stream stream) {
        device.transfer().copyAsync(reach.apply(source), from, reach.apply(target), to, stream);
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public Prepared scale(Layout layout, double factor) {
    throw refused("scaling");
  }

  @Override
  public Prepared convert(DType from, DType to, long count) {
    throw refused("the codec cast");
  }

  private UnsupportedOperationException refused(String what) {
    return new UnsupportedOperationException(
        device.name() + " has no kernels for " + what + "; use arrays of the host");
  }
}
