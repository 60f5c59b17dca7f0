package dev.rialto.cpu;

import dev.rialto.spi.memory.MemorySpace.Properties;
import dev.rialto.spi.parts.HostSpace;
import java.lang.management.ManagementFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The host's memory, outside the Java heap.
 *
 * <p>{@code -Drialto.host.limit=BYTES} sets how much can be allocated, the machine's memory by
 * default. A leak is reported once as a warning, with where it was made if {@code
 * -Drialto.leaks=true}.
 */
final class HostMemorySpace extends HostSpace {
  private static final String NAME = "cpu";
  private static final String REMEDY =
      "close what is no longer needed, or raise -Drialto.host.limit";

  /** The device of this backend is the host itself, so its kernels share the host's addresses. */
  private static final Properties PROPERTIES = new Properties(true, true, true, true, true, 64);

  /**
   * Makes a space.
   *
   * @param limit the most bytes allocated at once
   * @param tracksLeaks whether allocations remember where they were made
   * @param onLeak told of each allocation that is lost
   */
  HostMemorySpace(long limit, boolean tracksLeaks, Consumer<LiveAllocation> onLeak) {
    super(NAME, PROPERTIES, limit, REMEDY, tracksLeaks, onLeak);
  }

  private HostMemorySpace(long limit) {
    super(NAME, PROPERTIES, limit, REMEDY);
  }

  /** Makes the space that the system properties describe. */
  static HostMemorySpace fromProperties() {
    return new HostMemorySpace(limitFromProperties());
  }

  static long limitFromProperties() {
    return limit(System.getProperty("rialto.host.limit"));
  }

  static long limit(@Nullable String property) {
    if (property == null) {
      return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
          .getTotalMemorySize();
    }
    try {
      long limit = Long.parseLong(property);
      if (limit >= 0) {
        return limit;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(badLimit(property), e);
    }
    throw new IllegalArgumentException(badLimit(property));
  }

  private static String badLimit(String property) {
    return "-Drialto.host.limit=" + property + " is not a number of bytes from 0 up";
  }
}
