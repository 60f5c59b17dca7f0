package dev.rialto.local.collective;

import static dev.rialto.system.AddressSpace.MEMORY;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The memory that ranks share for collective operations.
 *
 * <p>Operation number {@code n} of a board uses slot {@code n mod SLOTS}. Each rank has a cell in
 * each slot, which only it writes: the operation's number, what the operation is, and, if they are
 * few, the elements the rank contributes. Number and elements share a cache line, so a small
 * collective costs each rank one line from every other. Besides, each rank counts the operations it
 * is through with; a slot is used again when all have passed it, and a rank whose memory others
 * work on is through when they have.
 *
 * <p>The cells are native memory for the sake of their alignment: no two ranks write the same pair
 * of lines.
 */
public final class CollectiveBoard {
  /** Operations that can be under way at once; more wait their turn. A power of two. */
  static final int SLOTS = 16;

  /** The most bytes a rank contributes through its cell. */
  static final int INLINE = 224;

  private static final int HEADER = 32;
  private static final int CELL = HEADER + INLINE;
  private static final int LINES = 128;
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  final int size;
  private final MemorySegment memory;
  private final long cells;
  private final long departures;
  private final @Nullable CollectiveOperation[] operations;

  public CollectiveBoard(int size) {
    this.size = size;
    long bytes = (long) size * (SLOTS * CELL + LINES);
    this.memory = Arena.ofAuto().allocate(bytes, LINES);
    this.cells = memory.address();
    this.departures = cells + (long) size * SLOTS * CELL;
    this.operations = new CollectiveOperation[size * SLOTS];
  }

  /**
   * Shows all ranks that {@code rank} takes part in its operation, whose elements it has already
   * written to {@link #elements}, and is through with those below {@code departed}.
   */
  @SuppressWarnings("ReferenceEquality")
  void arrive(int rank, CollectiveOperation operation, long departed) {
    int slot = slot(rank, operation.number);
    // Blocking calls use the same operations in turn: the line, which peers have, stays unwritten.
    if (operations[slot] != operation) {
      operations[slot] = operation;
    }
    long cell = cells + (long) slot * CELL;
    LONG.set(MEMORY, cell + 8, operation.signature);
    LONG.set(MEMORY, cell + 16, operation.commonCount);
    LONG.set(MEMORY, cell + 24, departed);
    LONG.setRelease(MEMORY, cell, operation.number + 1);
  }

  /** Returns whether {@code rank} has arrived at operation {@code number}. */
  boolean arrived(int rank, long number) {
    return (long) LONG.getAcquire(MEMORY, cell(rank, number)) == number + 1;
  }

  /** Returns whether {@code rank}, which has arrived, does what {@code operation} does. */
  boolean agrees(int rank, CollectiveOperation operation) {
    long cell = cell(rank, operation.number);
    return (long) LONG.get(MEMORY, cell + 8) == operation.signature
        && (long) LONG.get(MEMORY, cell + 16) == operation.commonCount;
  }

  /** Returns how far {@code rank} had departed when it arrived at operation {@code number}. */
  long departedOnArrival(int rank, long number) {
    return (long) LONG.get(MEMORY, cell(rank, number) + 24);
  }

  /** Returns the address of the elements that {@code rank} contributes through its cell. */
  long elements(int rank, long number) {
    return cell(rank, number) + HEADER;
  }

  /** Returns {@code rank}'s side of operation {@code number}, at which it has arrived. */
  CollectiveOperation operation(int rank, long number) {
    CollectiveOperation operation = operations[slot(rank, number)];
    if (operation == null) {
      throw new IllegalStateException("rank " + rank + " has not arrived at operation " + number);
    }
    return operation;
  }

  /**
   * Shows all ranks that {@code rank} works on memory of others for operation {@code number}, until
   * it departs. Reads after this call are not moved before it.
   */
  void touch(int rank, long number) {
    LONG.setVolatile(MEMORY, departures + (long) rank * LINES + 8, number + 1);
  }

  /** Returns whether {@code rank} works on memory of others for operation {@code number}. */
  boolean touches(int rank, long number) {
    long line = departures + (long) rank * LINES;
    return (long) LONG.getVolatile(MEMORY, line + 8) == number + 1 && departed(rank) <= number;
  }

  /** Shows all ranks that {@code rank} is through with the operations below {@code number}. */
  void depart(int rank, long number) {
    LONG.setRelease(MEMORY, departures + (long) rank * LINES, number);
  }

  /** Returns the number of the first operation that {@code rank} is not through with. */
  long departed(int rank) {
    return (long) LONG.getAcquire(MEMORY, departures + (long) rank * LINES);
  }

  private long cell(int rank, long number) {
    return cells + (long) slot(rank, number) * CELL;
  }

  private static int slot(int rank, long number) {
    return rank * SLOTS + ((int) number & (SLOTS - 1));
  }
}
