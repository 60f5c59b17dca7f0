package dev.rialto.tck.generated;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.reference.ReductionReference;
import java.lang.foreign.MemorySegment;

/**
 * The contributions of all ranks to a reduction, and what they combine to.
 *
 * <p>They repeat with a prime period, so that what any number of elements combines to is worked out
 * for one period only; blocks of a backend's own length never line up with it.
 */
final class Operands {
  private static final int PERIOD = 509;

  private final long seed;
  private final DType type;
  private final ReduceOp op;

  Operands(long seed, DType type, ReduceOp op) {
    this.seed = seed;
    this.type = type;
    this.op = op;
  }

  void write(int rank, MemorySegment to, long count) {
    MemorySegment period = period(rank, count);
    long step = period.byteSize();
    long bytes = type.bytes(count);
    for (long at = 0; at < bytes; at += step) {
      MemorySegment.copy(period, 0, to, at, Math.min(step, bytes - at));
    }
  }

  private MemorySegment period(int rank, long most) {
    long count = Math.min(PERIOD, most);
    MemorySegment period = MemorySegment.ofArray(new byte[(int) type.bytes(count)]);
    ReductionReference.operands(RankMemory.key(seed, rank), period, type, count, op);
    return period;
  }

  /** Checks elements from {@code first} on of what the first {@code ranks} ranks combine to. */
  void check(int ranks, long first, MemorySegment actual, long count) {
    if (count == 0) {
      return;
    }
    long most = Math.min(PERIOD, first + count);
    MemorySegment wanted = period(0, most);
    for (int rank = 1; rank < ranks; rank++) {
      MemorySegment next = period(rank, most);
      ReductionReference.combine(wanted, next, type, most, op);
      wanted = next;
    }
    for (long done = 0; done < count; ) {
      long from = (first + done) % PERIOD;
      long length = Math.min(PERIOD - from, count - done);
      ReductionReference.check(
          wanted.asSlice(type.bytes(from), type.bytes(length)),
          actual.asSlice(type.bytes(done), type.bytes(length)),
          type,
          length,
          "from element " + done + " of " + count);
      done += length;
    }
  }
}
