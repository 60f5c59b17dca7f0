package dev.rialto.cpu.fft;

import dev.rialto.cpu.fft.BlockProgram.Step;

/** One pass over a whole block. */
record PassLoop(
    Codelet pass, int radix, long m, long s, long srcRow, long dstRow, ConstantTable table)
    implements Step {
  boolean isShort() {
    return Radices.isUnrolled(radix);
  }

  long factors() {
    return 3L * (radix - 1);
  }

  @Override
  public void run(long src, long dst, long scratch) {
    pass.run(
        src,
        dst,
        m,
        s,
        srcRow,
        dstRow,
        s * srcRow,
        m * s * dstRow,
        radix * s * srcRow,
        s * dstRow,
        0,
        factors(),
        table);
  }

  /**
   * Returns this and the next pass as one over memory: what the second makes of a few rows needs
   * only as many of the first, which stay in the first-level cache in between.
   */
  Step with(PassLoop two, long width, long complexRow) {
    return (src, dst, scratch) -> {
      for (long p = 0; p < m; p++) {
        for (long q = 0; q < two.s; q += width) {
          long count = Math.min(width, two.s - q);
          long row = count * complexRow;
          pass.run(
              src + (radix * p * s + q) * srcRow,
              scratch,
              two.radix,
              count,
              srcRow,
              complexRow,
              s * srcRow,
              two.radix * row,
              two.s * srcRow,
              row,
              p * factors(),
              0,
              table);
          two.pass.run(
              scratch,
              dst + (p * two.s + q) * two.dstRow,
              radix,
              count,
              complexRow,
              two.dstRow,
              row,
              two.m * two.s * two.dstRow,
              two.radix * row,
              m * two.s * two.dstRow,
              p * two.factors(),
              m * two.factors(),
              two.table);
        }
      }
    };
  }
}
