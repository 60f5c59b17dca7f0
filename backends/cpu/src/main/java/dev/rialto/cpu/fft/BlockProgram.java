package dev.rialto.cpu.fft;

import java.util.List;

/** The transform of one group of lines: steps from one block of rows to another and back. */
final class BlockProgram {
  /** A pass over a block of rows. */
  @FunctionalInterface
  interface Step {
    /**
     * Reads the block at one address and writes the one at another; the first may be lost.
     *
     * @param scratch memory that the step may use
     */
    void run(long src, long dst, long scratch);
  }

  private final Step[] steps;
  private final long blockRows;
  private final long scratchBytes;
  private final boolean readsMemory;
  private final boolean writesMemory;

  /**
   * Makes a program.
   *
   * @param steps in order
   * @param blockRows how many real rows each of the two blocks must have
   * @param scratchBytes how many bytes the third memory of the steps must have
   * @param readsMemory whether the first step reads the caller's memory instead of a block
   * @param writesMemory whether the last step writes the caller's memory
   */
  BlockProgram(
      List<Step> steps,
      long blockRows,
      long scratchBytes,
      boolean readsMemory,
      boolean writesMemory) {
    this.steps = steps.toArray(Step[]::new);
    this.blockRows = blockRows;
    this.scratchBytes = scratchBytes;
    this.readsMemory = readsMemory;
    this.writesMemory = writesMemory;
  }

  /** Returns the bytes of memory that steps use besides the blocks. */
  long scratchBytes() {
    return scratchBytes;
  }

  long blockRows() {
    return blockRows;
  }

  boolean readsMemory() {
    return readsMemory;
  }

  boolean writesMemory() {
    return writesMemory;
  }

  /**
   * Runs all steps.
   *
   * @param in the caller's lines, or the block {@code a}
   * @param out the caller's lines if they are written
   * @param scratch memory of {@link #scratchBytes} bytes
   * @return the address of the result: {@code out}, {@code a} or {@code b}
   */
  long run(long in, long out, long a, long b, long scratch) {
    long from = in;
    for (int i = 0; i < steps.length; i++) {
      long to = writesMemory && i == steps.length - 1 ? out : from == a ? b : a;
      steps[i].run(from, to, scratch);
      from = to;
    }
    return from;
  }
}
