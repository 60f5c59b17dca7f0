package dev.rialto.cpu.fft;

/**
 * A generated loop over rows of numbers at native addresses; what the arguments mean is its own.
 */
interface Codelet {
  void run(
      long src,
      long dst,
      long m,
      long s,
      long srcRow,
      long dstRow,
      long srcStep,
      long dstStep,
      long srcBlock,
      long dstBlock,
      long at,
      long atBlock,
      ConstantTable table);

  /** Runs a loop that needs none of the steps. */
  default void run(
      long src, long dst, long m, long s, long srcRow, long dstRow, ConstantTable table) {
    run(src, dst, m, s, srcRow, dstRow, 0, 0, 0, 0, 0, 0, table);
  }
}
