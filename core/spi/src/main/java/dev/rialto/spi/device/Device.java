package dev.rialto.spi.device;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemoryTransfer;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Something that has memory and runs kernels in streams: the host's cores, one GPU.
 *
 * <p>Thread-safe; lives as long as its backend. Two objects of the same {@link #name} are the same
 * device.
 */
public interface Device {
  /** Returns the backend's name and a number from 0, such as {@code cuda:0}. */
  String name();

  /** Returns what this device is and can do. */
  DeviceProperties properties();

  /** Returns the memory that its kernels use. */
  MemorySpace memory();

  /**
   * Returns the host memory that is copied to and from {@link #memory} fastest, such as pinned
   * memory; {@link #memory} itself where the host can access that.
   */
  MemorySpace staging();

  /** Returns what copies within {@link #memory}, and between it and the host's. */
  MemoryTransfer transfer();

  /** Returns what compiles kernels for this device. */
  KernelCompiler compiler();

  /**
   * Opens a stream, owned by the caller.
   *
   * @param priority 0 for the usual one; higher runs earlier where {@link
   *     DeviceProperties#priorities} says so, and is ignored elsewhere
   */
  Timeline openStream(int priority);

  /** Returns kernels for exchanges of data in {@link #memory}; empty if there are none. */
  default Optional<ArrayKernels> arrays() {
    return Optional.empty();
  }

  /** Returns kernels for products of matrices in {@link #memory}; empty if there are none. */
  default Optional<MatrixKernels> matrices() {
    return Optional.empty();
  }

  /** Returns what transforms arrays in {@link #memory}; empty if nothing does. */
  default Optional<FftEngine> fft() {
    return Optional.empty();
  }

  /** Returns what lets other processes use {@link #memory}; empty if nothing does. */
  default Optional<MemorySharing> sharing() {
    return Optional.empty();
  }

  /**
   * Connects the devices of several ranks. Collective over a communicator, by which they get to
   * know one another; it stays the caller's and is not used afterwards.
   *
   * @return what is owned by the caller
   * @throws UnsupportedOperationException if there is no such connection, with the reason
   * @throws dev.rialto.spi.error.CommunicationException if it cannot be made among these devices
   */
  default DeviceCollectives collectives(Communicator over) {
    throw new UnsupportedOperationException(
        name() + " has no collectives; copy to the host and use those of " + over.name());
  }

  /** Lets other processes of the node use a device's memory. Thread-safe. */
  interface MemorySharing {
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
}
