package dev.rialto.spi.fft;

import java.lang.foreign.MemorySegment;

/**
 * A transform made ready to be executed many times. Executing allocates nothing.
 *
 * <p>Several threads may execute one plan at the same time, each with a workspace of its own.
 */
public interface FftPlan extends AutoCloseable {
  /** Returns what this does. */
  FftSpec spec();

  /** Returns the bytes of workspace an execution needs; may be 0. */
  long workspaceBytes();

  /**
   * Transforms all lines. {@code in} and {@code out} may be the very same memory if strides,
   * distances and element sizes agree; otherwise they must not overlap. {@code in} is left
   * unchanged unless it is {@code out}.
   *
   * @param workspace memory for intermediate results, aligned to 64 bytes; its content is lost
   * @throws IndexOutOfBoundsException if a segment is too small
   * @throws IllegalStateException if this is closed
   */
  void execute(MemorySegment in, MemorySegment out, MemorySegment workspace);

  /**
   * Transforms lines that start at an offset into the memories: one plan serves all equal pieces of
   * an array, without a segment for each.
   *
   * @param inOffset bytes into {@code in}
   * @param outOffset bytes into {@code out}
   * @throws IndexOutOfBoundsException if a segment is too small
   * @throws IllegalStateException if this is closed
   */
  default void execute(
      MemorySegment in, long inOffset, MemorySegment out, long outOffset, MemorySegment workspace) {
    execute(in.asSlice(inOffset), out.asSlice(outOffset), workspace);
  }

  /** Gives the plan back. Closing again does nothing. */
  @Override
  void close();
}
