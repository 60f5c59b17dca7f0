package dev.rialto.array.part;

import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Resource;
import dev.rialto.runtime.memory.AllocationMode;
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
 * <p>Ranks of one process read it as it is. Those of a node that are processes find it in a shared
 * window, so that exchanges read it without packing.
 *
 * <p>The window of gets and puts is made with the memory and its epoch stays open, so that either
 * needs no help from the rank it reaches, and costs no synchronization but its own completion.
 */
public final class Storage {
  private final Communicator comm;
  private final ComputeClient client;
  private final String name;
  private final long bytes;
  private Resource resource;
  private MemorySegment memory;

  /** The window that gets and puts go through. */
  private @Nullable Window window;

  /** The window that has the memory, where the ranks of a node are processes. */
  private @Nullable Window node;

  /** An element on its way from or to another rank. */
  private @Nullable MemorySegment element;

  /** Takes memory from the runtime; its name is for tables of who holds what. */
  Storage(Communicator comm, ComputeClient client, String name, long bytes) {
    this.comm = comm;
    // Memory of its own, so that what is kept of a closed array is refused and never another's.
    this.resource = client.withAllocation(AllocationMode.EXACT).hosted(name, bytes);
    this.client = client;
    this.name = name;
    this.bytes = bytes;
    this.memory = resource.segment();
  }

  /**
   * Opens the memory, all zero from now on, to the other ranks. Collective. Where they are other
   * processes, which cannot reach it everywhere, memory that they can takes its place.
   */
  void share(SharedMemory shared) {
    boolean windows = comm.capabilities().contains(Capability.WINDOWS);
    Window made;
    if (!shared.oneProcess() && shared.hasWindows()) {
      Window own = shared.newWindow(bytes);
      node = own;
      replace(own.memory().asSlice(0, bytes));
      made = !windows ? null : shared.oneNode() ? own : comm.window(memory);
    } else if (!shared.oneProcess() && windows) {
      made = comm.allocateWindow(bytes);
      replace(made.memory());
    } else {
      var _ = memory.fill((byte) 0);
      made = windows ? comm.window(memory) : null;
    }
    if (made != null) {
      made.lockAll();
      window = made;
    }
  }

  private void replace(MemorySegment reachable) {
    memory = reachable;
    resource.close();
    resource = client.adopt(name, memory);
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
   * Gives the memory back. What others can still write, because they have failed and do not close
   * it too, stays taken.
   *
   * @param together whether the others do it too, or would be told that they do not
   */
  void close(SharedMemory shared, boolean together) {
    Window open = window;
    Window own = node;
    if ((open != null || own != null) && !together) {
      return;
    }
    if (open != null) {
      open.unlockAll();
      if (!open.equals(own)) {
        open.close();
      }
    }
    if (own != null) {
      shared.close(own);
    }
    // Adopted memory is gone with the window, and no longer counted from here on.
    resource.close();
  }

  private MemorySegment element() {
    MemorySegment made = element;
    if (made == null) {
      made = Arena.ofAuto().allocate(16, 16);
      element = made;
    }
    return made;
  }

  private Window open() {
    Window made = window;
    if (made == null) {
      throw Capability.WINDOWS.unsupported(comm.name());
    }
    return made;
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
      MemorySegment copy = element();
      open().get(copy, type, 1, rank, offset);
      open().flush(rank);
      return copy.address();
    }

    /** Calls the writer with the address to write to, and brings what it wrote to its place. */
    void write(DType type, LongConsumer writer) {
      if (rank == comm.rank()) {
        writer.accept(memory.address() + offset);
        return;
      }
      MemorySegment copy = element();
      writer.accept(copy.address());
      open().put(copy, type, 1, rank, offset);
      open().flush(rank);
    }
  }
}
