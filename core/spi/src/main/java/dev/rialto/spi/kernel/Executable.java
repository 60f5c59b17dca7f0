package dev.rialto.spi.kernel;

import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A kernel compiled for one kind of device. Thread-safe. */
public interface Executable extends AutoCloseable {
  /** Returns what was compiled. */
  LoweredKernel kernel();

  /**
   * Adds a launch to a stream and returns at once. The buffers stay the caller's and must live
   * until the stream has passed the launch. A launch over no items does nothing. A failure is
   * raised when the stream is synchronized.
   *
   * @param items the size of the index space, from 0
   * @param buffers one per parameter, in order
   * @throws IllegalArgumentException if {@code items} is negative, the buffers are more or fewer
   *     than the parameters, or one that is written is read-only
   * @throws IllegalStateException if this is closed
   */
  void launch(long items, List<MemorySegment> buffers, Stream stream);

  /**
   * Adds a launch as {@link #launch(long, List, Stream)} does, with what checked code needs.
   *
   * @param bytes the size of each buffer, which a segment of a device's memory does not have
   */
  default void launch(long items, List<MemorySegment> buffers, long[] bytes, Stream stream) {
    launch(items, buffers, stream);
  }

  /** Gives the compiled code back; launches already added still run. Closing again does nothing. */
  @Override
  void close();
}
