package dev.rialto.array;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A rank's memory of an array, open to the other ranks where the communicator has windows.
 *
 * <p>The window is made with the memory and its epoch stays open, so that a get or put needs no
 * help from the rank it reaches, and costs no synchronization but its own completion.
 */
final class Storage {
  private final Communicator comm;
  private final @Nullable Window window;
  private final Arena arena;
  private final MemorySegment memory;
  private final MemorySegment element;

  private Storage(Communicator comm, @Nullable Window window, Arena arena, MemorySegment memory) {
    this.comm = comm;
    this.window = window;
    this.arena = arena;
    this.memory = memory;
    this.element = arena.allocate(16, 16);
  }

  static Storage of(Communicator comm, long bytes) {
    Arena arena = Arena.ofShared();
    if (!comm.capabilities().contains(Capability.WINDOWS)) {
      return new Storage(comm, null, arena, arena.allocate(bytes, 64));
    }
    Window window = comm.allocateWindow(bytes);
    window.lockAll();
    return new Storage(comm, window, arena, window.memory());
  }

  MemorySegment memory() {
    return memory;
  }

  /** Returns a place in a rank's memory, in bytes from its start. */
  Place place(int rank, long offset) {
    return new Place(rank, offset);
  }

  void flush() {
    if (window != null) {
      window.flushAll();
    }
  }

  /**
   * Gives the memory back; together with the others, or so much of it as a rank can alone.
   *
   * @param together whether the others do it too, or would be told that they do not
   */
  void close(boolean together) {
    try {
      if (window != null && together) {
        window.unlockAll();
        window.close();
      }
    } finally {
      arena.close();
    }
  }

  private Window open() {
    if (window == null) {
      throw Capability.WINDOWS.unsupported(comm.name());
    }
    return window;
  }

  /** One element of some rank. */
  final class Place {
    private final int rank;
    private final long offset;

    private Place(int rank, long offset) {
      this.rank = rank;
      this.offset = offset;
    }

    /** Returns the address of the element, or of a copy that stays until the next call. */
    long read(DType type) {
      if (rank == comm.rank()) {
        return memory.address() + offset;
      }
      open().get(element, type, 1, rank, offset);
      open().flush(rank);
      return element.address();
    }

    /** Calls the writer with the address to write to, and brings what it wrote to its place. */
    void write(DType type, LongConsumer writer) {
      if (rank == comm.rank()) {
        writer.accept(memory.address() + offset);
        return;
      }
      writer.accept(element.address());
      open().put(element, type, 1, rank, offset);
      open().flush(rank);
    }
  }
}
