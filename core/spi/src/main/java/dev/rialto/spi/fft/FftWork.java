package dev.rialto.spi.fft;

import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;

/**
 * A transform made ready to be executed many times. Executing allocates nothing.
 *
 * <p>Several threads may execute one plan at the same time, each with a workspace of its own.
 */
public interface FftWork extends AutoCloseable {
  /** Returns the bytes of workspace an execution needs; may be 0. */
  long workspaceBytes();

  /**
   * Transforms. {@code in} and {@code out} may be the very same memory if their elements are of one
   * size and lie at the same places; otherwise they must not overlap. {@code in} is left unchanged
   * unless it is {@code out}.
   *
   * <p>Engines work with addresses, so the memory must stay alive until this returns: where another
   * thread might free it, call this within {@link dev.rialto.spi.memory.HostMemory#holding}.
   *
   * @param workspace memory for intermediate results, aligned to 64 bytes; its content is lost
   * @throws IndexOutOfBoundsException if a segment is too small
   * @throws IllegalStateException if this is closed
   */
  void execute(MemorySegment in, MemorySegment out, MemorySegment workspace);

  /**
   * Transforms in order with a stream's other work, and returns at once. A failure is raised when
   * the stream is synchronized.
   */
  default void execute(
      MemorySegment in, MemorySegment out, MemorySegment workspace, Stream stream) {
    stream.run(() -> execute(in, out, workspace));
  }

  /** Gives the plan back. Closing again does nothing. */
  @Override
  void close();
}
