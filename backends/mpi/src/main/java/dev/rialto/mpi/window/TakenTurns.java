package dev.rialto.mpi.window;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Errors;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A second window over the same memory, in which ranks combine one after the other: each gets the
 * elements, combines them itself and puts them back while it holds the target's lock.
 *
 * <p>It takes the place of atomic operations that a library gets wrong in the first window. What it
 * does is complete when a call returns, in any kind of epoch of the first window.
 */
final class TakenTurns {
  private final MpiGroup group;
  private final long handle;

  /** The former elements, while they are combined. */
  private MemorySegment there = MemorySegment.NULL;

  TakenTurns(MpiGroup group, long handle) {
    this.group = group;
    this.handle = handle;
    Errors.check(
        Native.call(WindowCalls.SET_ERRORS, handle, Mpi.ERRORS_RETURN),
        "setting the error handler");
  }

  void attach(MemorySegment added) {
    check(Native.call(WindowCalls.ATTACH, handle, added.address(), added.byteSize()), "attach", -1);
  }

  void detach(MemorySegment removed) {
    check(Native.call(WindowCalls.DETACH, handle, removed.address()), "detach", -1);
  }

  synchronized void combine(
      MemorySegment origin, DType type, long count, int target, long place, ReduceOp.Builtin op) {
    exchange(origin, room(type.bytes(count)), type, count, target, place, op);
  }

  /** Combines elements into a place after taking those that were there. */
  synchronized void exchange(
      MemorySegment origin,
      MemorySegment result,
      DType type,
      long count,
      int target,
      long place,
      ReduceOp.Builtin op) {
    long bytes = type.bytes(count);
    lock(target);
    try {
      move(WindowCalls.GET, result.address(), bytes, target, place);
      check(Native.call(WindowCalls.FLUSH, target, handle), "flush", target);
      if (op == ReduceOp.Builtin.REPLACE) {
        move(WindowCalls.PUT, origin.address(), bytes, target, place);
      } else if (op != ReduceOp.Builtin.NO_OP) {
        MemorySegment sum = room(bytes);
        MemorySegment.copy(result, 0, sum, 0, bytes);
        OwnWindow.reduce(group, origin, sum, type, count, op);
        move(WindowCalls.PUT, sum.address(), bytes, target, place);
      }
    } finally {
      unlock(target);
    }
    BufferChecks.used(origin);
    BufferChecks.used(result);
  }

  synchronized void swap(
      MemorySegment origin,
      MemorySegment expected,
      MemorySegment result,
      DType type,
      int target,
      long place) {
    int bytes = type.size();
    lock(target);
    try {
      move(WindowCalls.GET, result.address(), bytes, target, place);
      check(Native.call(WindowCalls.FLUSH, target, handle), "flush", target);
      if (MemorySegment.mismatch(result, 0, bytes, expected, 0, bytes) < 0) {
        move(WindowCalls.PUT, origin.address(), bytes, target, place);
      }
    } finally {
      unlock(target);
    }
    BufferChecks.used(origin);
    BufferChecks.used(result);
  }

  void free() {
    long out = Scratch.get().out();
    Mpi.putHandle(out, handle);
    check(Native.call(WindowCalls.FREE, out), "close", -1);
  }

  private MemorySegment room(long bytes) {
    if (there.byteSize() < bytes) {
      there = Arena.ofAuto().allocate(bytes, 64);
    }
    return there;
  }

  private void move(MethodHandle call, long address, long bytes, int target, long place) {
    int units = Datatypes.count(bytes);
    long unit = Datatypes.ofBytes(bytes);
    check(
        Native.call(call, address, units, unit, target, place, units, unit, handle),
        "accumulate",
        target);
  }

  private void lock(int target) {
    int kind = Mpi.CONSTANTS.lockExclusive();
    group.inLibrary(
        "accumulate",
        target,
        () -> check(Native.call(WindowCalls.LOCK, kind, target, 0, handle), "lock", target));
  }

  private void unlock(int target) {
    group.inLibrary(
        "accumulate",
        target,
        () -> check(Native.call(WindowCalls.UNLOCK, target, handle), "unlock", target));
  }

  private void check(int code, String name, int target) {
    if (code != 0) {
      throw group.failure(code, new MpiCall(name, target, -1, 0));
    }
  }
}
