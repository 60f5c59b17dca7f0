package dev.rialto.cpu;

import dev.rialto.spi.memory.MemoryProperties;
import dev.rialto.spi.parts.TrackedSpace;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The host's memory, outside the Java heap.
 *
 * <p>Memory comes from the C library's {@code calloc}, so that large blocks cost nothing until they
 * are touched, and lie close to the core that touches them first; {@link java.lang.foreign.Arena}
 * would write the zeros at once (28 ms for 64 MiB).
 *
 * <p>{@code -Drialto.host.limit=BYTES} sets how much can be allocated, the machine's memory by
 * default. A leak is reported once as a warning, with where it was made if {@code
 * -Drialto.leaks=true}.
 */
final class HostMemory extends TrackedSpace {
  private static final MethodHandle CALLOC =
      function(
          "calloc",
          FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
  private static final MethodHandle FREE =
      function("free", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));

  private static final String NAME = "cpu";
  private static final String REMEDY =
      "close what is no longer needed, or raise -Drialto.host.limit";

  /** The device of this backend is the host itself, so its kernels share the host's addresses. */
  private static final MemoryProperties PROPERTIES =
      new MemoryProperties(true, true, true, true, true, 64);

  /**
   * Makes a space.
   *
   * @param limit the most bytes allocated at once
   * @param tracksLeaks whether allocations remember where they were made
   * @param onLeak told of each allocation that is lost
   */
  HostMemory(long limit, boolean tracksLeaks, Consumer<LiveAllocation> onLeak) {
    super(NAME, PROPERTIES, limit, REMEDY, tracksLeaks, onLeak);
  }

  private HostMemory(long limit) {
    super(NAME, PROPERTIES, limit, REMEDY);
  }

  /** Makes the space that the system properties describe. */
  static HostMemory fromProperties() {
    return new HostMemory(limitFromProperties());
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

  @Override
  protected Source take(long bytes) {
    MemorySegment block = calloc(bytes);
    return new Source(block.address(), () -> free(block));
  }

  private static void free(MemorySegment block) {
    try {
      FREE.invokeExact(block);
    } catch (Throwable e) {
      throw new AssertionError("free never throws", e);
    }
  }

  private static MemorySegment calloc(long bytes) {
    try {
      return (MemorySegment) CALLOC.invokeExact(bytes, 1L);
    } catch (Throwable e) {
      throw new AssertionError("calloc never throws", e);
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle function(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
  }
}
