package dev.rialto.mpi.window;

import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * The way to the memory of a window's ranks. {@link CheckedWindow} has checked what is asked for.
 * Epochs need nothing where all is done at once.
 */
interface WindowAccess {
  /** Moves bytes to ({@code put}) or from a place. */
  void move(boolean put, MemorySegment origin, long length, int target, long offset);

  /** Moves elements that layouts describe. */
  void move(boolean put, MemorySegment origin, Layout here, int target, long offset, Layout there);

  /** Combines elements into a place. */
  void combine(
      MemorySegment origin, DType type, long count, int target, long offset, ReduceOp.Builtin op);

  /** Combines elements into a place after taking those that were there. */
  void exchange(
      MemorySegment origin,
      MemorySegment result,
      DType type,
      long count,
      int target,
      long offset,
      ReduceOp.Builtin op);

  /** Does what {@link #exchange} does with one element. */
  void fetch(
      MemorySegment origin,
      MemorySegment result,
      DType type,
      int target,
      long offset,
      ReduceOp.Builtin op);

  void swap(
      MemorySegment origin,
      MemorySegment expected,
      MemorySegment result,
      DType type,
      int target,
      long offset);

  /** Returns the memory of a rank. */
  default MemorySegment segmentOf(int rank) {
    throw new UnsupportedOperationException(
        "only a shared window has segments of other ranks; make one with sharedWindow");
  }

  void add(MemorySegment added);

  void remove(MemorySegment removed);

  default void fence() {}

  default void lock(int target, Window.LockMode mode) {}

  default void unlock(int target) {}

  default void lockAll() {}

  default void unlockAll() {}

  /** Completes what is under way to a target, or to all for -1. */
  default void flush(int target) {}

  default void post(int[] origins) {}

  default void start(int[] targets) {}

  default void complete() {}

  default void await() {}

  /** Refuses further access to this rank's memory, if the window has allocated it. */
  default void leaveMemory() {}

  /** Lets the caller's memory go. */
  default void letGo() {}

  /** Gives up what the library holds. */
  default void free() {}
}
