package dev.rialto.sparse.local;

import dev.rialto.runtime.Devices;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Sums of rows in double precision, complex ones interleaved: what products add up in that do not
 * go row by row. Zeros between products. Native like the vectors: the same loops over an array of
 * the heap took three times as long in some runs.
 */
final class RowSums {
  private final MemorySegment memory;

  RowSums(DType type, int rows) {
    long numbers = Math.max(1, (long) rows * (Numbers.isComplex(type) ? 2 : 1));
    long bytes = Double.BYTES * numbers;
    this.memory = Devices.host().lend("sums of rows", bytes).until(Arena.ofAuto()).fill((byte) 0);
  }

  /** Returns the address; keep this object reachable while it is used. */
  long address() {
    return memory.address();
  }
}
