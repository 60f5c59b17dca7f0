package dev.rialto.mpi.message;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Checks of buffers. A segment that passes can be handed to the library by its address; the caller
 * keeps it reachable until the library is done with it.
 */
public final class BufferChecks {
  private BufferChecks() {}

  /**
   * Checks a buffer that is read.
   *
   * @return the bytes of the elements
   */
  public static long readable(MemorySegment buffer, DType type, long count, String role) {
    long bytes = Arguments.buffer(buffer, type, count, role);
    usable(buffer, bytes, role);
    return bytes;
  }

  /**
   * Checks a buffer that is written.
   *
   * @return the bytes of the elements
   */
  public static long writable(MemorySegment buffer, DType type, long count, String role) {
    long bytes = readable(buffer, type, count, role);
    if (bytes > 0) {
      Arguments.writable(buffer, role);
    }
    return bytes;
  }

  /** Checks that a segment, of which so many bytes are used, is native and can be used here. */
  public static void usable(MemorySegment buffer, long bytes, String role) {
    if (bytes == 0) {
      return;
    }
    if (!buffer.isNative()) {
      throw Capability.HEAP_BUFFERS.unsupported("mpi");
    }
    HostMemory.requireReadable(buffer, bytes, role);
  }

  /** Marks where the library is done with what it was given by address: not before here. */
  @SuppressWarnings("ReachabilityFenceUsage") // A call that did not return has used nothing.
  public static void used(Object given) {
    Reference.reachabilityFence(given);
  }
}
