package dev.rialto.tck.comm;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.comm.Window.LockMode;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.IntStream;

/** One-sided reads and writes under each kind of synchronization. */
@Requires({Capability.WINDOWS, Capability.POINT_TO_POINT})
public final class EpochsTck extends CommunicationTck {
  /** Makes epochs in which a rank accesses all others, in one of the ways there are. */
  enum Epoch {
    FENCE {
      @Override
      void run(Communicator comm, Window window, Runnable accesses) {
        window.fence();
        accesses.run();
        window.fence();
      }
    },
    LOCK_ALL {
      @Override
      void run(Communicator comm, Window window, Runnable accesses) {
        window.lockAll();
        accesses.run();
        window.unlockAll();
        meet(comm);
      }
    },
    FLUSH {
      @Override
      void run(Communicator comm, Window window, Runnable accesses) {
        window.lockAll();
        accesses.run();
        window.flushAll();
        meet(comm);
        window.unlockAll();
      }
    },
    POST_AND_START {
      @Override
      void run(Communicator comm, Window window, Runnable accesses) {
        int[] all = IntStream.range(0, comm.size()).toArray();
        window.post(all);
        window.start(all);
        accesses.run();
        window.complete();
        window.await();
      }
    };

    /** Opens an epoch, runs accesses in it, and returns when those of all ranks are complete. */
    abstract void run(Communicator comm, Window window, Runnable accesses);
  }

  /** Writes to every rank, then reads from every rank, each rank in a slot of its own. */
  private static void everyoneAccessesEveryone(
      Communicator comm, RankMemory memory, Epoch epoch, DType type, long count) {
    long slot = type.bytes(count);
    int n = comm.size();
    int me = comm.rank();
    String what = epoch + " with " + count + " " + type;
    Blocks slots = Blocks.uniform(n, count);
    try (Window window = comm.allocateWindow(slot * n)) {
      epoch.run(
          comm,
          window,
          () -> {
            for (int target = 0; target < n; target++) {
              MemorySegment block = memory.pattern(RankMemory.key(me, target), type, count);
              window.put(block, type, count, target, me * slot);
            }
          });
      MemorySegment wanted = slots.filled(memory, type, i -> RankMemory.key(i, me));
      RankMemory.check(wanted, window.memory(), "put by " + what);
      meet(comm);
      MemorySegment got = memory.blank(type, slots.total());
      epoch.run(
          comm,
          window,
          () -> {
            for (int target = 0; target < n; target++) {
              MemorySegment block = got.asSlice(target * slot, slot);
              window.get(block, type, count, target, me * slot);
            }
          });
      wanted = slots.filled(memory, type, i -> RankMemory.key(me, i));
      RankMemory.check(wanted, got, "got by " + what);
    }
  }

  @Requirement(
      id = "EPO-001",
      with = "FENCE",
      text = "Puts and gets between fences are complete at both ends after the second.")
  @Requirement(
      id = "EPO-002",
      with = "LOCK_ALL",
      text = "Puts and gets between lockAll and unlockAll are complete at both ends after it.")
  @Requirement(
      id = "EPO-003",
      with = "FLUSH",
      text = "Puts and gets in a lock epoch are complete at both ends after a flush.")
  @Requirement(
      id = "EPO-004",
      with = "POST_AND_START",
      text =
          "Puts and gets between start and complete are complete at the origin after complete and"
              + " at the target after await.")
  void accesses(Epoch epoch) {
    onRanks(
        (comm, memory) -> {
          for (DType type : TYPES) {
            everyoneAccessesEveryone(comm, memory, epoch, type, 7);
          }
          for (long count : new long[] {0, 1, 1025, 20_001}) {
            everyoneAccessesEveryone(comm, memory, epoch, DType.F64, count);
          }
        });
  }

  @Requirement(
      id = "EPO-005",
      text = "Each rank may post and start with ranks of its own, also none.",
      ranks = 2)
  void postAndStartWithSome(Communicator comm, RankMemory memory) {
    try (Window window = comm.allocateWindow(16)) {
      int me = comm.rank();
      int leader = last(comm);
      for (int round = 0; round < 5; round++) {
        if (me == leader) {
          window.post(IntStream.range(0, leader).toArray());
          window.start();
          window.complete();
        } else {
          window.post();
          window.start(leader);
          if (me == 0) {
            window.put(memory.longs(round), DType.I64, 1, leader, 8);
          }
          window.complete();
        }
        window.await();
        if (me == leader) {
          RankMemory.check(memory.longs(0, round), window.memory(), "round " + round);
        }
      }
    }
  }

  @Requirement(
      id = "EPO-006",
      text = "After unlock an access is complete at the target; another origin sees it.",
      ranks = 2)
  void unlockCompletes(Communicator comm, RankMemory memory) {
    try (Window window = comm.allocateWindow(8)) {
      for (LockMode mode : LockMode.values()) {
        long value = mode == LockMode.SHARED ? 5 : 6;
        if (comm.rank() == 0) {
          window.lock(last(comm), mode);
          window.put(memory.longs(value), DType.I64, 1, last(comm), 0);
          window.unlock(last(comm));
        }
        meet(comm);
        MemorySegment got = memory.blank(8);
        window.lock(last(comm), mode);
        window.get(got, DType.I64, 1, last(comm), 0);
        window.flush(last(comm));
        RankMemory.check(memory.longs(value), got, mode + " lock");
        window.unlock(last(comm));
        meet(comm);
      }
    }
  }

  @Requirement(
      id = "EPO-007",
      text = "Under an exclusive lock a get, a flush and a put make an exact counter.")
  void exclusiveLocksExclude(Communicator comm, RankMemory memory) {
    int rounds = 40;
    try (Window window = comm.allocateWindow(8)) {
      MemorySegment value = memory.longs(0);
      for (int round = 0; round < rounds; round++) {
        window.lock(0, LockMode.EXCLUSIVE);
        window.get(value, DType.I64, 1, 0, 0);
        window.flush(0);
        value.set(ValueLayout.JAVA_LONG, 0, value.get(ValueLayout.JAVA_LONG, 0) + 1);
        window.put(value, DType.I64, 1, 0, 0);
        window.unlock(0);
      }
      meet(comm);
      if (comm.rank() == 0) {
        long counted = (long) rounds * comm.size();
        RankMemory.check(memory.longs(counted), window.memory(), "counted to " + counted);
      }
    }
  }

  @Requirement(
      id = "EPO-008",
      text =
          "Nobody else gets a lock while one is held exclusively; shared ones are held together.",
      capability = Capability.NON_BLOCKING,
      ranks = 2)
  void locksWait(Communicator comm) {
    try (Window window = comm.allocateWindow(8)) {
      int other = last(comm);
      if (comm.rank() == 0) {
        window.lock(0, LockMode.SHARED);
        signal(comm, other);
        awaitSignal(comm, other);
        window.unlock(0);
        for (LockMode mode : LockMode.values()) {
          window.lock(0, LockMode.EXCLUSIVE);
          Request locked = comm.ireceive(MemorySegment.NULL, DType.I8, 0, other, SIGNAL);
          signal(comm, other);
          staysPending(locked, "the lock is held; the other asked for " + mode);
          window.unlock(0);
          locked.await();
        }
      } else if (comm.rank() == other) {
        awaitSignal(comm, 0);
        window.lock(0, LockMode.SHARED);
        signal(comm, 0);
        window.unlock(0);
        for (LockMode mode : LockMode.values()) {
          awaitSignal(comm, 0);
          window.lock(0, mode);
          signal(comm, 0);
          window.unlock(0);
        }
      }
    }
  }

  @Requirement(id = "EPO-009", text = "Locks of several targets may be held at once.")
  void severalTargetsMayBeLocked(Communicator comm, RankMemory memory) {
    try (Window window = comm.allocateWindow(8L * comm.size())) {
      for (int target = 0; target < comm.size(); target++) {
        window.lock(target, LockMode.SHARED);
      }
      for (int target = comm.size() - 1; target >= 0; target--) {
        window.put(memory.longs(target), DType.I64, 1, target, 8L * comm.rank());
        window.unlock(target);
      }
      meet(comm);
      long[] wanted = new long[comm.size()];
      Arrays.fill(wanted, comm.rank());
      RankMemory.check(memory.longs(wanted), window.memory(), "what all have put");
    }
  }
}
