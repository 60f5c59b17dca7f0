package dev.rialto.cpu;

import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemoryProperties;
import dev.rialto.spi.memory.MemorySpace;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The host's memory, outside the Java heap.
 *
 * <p>Memory comes from the C library's {@code calloc}, so that large blocks cost nothing until they
 * are touched, and lie close to the core that touches them first; {@link java.lang.foreign.Arena}
 * would write the zeros at once (28 ms for 64 MiB). Each allocation has a shared arena: that is
 * what makes every use after {@link Allocation#close} throw, also of slices made before and from
 * other threads. The price is that closing shakes hands with all threads of the process: 15 µs, and
 * over 100 µs when the cores are busy. Callers that allocate often keep a pool.
 *
 * <p>{@code -Drialto.host.limit=BYTES} sets how much can be allocated, the machine's memory by
 * default. An allocation that nothing refers to any longer but that was not closed is reported once
 * as a warning, with where it was made if {@code -Drialto.leaks=true}. It is not freed: it stays in
 * {@link #used} and {@link #live}, so that the leak is seen and not hidden.
 */
final class HostMemory implements MemorySpace {
  private static final System.Logger LOG = System.getLogger("dev.rialto.memory");
  private static final long ALIGNMENT = 64;
  private static final MethodHandle CALLOC =
      function(
          "calloc",
          FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
  private static final MethodHandle FREE =
      function("free", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));

  private final long limit;
  private final boolean tracksLeaks;
  private final Consumer<LiveAllocation> onLeak;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong peak = new AtomicLong();
  private final ConcurrentSkipListMap<Long, Entry> live = new ConcurrentSkipListMap<>();

  /** The handle is weak here, or no allocation could ever be found unreachable. */
  private record Entry(LiveAllocation allocation, WeakReference<HostAllocation> handle) {}

  /**
   * Makes a space.
   *
   * @param limit the most bytes allocated at once
   * @param tracksLeaks whether allocations remember where they were made
   * @param onLeak told of each allocation that is lost
   */
  HostMemory(long limit, boolean tracksLeaks, Consumer<LiveAllocation> onLeak) {
    this.limit = limit;
    this.tracksLeaks = tracksLeaks;
    this.onLeak = onLeak;
  }

  /** Makes the space that the system properties describe. */
  static HostMemory fromProperties() {
    return new HostMemory(
        limitFromProperties(),
        Boolean.getBoolean("rialto.leaks"),
        leak -> LOG.log(System.Logger.Level.WARNING, describe(leak)));
  }

  static String describe(LiveAllocation leak) {
    String site =
        leak.site().isEmpty()
            ? "; -Drialto.leaks=true shows where it was allocated"
            : ", allocated at\n    "
                + String.join("\n    ", leak.site().stream().map(Object::toString).toList());
    return "leak: an allocation of "
        + leak.bytes()
        + " bytes at 0x"
        + Long.toHexString(leak.address())
        + " was never closed, and nothing refers to it any longer"
        + site;
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
  public String name() {
    return "cpu";
  }

  /** The device of this backend is the host itself, so its kernels share the host's addresses. */
  @Override
  public MemoryProperties properties() {
    return new MemoryProperties(true, true, true, true, true, ALIGNMENT);
  }

  @Override
  public Allocation allocate(long bytes, long alignment) {
    if (bytes < 0) {
      throw new IllegalArgumentException(bytes + " bytes cannot be allocated; ask for 0 or more");
    }
    if (alignment <= 0 || Long.bitCount(alignment) != 1) {
      throw new IllegalArgumentException("alignment " + alignment + " is not a power of two");
    }
    long nowUsed = reserve(bytes);
    long aligned = Math.max(alignment, ALIGNMENT);
    MemorySegment block =
        aligned <= Long.MAX_VALUE - bytes ? calloc(bytes + aligned) : MemorySegment.NULL;
    if (block.address() == 0) {
      used.getAndAdd(-bytes);
      throw outOfMemory(bytes, alignment);
    }
    peak.accumulateAndGet(nowUsed, Math::max);
    long address = (block.address() + aligned - 1) & -aligned;
    LiveAllocation allocation =
        new LiveAllocation(bytes, address, tracksLeaks ? site() : List.of());
    HostAllocation handle =
        new HostAllocation(this, allocation, () -> release(block, allocation), onLeak);
    live.put(address, new Entry(allocation, new WeakReference<>(handle)));
    return handle;
  }

  private long reserve(long bytes) {
    while (true) {
      long now = used.get();
      if (bytes > limit - now) {
        throw outOfMemory(bytes, ALIGNMENT);
      }
      if (used.compareAndSet(now, now + bytes)) {
        return now + bytes;
      }
    }
  }

  private MemoryException outOfMemory(long bytes, long alignment) {
    return new MemoryException(
        bytes
            + " bytes aligned to "
            + alignment
            + " cannot be allocated: "
            + used()
            + " are used, "
            + available()
            + " are left of "
            + limit,
        name(),
        "close what is no longer needed, or raise -Drialto.host.limit",
        null);
  }

  /** Forgets the address before it is free, for then another thread may get the same. */
  private void release(MemorySegment block, LiveAllocation allocation) {
    live.remove(allocation.address());
    try {
      FREE.invokeExact(block);
    } catch (Throwable e) {
      throw new AssertionError("free never throws", e);
    }
    used.getAndAdd(-allocation.bytes());
  }

  private static List<StackTraceElement> site() {
    Set<String> own = Set.of(HostMemory.class.getName(), MemorySpace.class.getName());
    return Arrays.stream(new Throwable().getStackTrace())
        .dropWhile(frame -> own.contains(frame.getClassName()))
        .toList();
  }

  @Override
  public Allocation owner(MemorySegment segment) {
    Map.Entry<Long, Entry> below = segment.isNative() ? live.floorEntry(segment.address()) : null;
    if (below != null && segment.scope().isAlive()) {
      LiveAllocation allocation = below.getValue().allocation();
      long offset = segment.address() - allocation.address();
      HostAllocation handle = below.getValue().handle().get();
      if (handle != null && segment.byteSize() <= allocation.bytes() - offset) {
        return handle;
      }
    }
    throw new MemoryException(
        "a segment of "
            + segment.byteSize()
            + " bytes at 0x"
            + Long.toHexString(segment.address())
            + " lies in no live allocation",
        name(),
        "pass memory that this space allocated and that is not closed",
        null);
  }

  @Override
  public long used() {
    return used.get();
  }

  @Override
  public long peak() {
    return peak.get();
  }

  @Override
  public long available() {
    return limit - used.get();
  }

  @Override
  public List<LiveAllocation> live() {
    return live.values().stream().map(Entry::allocation).toList();
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
