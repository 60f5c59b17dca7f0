package dev.rialto.cuda.driver;

import dev.rialto.spi.memory.MemorySpace.Properties;
import dev.rialto.spi.parts.TrackedSpace;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;

/**
 * Host memory that the operating system does not move, so that GPUs read and write it by
 * themselves, at the speed of the bus. All GPUs of the process share one such space. Pinning costs
 * about a millisecond for some megabytes.
 */
public final class PinnedMemory extends TrackedSpace {
  private static final long ALIGNMENT = 256;

  private final CudaContext context;

  public PinnedMemory(CudaContext context) {
    super(
        "cuda-pinned",
        new Properties(true, true, true, true, false, ALIGNMENT),
        ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
            .getTotalMemorySize(),
        "close what is no longer needed, or use memory that is not pinned");
    this.context = context;
  }

  @Override
  @SuppressWarnings("restricted")
  protected Source take(long bytes) {
    context.enter();
    long address = DriverMemory.allocateHost(bytes);
    if (address == 0) {
      return Source.NOTHING;
    }
    MemorySegment.ofAddress(address).reinterpret(bytes).fill((byte) 0);
    return new Source(
        address,
        () -> {
          context.enter();
          DriverMemory.freeHost(address);
        });
  }
}
