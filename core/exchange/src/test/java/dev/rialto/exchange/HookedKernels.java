package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.kernel.HostKernels;
import dev.rialto.exchange.plan.Region;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The kernels of the host, which do something before they are prepared and before they run.
 *
 * @param preparing is run when a kernel is made, as an exchange is bound
 * @param before is run when a kernel is
 */
record HookedKernels(ExchangeKernels inner, Runnable preparing, Runnable before)
    implements ExchangeKernels {
  static ExchangeOptions options(Runnable before) {
    return options(() -> {}, before);
  }

  static ExchangeOptions options(Runnable preparing, Runnable before) {
    return ExchangeOptions.standard()
        .withKernels(new HookedKernels(HostKernels.serial(), preparing, before));
  }

  private Kernel hooked(Kernel kernel) {
    return (from, to) -> {
      before.run();
      kernel.run(from, to);
    };
  }

  @Override
  public List<String> tiles() {
    return inner.tiles();
  }

  @Override
  public ExchangeKernels withTile(String size) {
    return new HookedKernels(inner.withTile(size), preparing, before);
  }

  @Override
  public Kernel move(DType type, Region from, Region to, boolean add) {
    preparing.run();
    return hooked(inner.move(type, from, to, add));
  }

  @Override
  public Kernel scale(DType type, Region region, double factor) {
    return hooked(inner.scale(type, region, factor));
  }

  @Override
  public void check(MemorySegment memory, long bytes, boolean written, String role) {
    inner.check(memory, bytes, written, role);
  }

  @Override
  public void finish() {
    inner.finish();
  }
}
