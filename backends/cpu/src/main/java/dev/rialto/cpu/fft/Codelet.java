package dev.rialto.cpu.fft;

/**
 * A generated loop over rows of numbers at native addresses; what the arguments mean is its own.
 */
interface Codelet {
  void run(long src, long dst, long m, long s, long srcRow, long dstRow, Table table);
}
