package dev.rialto.local.message;

import static dev.rialto.system.AddressSpace.MEMORY;

import dev.rialto.local.memory.Memory;
import dev.rialto.local.memory.Runs;
import dev.rialto.local.rank.LongField;
import dev.rialto.local.rank.Padded;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One side of a message: where its elements lie, and how far it is.
 *
 * <p>The state and the number of the start are one word, so that a peer which comes across a start
 * that was cancelled since cannot take a later one for it.
 */
abstract class Transfer extends Padded {
  /** Not started. */
  static final int IDLE = 0;

  /** Waiting to be matched. */
  static final int PENDING = 1;

  /** Taken by a matched probe, to be received later. */
  static final int RESERVED = 2;

  /** Matched; the receiver is at it. */
  static final int MATCHED = 3;

  /** Matched, and the sender may help to copy. */
  static final int SHARED = 4;

  /** Over, well. */
  static final int DONE = 5;

  /** Over, taken back. */
  static final int CANCELLED = 6;

  /** Over with an exception. */
  static final int FAILED = 7;

  private static final int STATE_BITS = 3;
  private static final long STATE_MASK = (1 << STATE_BITS) - 1;
  private static final VarHandle STATE = LongField.of(MethodHandles.lookup(), "startAndState");

  @SuppressWarnings("UnusedVariable")
  private long startAndState;

  private long bytes;

  private DType type = DType.I8;

  /** Their beginning in {@link #memory}. */
  private long start;

  private MemorySegment memory = MEMORY;

  /** Their places; null if there are no gaps. */
  private @Nullable Runs runs;

  final int state() {
    return (int) ((long) STATE.getAcquire(this) & STATE_MASK);
  }

  final long startNumber() {
    return (long) STATE.get(this) >>> STATE_BITS;
  }

  /** Goes to {@link #PENDING}, with the next start's number. */
  final void arm() {
    STATE.setRelease(this, (startNumber() + 1) << STATE_BITS | PENDING);
  }

  final void setState(int state) {
    STATE.setRelease(this, startNumber() << STATE_BITS | state);
  }

  /** Returns whether it is in a state, still of start {@code number}. */
  final boolean isAt(long number, int state) {
    return (long) STATE.getAcquire(this) == (number << STATE_BITS | state);
  }

  /** Goes from one state to another if it is in that one, still of start {@code number}. */
  final boolean change(long number, int from, int to) {
    return STATE.compareAndSet(this, number << STATE_BITS | from, number << STATE_BITS | to);
  }

  final boolean isComplete() {
    int state = state();
    return state == IDLE || state >= DONE;
  }

  /**
   * Says which elements there are and where they lie; {@code layout} is null if there are no gaps.
   * The owner of confined memory waits until no peer touches it any more.
   */
  final void setMemory(MemorySegment buffer, DType elements, long length, @Nullable Runs layout) {
    if (type != elements) {
      type = elements;
    }
    boolean confined = Memory.confined(buffer);
    long first = confined ? buffer.address() : 0;
    if (start != first) {
      start = first;
    }
    if (bytes != length) {
      bytes = length;
    }
    setMemory(confined ? MEMORY : buffer, layout);
  }

  /** Lets go of the memory once the operation is over. */
  final void forgetMemory() {
    setMemory(MEMORY, null);
  }

  /**
   * Stores only what has changed, here as in what surrounds it: the peer has the line, and a
   * reference costs the garbage collector's barrier.
   */
  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"})
  private void setMemory(MemorySegment open, @Nullable Runs layout) {
    if (memory != open) {
      memory = open;
    }
    if (runs != layout) {
      runs = layout;
    }
  }

  final boolean freed() {
    return !memory.scope().isAlive();
  }

  final DType type() {
    return type;
  }

  final long bytes() {
    return bytes;
  }

  final boolean hasGaps() {
    return runs != null;
  }

  /**
   * Copies {@code length} bytes of this memory from byte {@code at} to the same place of another.
   */
  final void copyTo(Transfer other, long at, long length) {
    MemorySegment.copy(memory, start + at, other.memory, other.start + at, length);
  }

  /** Copies the whole message to another's first elements, whatever gaps either has. */
  final void copyTo(Transfer other) {
    if (runs == null && other.runs == null) {
      copyTo(other, 0, bytes);
    } else {
      Memory.copy(
          memory, start, runsOf(bytes), other.memory, other.start, other.runsOf(bytes), bytes);
    }
  }

  /** Copies a short message into a slot. */
  final void copyTo(Ring ring, long number, int tag) {
    ring.put(number, tag, type, memory, start, bytes);
  }

  /** Fills the first elements from a short message. */
  final void fill(MemorySegment from, long at, long length) {
    if (runs == null) {
      Memory.copySmall(from, at, memory, start, length);
    } else {
      Memory.copy(from, at, Runs.line(length), memory, start, runs, length);
    }
  }

  private Runs runsOf(long length) {
    return runs == null ? Runs.line(length) : runs;
  }
}
