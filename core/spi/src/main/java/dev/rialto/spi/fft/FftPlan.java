package dev.rialto.spi.fft;

import dev.rialto.spi.fft.FftEngine.Work;
import java.lang.foreign.MemorySegment;

/** Transforms of lines made ready to be executed many times. */
public interface FftPlan extends Work {
  /** Returns what this does. */
  FftSpec spec();

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
}
