package dev.rialto.spi.comm;

import dev.rialto.spi.Capability;
import java.lang.foreign.MemorySegment;

/** Makes windows: memory of each rank that the others can read and write without its help. */
public interface Windows {
  /** Returns the name for messages. */
  String name();

  /**
   * Opens {@code memory} to all ranks. Collective; each rank gives memory of its own, of any size
   * and also none. It stays the caller's and must live until the window is closed. Needs {@link
   * Capability#WINDOWS}.
   *
   * <p>Where a thread of Java carries accesses out, as for ranks that are threads or are linked by
   * messages, the memory must be open to all threads, and freeing it too early gives an exception:
   * to a rank that accesses it, at the end of its epoch at the latest, and to its owner at the next
   * {@link Window#fence} or {@link Window#post}. Where a library works with its address, as MPI
   * does, the memory must not be freed: the JVM cannot refuse it.
   *
   * @throws WrongThreadException if the memory is confined to a thread, where all must reach it
   */
  default Window window(MemorySegment memory) {
    throw Capability.WINDOWS.unsupported(name());
  }

  /** Allocates {@code bytes} zeroed bytes, aligned to 64, that live as long as the window. */
  default Window allocateWindow(long bytes) {
    throw Capability.WINDOWS.unsupported(name());
  }

  /**
   * Allocates as {@link #allocateWindow} does, in memory that all ranks see: {@link
   * Window#segmentOf} gives the others' parts. All ranks must share a node. Needs {@link
   * Capability#SHARED_WINDOWS}.
   */
  default Window sharedWindow(long bytes) {
    throw Capability.SHARED_WINDOWS.unsupported(name());
  }

  /**
   * Opens a window without memory, to which ranks {@link Window#attach} some at any time. Offsets
   * in it are addresses, as {@link MemorySegment#address} gives them at the target. Needs {@link
   * Capability#DYNAMIC_WINDOWS}.
   */
  default Window dynamicWindow() {
    throw Capability.DYNAMIC_WINDOWS.unsupported(name());
  }
}
