package dev.rialto.cuda.driver;

import dev.rialto.spi.memory.MemorySpace.Properties;
import dev.rialto.spi.parts.TrackedSpace;

/**
 * A GPU's own memory. Allocating fills it with zeros and waits for that; freeing waits for the GPU,
 * as the driver does. Callers that do either often keep a pool.
 */
public final class DeviceMemory extends TrackedSpace {
  private static final long ALIGNMENT = 256;

  private final CudaContext context;
  private final long service;

  public DeviceMemory(CudaContext context, long total) {
    super(
        context.name(),
        new Properties(false, true, false, true, false, ALIGNMENT),
        total,
        "close what is no longer needed, or use a GPU with more memory");
    this.context = context;
    context.enter();
    this.service = DriverStreams.createStream(0);
  }

  @Override
  protected Source take(long bytes) {
    context.enter();
    long address = DriverMemory.allocate(bytes);
    if (address == 0) {
      return Source.NOTHING;
    }
    try {
      DriverMemory.fill(address, (byte) 0, bytes, service);
      Driver.check(DriverStreams.synchronize(service), "filling " + bytes + " bytes with zeros");
    } catch (RuntimeException e) {
      DriverMemory.free(address);
      throw e;
    }
    return new Source(
        address,
        () -> {
          context.enter();
          DriverMemory.free(address);
        });
  }

  @Override
  public long available() {
    context.enter();
    return Math.min(super.available(), DriverMemory.freeMemory());
  }
}
