package dev.rialto.spi.device;

import java.lang.foreign.MemorySegment;

/** Lets other processes of the node use a device's memory. Thread-safe. */
public interface MemorySharing {
  /** The bytes of a handle. */
  int HANDLE_BYTES = 64;

  /**
   * An address, for another process.
   *
   * @param handle {@link #HANDLE_BYTES} bytes that name what was allocated; equal as long as that
   *     lives, and different afterwards
   * @param offset where in it the address is
   */
  @SuppressWarnings("ArrayRecordComponent") // callers compare handles as arrays
  record Shared(byte[] handle, long offset) {}

  /** Describes an address of the device's memory for other processes. */
  Shared share(MemorySegment memory);

  /**
   * Maps what another process of the node has shared. Not for this process's own memory.
   *
   * @param handle as {@link #share} gave it there
   * @return the start of what was allocated; closing it unmaps it
   */
  Mapped map(byte[] handle);

  /** Memory of another process. */
  interface Mapped extends AutoCloseable {
    /** Returns where it starts; the segment has no size. */
    MemorySegment segment();

    /** Unmaps it, when the streams that use it have passed. */
    @Override
    void close();
  }
}
