package dev.rialto.cuda;

import dev.rialto.cuda.driver.CudaContext;
import dev.rialto.cuda.driver.DriverMemory;
import dev.rialto.spi.device.Device.MemorySharing;
import java.lang.foreign.MemorySegment;

/**
 * A GPU's memory between processes. The driver shares whole allocations, so an address is a handle
 * and an offset; mapping one a second time gives the same address and is counted.
 */
record CudaSharing(CudaContext context) implements MemorySharing {
  @Override
  public Shared share(MemorySegment memory) {
    context.enter();
    long base = DriverMemory.allocationStart(memory.address());
    return new Shared(DriverMemory.share(base), memory.address() - base);
  }

  @Override
  public Mapped map(byte[] handle) {
    context.enter();
    long address = DriverMemory.map(handle);
    MemorySegment start = MemorySegment.ofAddress(address);
    return new Mapped() {
      @Override
      public MemorySegment segment() {
        return start;
      }

      @Override
      public void close() {
        context.enter();
        DriverMemory.unmap(address);
      }
    };
  }
}
