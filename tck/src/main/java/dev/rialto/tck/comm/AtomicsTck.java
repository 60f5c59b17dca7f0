package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.comm.Window.LockMode;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.reference.ReductionReference;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Atomic operations on windows: what they combine, what they fetch, and that none is lost. */
@Requires(Capability.WINDOWS)
public final class AtomicsTck extends CommunicationTck {
  private static final int ROUNDS = 60;

  private List<DType> types() {
    List<DType> types = new ArrayList<>(TYPES);
    if (!has(Capability.HALF_REDUCTIONS)) {
      types.removeAll(List.of(DType.F16, DType.BF16));
    }
    return types;
  }

  @Requirement(
      id = "ATM-001",
      text = "An accumulate combines the elements of all origins into a place, by every operator.")
  void accumulate(Communicator comm, RankMemory memory) {
    long count = 5;
    // One for all: to make a window takes all ranks longer than all that is done with it.
    try (Window window = comm.allocateWindow(most(count))) {
      for (DType type : types()) {
        for (ReduceOp op : ReductionReference.operators(type)) {
          MemorySegment here = window.memory().asSlice(0, type.bytes(count));
          // Rank 0's operands are in place; the other ranks' are accumulated.
          if (comm.rank() == 0) {
            ReductionReference.operands(RankMemory.key(1, 0), here, type, count, op);
          }
          window.fence();
          if (comm.rank() > 0) {
            MemorySegment own =
                ReductionReference.operands(
                    memory, RankMemory.key(1, comm.rank()), type, count, op);
            window.accumulate(own, type, count, 0, 0, op);
          }
          window.fence();
          if (comm.rank() == 0) {
            MemorySegment wanted =
                ReductionReference.combined(memory, 1, type, count, op, comm.size());
            String what = op.label() + " of " + type;
            ReductionReference.check(wanted, here, type, count, what);
          }
        }
      }
    }
  }

  /** Returns the bytes that {@code count} elements of any type have room in. */
  private long most(long count) {
    return types().stream().mapToLong(type -> type.bytes(count)).max().orElse(0);
  }

  @Requirement(
      id = "ATM-002",
      text = "A getAccumulate fetches what was there and combines, by every operator.")
  void getAccumulate(Communicator comm, RankMemory memory) {
    long count = 5;
    int target = (comm.rank() + 1) % comm.size();
    try (Window window = comm.allocateWindow(most(count))) {
      for (DType type : types()) {
        List<ReduceOp> operators = new ArrayList<>(ReductionReference.operators(type));
        operators.add(ReduceOp.REPLACE);
        operators.add(ReduceOp.NO_OP);
        for (ReduceOp op : operators) {
          String what = op.label() + " of " + type;
          MemorySegment here = window.memory().asSlice(0, type.bytes(count));
          ReductionReference.operands(3, here, type, count, op);
          window.fence();
          MemorySegment there = ReductionReference.operands(memory, 3, type, count, op);
          MemorySegment own = ReductionReference.operands(memory, 4, type, count, op);
          MemorySegment fetched = memory.blank(type, count);
          window.getAccumulate(own, fetched, type, count, target, 0, op);
          window.fence();
          RankMemory.check(there, fetched, "fetched by " + what);
          ReductionReference.combine(there, own, type, count, op);
          ReductionReference.check(own, here, type, count, "left by " + what);
        }
      }
    }
  }

  @Requirement(
      id = "ATM-003",
      text = "An accumulate with REPLACE writes, and with NO_OP leaves what is there.")
  void replaceAndNoOp(Communicator comm, RankMemory memory) {
    int target = next(comm);
    for (DType type : types()) {
      try (Window window = comm.allocateWindow(type.bytes(6))) {
        window.fence();
        window.accumulate(memory.pattern(5, type, 3), type, 3, target, 0, ReduceOp.REPLACE);
        window.accumulate(
            memory.pattern(6, type, 3), type, 3, target, type.bytes(3), ReduceOp.NO_OP);
        window.fence();
        MemorySegment wanted = memory.zeros(type.bytes(6));
        wanted.copyFrom(memory.pattern(5, type, 3));
        RankMemory.check(wanted, window.memory(), "three " + type);
      }
    }
  }

  @Requirement(
      id = "ATM-004",
      text = "A fetchAndOp of many ranks at one place hands out each value exactly once.",
      capability = Capability.POINT_TO_POINT)
  void fetchAndOpCounts(Communicator comm, RankMemory memory) {
    for (DType type : new DType[] {DType.I64, DType.I32}) {
      int total = ROUNDS * comm.size();
      MemorySegment mine = memory.blank(8L * ROUNDS);
      try (Window window = comm.allocateWindow(8)) {
        MemorySegment one = memory.longs(1);
        MemorySegment fetched = memory.longs(0);
        window.lockAll();
        for (int round = 0; round < ROUNDS; round++) {
          window.fetchAndOp(one, fetched, type, 0, 0, ReduceOp.SUM);
          window.flush(0);
          mine.setAtIndex(ValueLayout.JAVA_LONG, round, fetched.get(ValueLayout.JAVA_LONG, 0));
        }
        window.unlockAll();
        meet(comm);
        if (comm.rank() == 0) {
          RankMemory.check(memory.longs(total), window.memory(), "the counter");
        }
      }
      if (comm.rank() > 0) {
        comm.send(mine, DType.I64, ROUNDS, 0, 1);
        continue;
      }
      BitSet seen = new BitSet(total);
      for (int rank = 0; rank < comm.size(); rank++) {
        if (rank > 0) {
          comm.receive(mine, DType.I64, ROUNDS, rank, 1);
        }
        for (long value : mine.toArray(ValueLayout.JAVA_LONG)) {
          seen.set((int) value);
        }
      }
      assertEquals(total, seen.cardinality(), "different values");
      assertEquals(total, seen.length(), "the largest value and one");
    }
  }

  @Requirement(
      id = "ATM-005",
      text = "Accumulates of many ranks at one place lose nothing, whatever the size of the type.",
      capability = Capability.POINT_TO_POINT)
  void accumulateLosesNothing(Communicator comm, RankMemory memory) {
    for (DType type : types()) {
      long count = 3;
      // Operands are so large that the floating-point sum of one round alone is exact.
      int rounds = type.kind() == DType.Kind.INTEGER ? ROUNDS : 1;
      ReduceOp sum = ReduceOp.SUM;
      try (Window window = comm.allocateWindow(type.bytes(count))) {
        MemorySegment own =
            ReductionReference.operands(memory, RankMemory.key(8, comm.rank()), type, count, sum);
        window.lockAll();
        for (int round = 0; round < rounds; round++) {
          window.accumulate(own, type, count, 0, 0, sum);
        }
        window.unlockAll();
        meet(comm);
        if (comm.rank() == 0) {
          MemorySegment once =
              ReductionReference.combined(memory, 8, type, count, sum, comm.size());
          MemorySegment wanted = memory.zeros(type.bytes(count));
          for (int round = 0; round < rounds; round++) {
            ReductionReference.combine(once, wanted, type, count, sum);
          }
          ReductionReference.check(wanted, window.memory(), type, count, "sum of " + type);
        }
      }
    }
  }

  @Requirement(
      id = "ATM-006",
      text = "A compareAndSwap fetches, and replaces exactly if the bits are as expected.")
  void compareAndSwap(Communicator comm, RankMemory memory) {
    int me = comm.rank();
    for (DType type : new DType[] {DType.I8, DType.I32, DType.I64}) {
      try (Window window = comm.allocateWindow(type.bytes(3))) {
        MemorySegment before = memory.pattern(1, type, 3);
        window.memory().copyFrom(before);
        MemorySegment other = memory.pattern(2, type, 1);
        MemorySegment fetched = memory.blank(type, 1);
        long at = type.bytes(1);
        MemorySegment there = before.asSlice(at, at);
        window.lock(me, LockMode.EXCLUSIVE);
        window.compareAndSwap(other, other, fetched, type, me, at);
        window.flush(me);
        RankMemory.check(there, fetched, "fetched where " + type + " differ");
        RankMemory.check(before, window.memory(), "left where " + type + " differ");
        window.compareAndSwap(other, there, fetched, type, me, at);
        window.unlock(me);
        RankMemory.check(there, fetched, "fetched where " + type + " are equal");
        MemorySegment wanted = memory.pattern(1, type, 3);
        MemorySegment.copy(other, 0, wanted, at, at);
        RankMemory.check(wanted, window.memory(), "left where " + type + " are equal");
      }
    }
  }

  @Requirement(
      id = "ATM-007",
      text = "A lock made of compareAndSwap guards a counter.",
      capability = Capability.POINT_TO_POINT)
  void compareAndSwapMakesALock(Communicator comm, RankMemory memory) {
    MemorySegment free = memory.longs(0);
    MemorySegment taken = memory.longs(1);
    MemorySegment fetched = memory.longs(-1);
    MemorySegment counter = memory.longs(0);
    try (Window window = comm.allocateWindow(16)) {
      window.lockAll();
      for (int round = 0; round < ROUNDS / 4; round++) {
        boolean got =
            within(
                SOON,
                () -> {
                  window.compareAndSwap(taken, free, fetched, DType.I64, 0, 0);
                  window.flush(0);
                  return fetched.get(ValueLayout.JAVA_LONG, 0) == 0;
                });
        assertTrue(got, "the lock was never free");
        window.get(counter, DType.I64, 1, 0, 8);
        window.flush(0);
        counter.set(ValueLayout.JAVA_LONG, 0, counter.get(ValueLayout.JAVA_LONG, 0) + 1);
        window.put(counter, DType.I64, 1, 0, 8);
        window.flush(0);
        window.accumulate(free, DType.I64, 1, 0, 0, ReduceOp.REPLACE);
        window.flush(0);
      }
      window.unlockAll();
      meet(comm);
      if (comm.rank() == 0) {
        long counted = (long) (ROUNDS / 4) * comm.size();
        RankMemory.check(memory.longs(0, counted), window.memory(), "the counter");
      }
    }
  }

  @Requirement(
      id = "ATM-008",
      text = "A compareAndSwap and fetchAndOp at one place are atomic with one another.",
      capability = Capability.POINT_TO_POINT)
  void atomicsMix(Communicator comm, RankMemory memory) {
    MemorySegment fetched = memory.longs(0);
    try (Window window = comm.allocateWindow(8)) {
      window.lockAll();
      for (int round = 0; round < ROUNDS; round++) {
        if (comm.rank() % 2 == 0) {
          window.accumulate(memory.longs(1), DType.I64, 1, 0, 0, ReduceOp.SUM);
          window.flush(0);
          continue;
        }
        long expected = 0;
        boolean done = false;
        while (!done) {
          window.compareAndSwap(
              memory.longs(expected + 1), memory.longs(expected), fetched, DType.I64, 0, 0);
          window.flush(0);
          long found = fetched.get(ValueLayout.JAVA_LONG, 0);
          done = found == expected;
          expected = found;
        }
      }
      window.unlockAll();
      meet(comm);
      if (comm.rank() == 0) {
        long counted = (long) ROUNDS * comm.size();
        RankMemory.check(memory.longs(counted), window.memory(), "the counter");
      }
    }
  }

  @Requirement(
      id = "ATM-009",
      text = "Atomic operations of one origin at one place take effect in order.")
  void operationsKeepTheirOrder(Communicator comm, RankMemory memory) {
    int target = next(comm);
    try (Window window = comm.allocateWindow(8)) {
      for (int round = 0; round < ROUNDS; round++) {
        MemorySegment first = memory.longs(-1);
        MemorySegment second = memory.longs(-1);
        window.fence();
        window.accumulate(memory.longs(10), DType.I64, 1, target, 0, ReduceOp.REPLACE);
        window.fetchAndOp(memory.longs(5), first, DType.I64, target, 0, ReduceOp.SUM);
        window.accumulate(memory.longs(3), DType.I64, 1, target, 0, ReduceOp.PRODUCT);
        window.getAccumulate(memory.longs(0), second, DType.I64, 1, target, 0, ReduceOp.NO_OP);
        window.fence();
        RankMemory.check(memory.longs(10), first, "after REPLACE");
        RankMemory.check(memory.longs(45), second, "after SUM and PRODUCT");
        RankMemory.check(memory.longs(45), window.memory(), "at the end");
      }
    }
  }

  @Requirement(
      id = "ATM-010",
      text = "A compareAndSwap of a type that is not I8, I32 or I64 is refused.")
  void onlyIntegersAreCompared(Communicator comm, RankMemory memory) {
    try (Window window = comm.allocateWindow(64)) {
      MemorySegment a = memory.blank(16);
      window.lockAll();
      for (DType type : DType.values()) {
        if (type.kind() != DType.Kind.INTEGER || !type.hasReductions()) {
          refuses(
              IllegalArgumentException.class,
              type,
              () -> window.compareAndSwap(a, a, a, type, 0, 0));
        }
      }
      window.unlockAll();
    }
  }

  @Requirement(id = "ATM-011", text = "An operator that does not apply to the type is refused.")
  void unsuitableOperatorsAreRefused(Communicator comm, RankMemory memory) {
    try (Window window = comm.allocateWindow(64)) {
      MemorySegment a = memory.blank(16);
      MemorySegment b = memory.blank(16);
      window.lockAll();
      for (DType type : DType.values()) {
        for (ReduceOp op : ReduceOp.Builtin.values()) {
          if (!op.supports(type)) {
            assertThrows(
                IllegalArgumentException.class, () -> window.accumulate(a, type, 1, 0, 0, op));
            assertThrows(
                IllegalArgumentException.class,
                () -> window.getAccumulate(a, b, type, 1, 0, 0, op));
          }
        }
      }
      window.unlockAll();
    }
  }
}
