package dev.rialto.runtime;

import dev.rialto.spi.kernel.LoweredKernel.Body;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel's body that marks the threads it runs in, so that what it asks of its own device is told
 * from what the host asks. Costs some nanoseconds for each part of a launch.
 */
record DeviceBody(ComputeDevice device, Body body) implements Body {
  private static final ThreadLocal<@Nullable ComputeDevice> RUNNING = new ThreadLocal<>();

  /** Returns whether the caller is a kernel of a device. */
  static boolean isRunningOn(ComputeDevice device) {
    return device.equals(RUNNING.get());
  }

  @Override
  public void run(long begin, long end, List<MemorySegment> buffers) {
    ComputeDevice outer = RUNNING.get();
    RUNNING.set(device);
    try {
      body.run(begin, end, buffers);
    } finally {
      RUNNING.set(outer);
    }
  }

  @Override
  public boolean onlyComputes() {
    return body.onlyComputes();
  }
}
