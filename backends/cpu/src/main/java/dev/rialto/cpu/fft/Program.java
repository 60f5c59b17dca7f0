package dev.rialto.cpu.fft;

import java.util.List;

/** The transform of one group of lines: steps from one block of rows to another and back. */
final class Program {
  /** A pass over a block of rows. */
  @FunctionalInterface
  interface Step {
    /** Reads the block at one address and writes the one at another; the first may be lost. */
    void run(long src, long dst);
  }

  private final Step[] steps;
  private final long blockRows;
  private final boolean columnsIn;
  private final boolean columnsOut;

  /**
   * Makes a program.
   *
   * @param steps in order
   * @param blockRows how many real rows each of the two blocks must have
   * @param columnsIn whether the first step reads the caller's columns instead of a block
   * @param columnsOut whether the last step writes the caller's columns
   */
  Program(List<Step> steps, long blockRows, boolean columnsIn, boolean columnsOut) {
    this.steps = steps.toArray(Step[]::new);
    this.blockRows = blockRows;
    this.columnsIn = columnsIn;
    this.columnsOut = columnsOut;
  }

  long blockRows() {
    return blockRows;
  }

  boolean columnsIn() {
    return columnsIn;
  }

  boolean columnsOut() {
    return columnsOut;
  }

  /**
   * Runs all steps.
   *
   * @param in the caller's columns, or the block {@code a}
   * @param out the caller's columns if they are written
   * @return the address of the result: {@code out}, {@code a} or {@code b}
   */
  long run(long in, long out, long a, long b) {
    long from = in;
    for (int i = 0; i < steps.length; i++) {
      long to = columnsOut && i == steps.length - 1 ? out : from == a ? b : a;
      steps[i].run(from, to);
      from = to;
    }
    return from;
  }
}
