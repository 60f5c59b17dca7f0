package dev.rialto.mpi.message;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Checks of buffers. What passes can be handed to the library by its address; whoever does so keeps
 * the segment reachable until the library is done with it.
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

  /** Returns the elements of as many blocks of {@code count}. */
  public static long blocks(long count, int blocks) {
    if (count > Long.MAX_VALUE / Math.max(blocks, 1)) {
      throw new IllegalArgumentException(
          blocks + " blocks of " + count + " elements are more than 2^63-1; give fewer");
    }
    return count * blocks;
  }

  /** Checks that what is read and what is written are different memory. */
  public static void disjoint(MemorySegment send, long sent, MemorySegment receive, long received) {
    if (overlap(send, sent, receive, received)) {
      throw new IllegalArgumentException(
          "send and receive overlap: %d bytes at %d and %d at %d; give separate memory"
              .formatted(sent, send.address(), received, receive.address()));
    }
  }

  /**
   * Checks that what is read and what is written are different memory, or the very same.
   *
   * @return whether they are the same
   */
  public static boolean inPlace(MemorySegment send, MemorySegment receive, long bytes) {
    if (send.address() == receive.address()) {
      return bytes > 0;
    }
    disjoint(send, bytes, receive, bytes);
    return false;
  }

  private static boolean overlap(MemorySegment a, long aBytes, MemorySegment b, long bBytes) {
    return aBytes > 0
        && bBytes > 0
        && a.address() < b.address() + bBytes
        && b.address() < a.address() + aBytes;
  }
}
