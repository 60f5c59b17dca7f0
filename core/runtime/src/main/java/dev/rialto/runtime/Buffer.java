package dev.rialto.runtime;

import dev.rialto.runtime.memory.Block;
import dev.rialto.runtime.memory.Holding;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a device, owned by its maker until {@link #close}.
 *
 * <p>Thread-safe. Reference counted: {@link #retain} adds an owner, {@code close} takes one away,
 * and the last one gives the memory back. Operations that were added before still run; no caller
 * needs to wait for them. A buffer that is lost without being closed is reported as a leak.
 */
public final class Buffer implements AutoCloseable {
  private static final VarHandle OWNERS;

  static {
    try {
      OWNERS = MethodHandles.lookup().findVarHandle(Buffer.class, "owners", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ComputeDevice device;
  private final Block block;
  private final int generation;
  private final long offset;
  private final long bytes;
  private final String name;

  /** The buffer whose part this is, or null if this is a whole one. */
  private final @Nullable Buffer whole;

  /** Made when it is first asked for; any thread's is as good as another's. */
  private @Nullable MemorySegment segment;

  @SuppressWarnings("unused") // through OWNERS
  private volatile int owners;

  private Buffer(
      ComputeDevice device,
      Block block,
      int generation,
      long offset,
      long bytes,
      String name,
      @Nullable Buffer whole) {
    this.device = device;
    this.block = block;
    this.generation = generation;
    this.offset = offset;
    this.bytes = bytes;
    this.name = name;
    this.whole = whole;
    this.owners = whole == null ? 1 : 0;
  }

  /** Makes the handle of a block that was just reserved. */
  static Buffer of(ComputeDevice device, Block block, long bytes, String name) {
    Buffer buffer = new Buffer(device, block, block.generation(), 0, bytes, name, null);
    block.heldBy(new Holding(buffer, name, bytes, BufferFactory.site(device), device.onLeak()));
    return buffer;
  }

  /** Returns how many bytes there are. */
  public long bytes() {
    return bytes;
  }

  /** Returns the name in messages and tables. */
  public String name() {
    return name;
  }

  /** Returns the device whose memory this is. */
  public ComputeDevice device() {
    return device;
  }

  /** Returns whether this can be used. */
  public boolean isOpen() {
    Buffer owned = whole;
    return owned == null ? (int) OWNERS.getAcquire(this) > 0 : owned.isOpen();
  }

  /**
   * Returns whether this is the only owner of the memory, so that it may be overwritten in place.
   */
  public boolean isSole() {
    Buffer owned = whole;
    return owned == null ? (int) OWNERS.getAcquire(this) == 1 : owned.isSole();
  }

  /**
   * Returns a part of this buffer, valid as long as this buffer. It owns nothing until it is
   * {@linkplain #retain retained}, so closing it does nothing before. A use of a part counts as a
   * use of the whole.
   *
   * @throws IndexOutOfBoundsException if the part exceeds this buffer
   */
  public Buffer slice(long from, long length) {
    if (from < 0 || length < 0 || length > bytes - from) {
      throw new IndexOutOfBoundsException(
          length + " bytes from " + from + " exceed " + this + "; give a part of it");
    }
    Buffer owner = whole == null ? this : whole;
    return new Buffer(device, block, generation, offset + from, length, name, owner);
  }

  /**
   * Adds an owner, who must close this buffer too. An owner of a part keeps the whole.
   *
   * @return this buffer
   * @throws IllegalStateException if the last owner has closed it
   */
  public Buffer retain() {
    if (whole != null) {
      whole.retain();
      int _ = (int) OWNERS.getAndAdd(this, 1);
      return this;
    }
    int now;
    do {
      now = (int) OWNERS.getVolatile(this);
      if (now <= 0) {
        throw closed();
      }
    } while (!OWNERS.compareAndSet(this, now, now + 1));
    return this;
  }

  /** Takes an owner away. After the last one, closing again does nothing. */
  @Override
  public void close() {
    int now;
    do {
      now = (int) OWNERS.getVolatile(this);
      if (now <= 0) {
        return;
      }
    } while (!OWNERS.compareAndSet(this, now, now - 1));
    if (whole != null) {
      whole.close();
    } else if (now == 1) {
      block.release(generation);
    }
  }

  Block block() {
    return block;
  }

  int generation() {
    return generation;
  }

  MemorySegment segment() {
    MemorySegment known = segment;
    if (known == null) {
      known = device.slice(block.segment(), offset, bytes);
      segment = known;
    }
    return known;
  }

  IllegalStateException closed() {
    return new IllegalStateException(this + " is closed; keep it open as long as it is used");
  }

  /** Returns whether some byte is in both, whichever way each was made. */
  public boolean overlaps(Buffer other) {
    MemorySegment mine = segment();
    MemorySegment theirs = other.segment();
    return mine.address() < theirs.address() + other.bytes
        && theirs.address() < mine.address() + bytes
        && mine.heapBase().equals(theirs.heapBase());
  }

  @Override
  public String toString() {
    return "buffer '" + name + "' of " + bytes + " bytes on " + device.name();
  }
}
