package dev.rialto.local.collective;

import static dev.rialto.system.AddressSpace.MEMORY;

import dev.rialto.local.memory.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The elements that travel in the cells of a board, and one rank's memory to combine them in. */
final class Contributions {
  private final CollectiveBoard board;
  private final int rank;

  /** This rank's own elements in each slot, and what follows them for sums. */
  private final MemorySegment own =
      Arena.ofAuto().allocate((CollectiveBoard.SLOTS + 1L) * CollectiveBoard.INLINE, 128);

  private @Nullable Accumulator accumulator;

  Contributions(CollectiveBoard board, int rank) {
    this.board = board;
    this.rank = rank;
  }

  /** Puts this rank's elements into its cell. */
  void add(CollectiveOperation operation) {
    try {
      copy(operation, board.elements(rank, operation.number));
      copy(operation, elements(rank, operation.number));
    } catch (IllegalStateException e) {
      Memory.brokenOff();
      operation.freed(rank, e);
      // What the others find in the cell must not pass for a contribution.
      operation.commonCount = -1;
    }
  }

  private static void copy(CollectiveOperation operation, long address) {
    Memory.copySmall(operation.send(), operation.sendStart(), MEMORY, address, operation.inline);
  }

  /**
   * Returns the address of the elements that {@code source} contributes through its cell. This
   * rank's own are kept a second time: a line that a peer has just read is slow to read here too
   * (measured: 50 ns), and by then the caller may be writing its result over them.
   */
  long elements(int source, long number) {
    return source == rank
        ? own.address() + (number & (CollectiveBoard.SLOTS - 1)) * CollectiveBoard.INLINE
        : board.elements(source, number);
  }

  /** Returns the address of memory in which this rank combines elements of cells. */
  long scratch() {
    return own.address() + (long) CollectiveBoard.SLOTS * CollectiveBoard.INLINE;
  }

  /** Returns what this rank's shares of reductions of longer memory compute in. */
  Accumulator accumulator() {
    if (accumulator == null) {
      accumulator = new Accumulator();
    }
    return accumulator;
  }
}
