package dev.rialto.local.window;

import dev.rialto.cpu.simd.Simd;
import dev.rialto.local.collective.Accumulator;
import dev.rialto.local.memory.Memory;
import dev.rialto.local.window.WindowSide.Region;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Updates of window memory that are atomic per element.
 *
 * <p>Each block of a target's memory belongs to one of the target's {@linkplain
 * WindowSide#lockStripe locks}, which each update of it holds. So all types and operators are
 * atomic with one another, also those for which there is no instruction, and long vectors are
 * combined by the vector unit instead of with a compare-and-swap for each element. A lock is held
 * for some hundred nanoseconds, or as long as a user's operator takes for one block.
 */
final class Atomics {
  private static final int BLOCK = 4096;

  /** The bytes of a block whose last element reaches into the next, in whole lines. */
  private static final int OPERAND = BLOCK + 128;

  /** For users' operators; guarded by this. */
  private final Accumulator accumulator = new Accumulator();

  /**
   * Two operands of a block; guarded by this. The vector unit goes by addresses, and neither memory
   * is held meanwhile.
   */
  private final MemorySegment operands = Arena.ofAuto().allocate(2L * OPERAND, 128);

  /**
   * Sets each element of a place to {@code element op origin}.
   *
   * @param result receives the elements as they were; null if they are not wanted
   */
  void update(
      WindowSide side,
      Region place,
      long offset,
      MemorySegment origin,
      @Nullable MemorySegment result,
      DType type,
      long count,
      ReduceOp op) {
    int width = type.size();
    long step;
    for (long done = 0; done < count; done += step) {
      long at = offset + done * width;
      // An element belongs to the block it starts in, also if it reaches into the next.
      step = Math.min(count - done, (BLOCK - at % BLOCK + width - 1) / width);
      int stripe = stripe(at);
      side.lockStripe(stripe);
      try {
        if (result != null) {
          Memory.copySmall(place.memory(), place.at(at), result, done * width, step * width);
        }
        combine(place.memory(), place.at(at), origin, done * width, type, step, op);
      } finally {
        side.unlockStripe(stripe);
      }
    }
  }

  private static int stripe(long offset) {
    return (int) (offset / BLOCK % WindowSide.STRIPES);
  }

  private void combine(
      MemorySegment place,
      long at,
      MemorySegment origin,
      long from,
      DType type,
      long count,
      ReduceOp op) {
    if (op instanceof ReduceOp.Builtin builtin) {
      if (builtin == ReduceOp.Builtin.REPLACE) {
        Memory.copySmall(origin, from, place, at, count * type.size());
      } else if (builtin != ReduceOp.Builtin.NO_OP) {
        combine(builtin, place, at, origin, from, type, count);
      }
    } else {
      synchronized (this) {
        accumulator.begin(place, at);
        accumulator.add(op, type, origin, from, count);
        accumulator.copyTo(place, at, count * type.size());
      }
    }
  }

  private synchronized void combine(
      ReduceOp.Builtin op,
      MemorySegment place,
      long at,
      MemorySegment origin,
      long from,
      DType type,
      long count) {
    long bytes = count * type.size();
    Memory.copySmall(place, at, operands, 0, bytes);
    Memory.copySmall(origin, from, operands, OPERAND, bytes);
    Simd.get().combine(op, type, operands, 0, operands, OPERAND, operands, 0, count);
    Memory.copySmall(operands, 0, place, at, bytes);
  }

  /** Replaces an element by {@code origin} if it has the bits of {@code expected}. */
  void compareAndSwap(
      WindowSide side,
      Region place,
      long offset,
      MemorySegment origin,
      MemorySegment expected,
      MemorySegment result,
      DType type) {
    int width = type.size();
    long at = place.at(offset);
    int stripe = stripe(offset);
    side.lockStripe(stripe);
    try {
      boolean equal =
          MemorySegment.mismatch(place.memory(), at, at + width, expected, 0, width) < 0;
      Memory.copySmall(place.memory(), at, result, 0, width);
      if (equal) {
        Memory.copySmall(origin, 0, place.memory(), at, width);
      }
    } finally {
      side.unlockStripe(stripe);
    }
  }
}
