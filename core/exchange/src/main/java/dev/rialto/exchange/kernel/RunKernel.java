package dev.rialto.exchange.kernel;

import static dev.rialto.spi.memory.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.rialto.spi.exec.Executor;
import org.jspecify.annotations.Nullable;

/** Does something to runs that are contiguous on both sides: copies, adds or scales them. */
final class RunKernel extends SharedKernel {
  /** What is done to one run, by addresses. */
  @FunctionalInterface
  interface Operation {
    void run(long from, long to, long bytes);
  }

  static final Operation COPY = Address::copy;

  private final RunPairs pairs;
  private final Operation operation;

  RunKernel(RunPairs pairs, Operation operation, @Nullable Executor executor) {
    super(pairs.runs, pairs.bytes(), executor);
    this.pairs = pairs;
    this.operation = operation;
  }

  @Override
  public void run(long begin, long end) {
    if (operation.equals(COPY) && pairs.length == Long.BYTES) {
      longs((int) begin, (int) end);
      return;
    }
    for (int run = (int) begin; run < end; run++) {
      operation.run(from + pairs.from[run], to + pairs.to[run], pairs.length(run));
    }
  }

  /** Single elements of 8 bytes, the halo of a sparse matrix, without a call for each. */
  private void longs(int begin, int end) {
    for (int run = begin; run < end; run++) {
      MEMORY.set(
          JAVA_LONG_UNALIGNED,
          to + pairs.to[run],
          MEMORY.get(JAVA_LONG_UNALIGNED, from + pairs.from[run]));
    }
  }
}
