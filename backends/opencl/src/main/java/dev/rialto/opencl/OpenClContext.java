package dev.rialto.opencl;

import java.util.Arrays;
import java.util.Set;

/**
 * One device with the context that its memory, queues and programs belong to, and a queue for work
 * that is waited for at once.
 */
final class OpenClContext {
  /**
   * The time for which the difference of the device's and the host's clock is taken for constant.
   */
  private static final long RENEW_NANOS = 1_000_000_000;

  private final String name;
  private final long device;
  private final long handle;
  private final int units;
  private final long service;
  private final Set<String> extensions;

  // Guarded by this.
  private long offset;
  private long read;
  private boolean known;

  OpenClContext(int ordinal, long device) {
    this.name = "opencl:" + ordinal;
    this.device = device;
    this.handle = QueueFunctions.createContext(device);
    this.units = (int) OpenCl.deviceNumber(device, OpenCl.DEVICE_MAX_COMPUTE_UNITS, 4);
    this.service = createQueue();
    this.extensions =
        Set.copyOf(
            Arrays.asList(OpenCl.deviceText(device, OpenCl.DEVICE_EXTENSIONS).split("\\s+", -1)));
  }

  /** Returns the device's name, such as {@code opencl:0}. */
  String name() {
    return name;
  }

  long device() {
    return device;
  }

  long handle() {
    return handle;
  }

  /** Returns how many parts of the device compute side by side, such as cores. */
  int units() {
    return units;
  }

  /** Returns a queue whose work is short and waited for by who adds it. */
  long service() {
    return service;
  }

  boolean has(String extension) {
    return extensions.contains(extension);
  }

  long createQueue() {
    return QueueFunctions.createQueue(handle, device);
  }

  /**
   * Returns when an event that has ended did so, as {@link System#nanoTime} counts. The two clocks
   * are compared by an event on an idle queue, so they are some microseconds apart.
   */
  synchronized long nanos(long event) {
    if (!known || System.nanoTime() - read > RENEW_NANOS) {
      long mark = QueueFunctions.mark(service);
      try {
        QueueFunctions.await(mark);
        read = System.nanoTime();
        offset = read - QueueFunctions.ended(mark);
        known = true;
      } finally {
        QueueFunctions.releaseEvent(mark);
      }
    }
    return offset + QueueFunctions.ended(event);
  }
}
