package dev.rialto.spi.parts;

import dev.rialto.spi.data.Layout;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemorySpace.Properties;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A memory space that counts: everything of a {@link MemorySpace} but where the bytes come from.
 *
 * <p>Each allocation has a shared arena: that is what makes every use after {@link
 * Allocation#close} throw, also of slices made before and from other threads. The price is that
 * closing shakes hands with all threads of the process: 15 µs, and over 100 µs when the cores are
 * busy. Callers that allocate often keep a pool.
 *
 * <p>An allocation that nothing refers to any longer but that was not closed is told to a listener
 * once. It is not freed: it stays in {@link #used} and {@link #live}, so that the leak is seen and
 * not hidden.
 */
public abstract class TrackedSpace implements MemorySpace {
  private static final System.Logger LOG = System.getLogger("dev.rialto.memory");

  private final String name;
  private final Properties properties;
  private final long limit;
  private final String remedy;
  private final boolean tracksLeaks;
  private final Consumer<LiveAllocation> onLeak;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong peak = new AtomicLong();
  private final ConcurrentSkipListMap<Long, Entry> live = new ConcurrentSkipListMap<>();

  /** The handle is weak here, or no allocation could ever be found unreachable. */
  private record Entry(LiveAllocation allocation, WeakReference<TrackedAllocation> handle) {}

  /**
   * Memory as its source gave it.
   *
   * @param address where it starts; 0 if there is none left
   * @param release gives it back
   */
  public record Source(long address, Runnable release) {
    /** The answer of a source that has nothing left. */
    public static final Source NOTHING = new Source(0, () -> {});
  }

  /**
   * Makes a space.
   *
   * @param limit the most bytes allocated at once
   * @param remedy what to do when there is not enough
   * @param tracksLeaks whether allocations remember where they were made
   * @param onLeak told of each allocation that is lost
   */
  protected TrackedSpace(
      String name,
      Properties properties,
      long limit,
      String remedy,
      boolean tracksLeaks,
      Consumer<LiveAllocation> onLeak) {
    this.name = name;
    this.properties = properties;
    this.limit = limit;
    this.remedy = remedy;
    this.tracksLeaks = tracksLeaks;
    this.onLeak = onLeak;
  }

  /** Makes a space that tracks leaks if {@code -Drialto.leaks=true}, and logs them as warnings. */
  protected TrackedSpace(String name, Properties properties, long limit, String remedy) {
    this(
        name,
        properties,
        limit,
        remedy,
        Boolean.getBoolean("rialto.leaks"),
        leak -> LOG.log(System.Logger.Level.WARNING, describe(leak)));
  }

  /**
   * Takes memory from where it comes from, filled with zeros.
   *
   * @param bytes how many, from 1; more than were asked for, so that the start can be aligned
   * @return the memory, or {@link Source#NOTHING}
   */
  protected abstract Source take(long bytes);

  /** Says what was lost and, if that is known, where it came from. */
  public static String describe(LiveAllocation leak) {
    String site =
        leak.site().isEmpty()
            ? "; -Drialto.leaks=true shows where it was allocated"
            : ", allocated at\n    "
                + String.join("\n    ", leak.site().stream().map(Object::toString).toList());
    return ("leak: an allocation of %s bytes at 0x%s was never closed, and nothing refers to "
            + "it any longer%s")
        .formatted(leak.bytes(), Long.toHexString(leak.address()), site);
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final Properties properties() {
    return properties;
  }

  @Override
  public final Allocation allocate(long bytes, long alignment) {
    if (bytes < 0) {
      throw new IllegalArgumentException(bytes + " bytes cannot be allocated; ask for 0 or more");
    }
    if (alignment <= 0 || Long.bitCount(alignment) != 1) {
      throw new IllegalArgumentException("alignment " + alignment + " is not a power of two");
    }
    long nowUsed = reserve(bytes);
    long aligned = Math.max(alignment, properties.alignment());
    Source source = aligned <= Long.MAX_VALUE - bytes ? take(bytes + aligned) : Source.NOTHING;
    if (source.address() == 0) {
      used.getAndAdd(-bytes);
      throw outOfMemory(bytes, alignment);
    }
    peak.accumulateAndGet(nowUsed, Math::max);
    long address = (source.address() + aligned - 1) & -aligned;
    LiveAllocation allocation =
        new LiveAllocation(bytes, address, tracksLeaks ? site() : List.of());
    TrackedAllocation handle =
        new TrackedAllocation(this, allocation, () -> release(source, allocation), onLeak);
    live.put(address, new Entry(allocation, new WeakReference<>(handle)));
    return handle;
  }

  private long reserve(long bytes) {
    while (true) {
      long now = used.get();
      if (bytes > limit - now) {
        throw outOfMemory(bytes, properties.alignment());
      }
      if (used.compareAndSet(now, now + bytes)) {
        return now + bytes;
      }
    }
  }

  private MemoryException outOfMemory(long bytes, long alignment) {
    return new MemoryException(
        "%s bytes aligned to %s cannot be allocated: %s are used, %s are left of %s"
            .formatted(bytes, alignment, used(), available(), limit),
        name,
        remedy,
        null);
  }

  /** Forgets the address before it is free, for then another thread may get the same. */
  private void release(Source source, LiveAllocation allocation) {
    live.remove(allocation.address());
    source.release().run();
    used.getAndAdd(-allocation.bytes());
  }

  private static List<StackTraceElement> site() {
    return Arrays.stream(new Throwable().getStackTrace())
        .dropWhile(
            frame ->
                frame.getClassName().equals(TrackedSpace.class.getName())
                    || frame.getClassName().equals(MemorySpace.class.getName()))
        .toList();
  }

  @Override
  public final Allocation owner(MemorySegment segment) {
    Map.Entry<Long, Entry> below = segment.isNative() ? live.floorEntry(segment.address()) : null;
    if (below != null && segment.scope().isAlive()) {
      LiveAllocation allocation = below.getValue().allocation();
      long offset = segment.address() - allocation.address();
      TrackedAllocation handle = below.getValue().handle().get();
      long room = allocation.bytes() - offset;
      // Where segments have no size, an address past the end is in no allocation.
      boolean inside = properties.hostAccessible() || room > 0 || offset == 0;
      if (handle != null && segment.byteSize() <= room && inside) {
        return handle;
      }
    }
    throw new MemoryException(
        "a segment of %s bytes at 0x%s lies in no live allocation"
            .formatted(segment.byteSize(), Long.toHexString(segment.address())),
        name,
        "pass memory that this space allocated and that is not closed",
        null);
  }

  /** Returns the bytes from an address to the end of its live allocation, or -1 if it has none. */
  public final long room(long address) {
    Map.Entry<Long, Entry> below = live.floorEntry(address);
    if (below == null) {
      return -1;
    }
    LiveAllocation allocation = below.getValue().allocation();
    long room = allocation.address() + allocation.bytes() - address;
    return room > 0 || address == allocation.address() ? room : -1;
  }

  @Override
  public final long used() {
    return used.get();
  }

  @Override
  public final long peak() {
    return peak.get();
  }

  @Override
  public long available() {
    return limit - used.get();
  }

  @Override
  public final List<LiveAllocation> live() {
    return live.values().stream().map(Entry::allocation).toList();
  }

  /**
   * Checks that a layout fits between an address of a device's memory and the end of its
   * allocation, which a segment without a size does not tell.
   *
   * @throws IndexOutOfBoundsException if it does not
   */
  public void requireRoom(long address, Layout layout, String role) {
    long room = room(address);
    if (room >= 0 && layout.span() > room) {
      throw new IndexOutOfBoundsException(
          "%s has %s bytes left in its allocation on %s, but %s needs %s"
              .formatted(role, room, name(), layout, layout.span()));
    }
  }
}
