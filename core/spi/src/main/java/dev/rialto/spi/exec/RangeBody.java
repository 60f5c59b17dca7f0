package dev.rialto.spi.exec;

/** The body of a parallel loop, called once per chunk of the range. */
@FunctionalInterface
public interface RangeBody {
  /** Does the indices from {@code begin} (inclusive) to {@code end} (exclusive). */
  void run(long begin, long end);
}
