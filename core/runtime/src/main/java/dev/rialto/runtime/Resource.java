package dev.rialto.runtime;

import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The memory of a buffer itself, kept alive until this is closed.
 *
 * <p>Nothing orders what the holder does with it and operations that are added meanwhile; a
 * validated launch refuses to touch it. Memory that the host cannot access has an address only.
 */
public final class Resource implements AutoCloseable {
  private final Buffer buffer;
  private final boolean writes;
  private final AtomicBoolean open = new AtomicBoolean(true);

  Resource(ComputeStream stream, Buffer buffer, boolean writes) {
    this.buffer = buffer.retain();
    this.writes = writes;
    try {
      lend(stream);
    } catch (Throwable e) {
      buffer.close();
      throw e;
    }
  }

  private void lend(ComputeStream stream) {
    Footprint footprint = Footprint.of(buffer, writes ? Access.WRITE : Access.READ);
    while (true) {
      footprint.awaitIdle();
      footprint.claim();
      try {
        if (footprint.isIdle()) {
          footprint.requireWritten(stream);
          buffer.block().lend(writes);
          return;
        }
      } finally {
        footprint.unclaim();
      }
    }
  }

  /**
   * Returns the memory.
   *
   * @throws IllegalStateException if this is closed
   */
  public MemorySegment segment() {
    if (!open.get()) {
      throw new IllegalStateException("the resource of " + buffer + " is closed");
    }
    return writes ? buffer.segment() : buffer.segment().asReadOnly();
  }

  /**
   * Returns the memory for the life of an arena, whose end closes this; with {@link Arena#ofAuto}
   * for as long as it is reachable.
   */
  @SuppressWarnings("restricted")
  public MemorySegment until(Arena arena) {
    MemorySegment memory =
        MemorySegment.ofAddress(segment().address())
            .reinterpret(buffer.bytes(), arena, _ -> close());
    return writes ? memory : memory.asReadOnly();
  }

  /** Lets the buffer go. Closing again does nothing. */
  @Override
  public void close() {
    if (open.compareAndSet(true, false)) {
      buffer.block().claim();
      buffer.block().takeBack(writes);
      if (writes) {
        buffer.block().initialize();
      }
      buffer.block().unclaim();
      buffer.close();
    }
  }
}
