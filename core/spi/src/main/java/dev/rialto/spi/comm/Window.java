package dev.rialto.spi.comm;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * Memory of each rank that the others read and write one-sidedly.
 *
 * <p><b>Places.</b> A place is a target rank and an offset in bytes from the start of its memory, a
 * multiple of the type's alignment.
 *
 * <p><b>Epochs.</b> Operations are allowed within an access epoch for their target: between two
 * {@link #fence}s, between {@link #lock} and {@link #unlock} (or {@link #lockAll} and {@link
 * #unlockAll}), or between {@link #start} and {@link #complete}. Outside one they throw {@link
 * IllegalStateException}. They are complete, at the origin and at the target, when the epoch ends
 * or at a {@link #flush}; until then their buffers must be left alone. An epoch of one kind cannot
 * be opened within another of this rank; {@link #fence} both ends and opens one, so the first call
 * on a new window opens it, and a fence epoch in which nothing was done may be left by opening
 * another kind.
 *
 * <p><b>Atomicity.</b> {@link #accumulate}, {@link #getAccumulate}, {@link #fetchAndOp} and {@link
 * #compareAndSwap} are atomic per element with one another, for the same type, and those of one
 * origin at one place take effect in order. Puts and gets are not: concurrent ones at the same
 * place are a race.
 */
public interface Window extends AutoCloseable {
  /** The exclusion of other locks. */
  enum LockMode {
    /** Others may hold shared locks on the target too. */
    SHARED,
    /** No other rank holds a lock on the target. */
    EXCLUSIVE
  }

  /** Returns this rank's own memory; empty for a dynamic window. */
  MemorySegment memory();

  /** Returns the bytes of a rank's memory; {@link Long#MAX_VALUE} for a dynamic window. */
  long bytesOf(int rank);

  /**
   * Returns another rank's memory for direct access, in a shared window.
   *
   * @throws UnsupportedOperationException in any other window
   */
  MemorySegment segmentOf(int rank);

  /**
   * Adds memory to a dynamic window. Local to this rank. The memory must live until it is detached;
   * see {@link Communicator#window}.
   */
  void attach(MemorySegment memory);

  /** Takes memory out of a dynamic window. Local to this rank. */
  void detach(MemorySegment memory);

  /** Writes elements to a place. */
  void put(MemorySegment origin, DType type, long count, int target, long offset);

  /** Reads elements from a place. */
  void get(MemorySegment origin, DType type, long count, int target, long offset);

  /**
   * Writes elements that do not lie together, to a place where they do not either; {@code to}
   * counts from {@code offset}. Needs {@link dev.rialto.spi.Capability#LAYOUTS}.
   */
  void put(MemorySegment origin, Layout from, int target, long offset, Layout to);

  /** Reads elements that do not lie together; the reverse of {@code put}. */
  void get(MemorySegment origin, Layout to, int target, long offset, Layout from);

  /** Combines elements into a place: {@code place = place op origin}. */
  void accumulate(
      MemorySegment origin, DType type, long count, int target, long offset, ReduceOp op);

  /** Fetches what is at a place and combines elements into it, atomically per element. */
  void getAccumulate(
      MemorySegment origin,
      MemorySegment result,
      DType type,
      long count,
      int target,
      long offset,
      ReduceOp op);

  /** Fetches one element and combines another into it. */
  default void fetchAndOp(
      MemorySegment origin,
      MemorySegment result,
      DType type,
      int target,
      long offset,
      ReduceOp op) {
    getAccumulate(origin, result, type, 1, target, offset, op);
  }

  /**
   * Fetches one element and, if its bits equal {@code expected}'s, replaces it by {@code origin}'s.
   *
   * @throws IllegalArgumentException if the type is not an integer of 1, 4 or 8 bytes
   */
  void compareAndSwap(
      MemorySegment origin,
      MemorySegment expected,
      MemorySegment result,
      DType type,
      int target,
      long offset);

  /** Ends the epoch of all ranks and opens the next. Collective. */
  void fence();

  /** Waits for the lock of a target and opens an epoch for it. */
  void lock(int target, LockMode mode);

  /** Ends the epoch for a target: everything in it is complete there. */
  void unlock(int target);

  /** Opens an epoch, with shared locks, for all ranks. Not collective. */
  void lockAll();

  /** Ends the epoch that {@link #lockAll} opened. */
  void unlockAll();

  /** Completes the operations to one target begun so far, within a lock epoch. */
  void flush(int target);

  /** Completes the operations to all targets begun so far, within a lock epoch. */
  void flushAll();

  /** Lets the listed ranks access this one's memory, until {@link #await}. Does not wait. */
  void post(int... origins);

  /** Opens an epoch for the listed ranks; they {@link #post}. May wait for that. */
  void start(int... targets);

  /** Ends the epoch that {@link #start} opened. */
  void complete();

  /** Waits until all ranks listed in {@link #post} have called {@link #complete}. */
  void await();

  /**
   * Closes the window. Collective; all epochs have ended. Closing again does nothing.
   *
   * @throws IllegalStateException if an epoch other than an empty fence epoch is open; the window
   *     is closed all the same
   */
  @Override
  void close();
}
