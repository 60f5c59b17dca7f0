package dev.rialto.opencl;

import dev.rialto.spi.memory.MemorySpace.Properties;
import dev.rialto.spi.parts.TrackedSpace;
import java.lang.foreign.MemorySegment;

/**
 * A device's memory: coarse-grained shared virtual memory, whose addresses mean the same in every
 * kernel and command. The host does not touch it, so that the driver never has to keep two copies
 * alike.
 */
final class OpenClMemory extends TrackedSpace {
  private static final long ALIGNMENT = 256;

  private final OpenClContext context;

  OpenClMemory(OpenClContext context, long total) {
    super(
        context.name(),
        new Properties(false, true, false, true, false, ALIGNMENT),
        total,
        "close what is no longer needed, or use a device with more memory");
    this.context = context;
  }

  @Override
  protected Source take(long bytes) {
    long address = QueueFunctions.allocate(context.handle(), bytes);
    if (address == 0) {
      return Source.NOTHING;
    }
    try {
      QueueFunctions.fillWithZeros(context.service(), address, bytes);
      QueueFunctions.finish(context.service());
    } catch (RuntimeException e) {
      QueueFunctions.free(context.handle(), address);
      throw e;
    }
    return new Source(address, () -> QueueFunctions.free(context.handle(), address));
  }

  /** Checks that a kernel can use memory; another's address would be read as if it were ours. */
  void require(MemorySegment buffer, String parameter, String kernel) {
    if (!buffer.isNative() || room(buffer.address()) < 0 || !buffer.scope().isAlive()) {
      throw new IllegalArgumentException(
          ("buffer %s of kernel %s is no open memory of %s; copy it to memory of that device "
                  + "first")
              .formatted(parameter, kernel, name()));
    }
  }
}
