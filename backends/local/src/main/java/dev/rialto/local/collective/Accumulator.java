package dev.rialto.local.collective;

import dev.rialto.cpu.simd.Simd;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Combines blocks of elements, one rank's after the other, in memory that stays in the first-level
 * cache.
 *
 * <p>The combination so far and the one before it stay readable in turn, which is what lets a scan
 * write its result over the very elements it reads. A user's operator gets both operands in this
 * memory: aligned, native, and used by no other thread.
 */
public final class Accumulator {
  /** The bytes of a block: two of them and as much of two operands fit a first-level cache. */
  static final int BLOCK = 8192;

  private final MemorySegment memory = Arena.ofAuto().allocate(2L * BLOCK, 128);
  private final MemorySegment[] halves = {
    memory.asSlice(0, BLOCK), memory.asSlice(BLOCK, BLOCK),
  };

  private MemorySegment current = halves[0];
  private long currentStart;
  private MemorySegment previous = halves[0];
  private long previousStart;
  private int half;
  private int blocks;

  /** Begins with a block, which must stay as it is until the next is added. */
  public void begin(MemorySegment block, long start) {
    current = block;
    currentStart = start;
    half = 0;
    blocks = 1;
  }

  /** Sets the combination to {@code combination op block}. */
  public void add(ReduceOp op, DType type, MemorySegment block, long start, long count) {
    previous = current;
    previousStart = currentStart;
    half ^= 1;
    blocks++;
    current = halves[half];
    currentStart = 0;
    if (op instanceof ReduceOp.Builtin builtin) {
      Simd.get().combine(builtin, type, previous, previousStart, block, start, current, 0, count);
    } else if (op instanceof ReduceOp.User user) {
      combine(user, type, block, start, count);
    }
  }

  private void combine(
      ReduceOp.User user, DType type, MemorySegment block, long start, long count) {
    long bytes = type.bytes(count);
    MemorySegment left = halves[half ^ 1];
    if (blocks == 2) {
      MemorySegment.copy(previous, previousStart, left, 0, bytes);
    }
    MemorySegment.copy(block, start, current, 0, bytes);
    user.function()
        .combine(left.asSlice(0, bytes).asReadOnly(), current.asSlice(0, bytes), type, count);
  }

  public void copyTo(MemorySegment target, long start, long bytes) {
    MemorySegment.copy(current, currentStart, target, start, bytes);
  }

  /** Copies what the combination was before the last block. */
  void copyPreviousTo(MemorySegment target, long start, long bytes) {
    MemorySegment.copy(previous, previousStart, target, start, bytes);
  }
}
