package dev.rialto.spi.parts;

import dev.rialto.spi.memory.MemorySpace.Properties;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.function.Consumer;

/**
 * A memory space of the host's memory, outside the Java heap.
 *
 * <p>Memory comes from the C library's {@code calloc}, so that large blocks cost nothing until they
 * are touched, and lie close to the core that touches them first; {@link java.lang.foreign.Arena}
 * would write the zeros at once (28 ms for 64 MiB).
 */
public class HostSpace extends TrackedSpace {
  private static final MethodHandle CALLOC =
      function(
          "calloc",
          FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
  private static final MethodHandle FREE =
      function("free", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));

  /** Makes a space, as {@link TrackedSpace} does. */
  public HostSpace(
      String name,
      Properties properties,
      long limit,
      String remedy,
      boolean tracksLeaks,
      Consumer<LiveAllocation> onLeak) {
    super(name, properties, limit, remedy, tracksLeaks, onLeak);
  }

  /** Makes a space, as {@link TrackedSpace} does. */
  public HostSpace(String name, Properties properties, long limit, String remedy) {
    super(name, properties, limit, remedy);
  }

  @Override
  protected final Source take(long bytes) {
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
