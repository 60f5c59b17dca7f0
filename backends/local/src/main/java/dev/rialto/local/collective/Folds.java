package dev.rialto.local.collective;

import static dev.rialto.system.AddressSpace.MEMORY;

import dev.rialto.cpu.simd.Simd;
import dev.rialto.local.memory.Memory;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The shares of collectives that combine elements. Always from the left, in rank order: {@code ((x0
 * op x1) op x2) …}, on every rank that computes it, so all ranks get the same bits.
 *
 * <p>Elements that travel in the cells are combined by each rank that needs the result. Larger
 * vectors are cut into a slice per rank, and each rank computes its slice of all ranks' results and
 * writes it to where it belongs. No two ranks touch the same slice, so results may go where the
 * operands were.
 */
final class Folds {
  /** Slices are whole pairs of cache lines, so that no two ranks write the same one. */
  private static final int SLICE_UNIT = 128;

  private Folds() {}

  /** A destination of results. */
  private interface Results {
    /** Stores a block when {@code rank}'s elements have been added to the combination. */
    void store(CollectiveOperation mine, Accumulator sum, int rank, long offset, long bytes);
  }

  static void reduce(CollectiveOperation mine) {
    if (!mine.inline()) {
      slice(mine, Folds::storeAtRoot);
    } else if (mine.rank() == mine.root) {
      foldCells(mine, mine.size());
    }
  }

  static void allReduce(CollectiveOperation mine) {
    if (mine.inline()) {
      foldCells(mine, mine.size());
    } else {
      slice(mine, Folds::storeEverywhere);
    }
  }

  static void scan(CollectiveOperation mine) {
    if (mine.inline()) {
      foldCells(mine, mine.rank() + 1);
    } else {
      slice(mine, Folds::storeAtRank);
    }
  }

  static void exscan(CollectiveOperation mine) {
    if (mine.inline()) {
      foldCells(mine, mine.rank());
    } else {
      slice(mine, Folds::storePreviousAtRank);
    }
  }

  static void reduceScatter(CollectiveOperation mine) {
    for (int rank = 0; rank < mine.size(); rank++) {
      if (!mine.receivesLike(mine.side(rank))) {
        mine.queue.peers().disagree(mine, rank);
        return;
      }
    }
    long from = blockStart(mine);
    fold(mine, from, from + mine.receiveCount(mine.rank()), Folds::storeMine);
  }

  private static long blockStart(CollectiveOperation mine) {
    long start = 0;
    for (int rank = 0; rank < mine.rank(); rank++) {
      start += mine.receiveCount(rank);
    }
    return start;
  }

  private static void storeAtRoot(
      CollectiveOperation mine, Accumulator sum, int rank, long offset, long bytes) {
    if (rank == mine.size() - 1) {
      copy(sum, mine.side(mine.root), offset, bytes);
    }
  }

  private static void storeEverywhere(
      CollectiveOperation mine, Accumulator sum, int rank, long offset, long bytes) {
    if (rank == mine.size() - 1) {
      for (int each = 0; each < mine.size(); each++) {
        copy(sum, mine.side(each), offset, bytes);
      }
    }
  }

  private static void storeAtRank(
      CollectiveOperation mine, Accumulator sum, int rank, long offset, long bytes) {
    copy(sum, mine.side(rank), offset, bytes);
  }

  private static void storePreviousAtRank(
      CollectiveOperation mine, Accumulator sum, int rank, long offset, long bytes) {
    if (rank > 0) {
      CollectiveOperation to = mine.side(rank);
      sum.copyPreviousTo(to.receive(), to.receiveStart() + offset, bytes);
    }
  }

  private static void storeMine(
      CollectiveOperation mine, Accumulator sum, int rank, long offset, long bytes) {
    if (rank == mine.size() - 1) {
      copy(sum, mine, offset - blockStart(mine) * mine.type.size(), bytes);
    }
  }

  private static void copy(Accumulator sum, CollectiveOperation to, long offset, long bytes) {
    sum.copyTo(to.receive(), to.receiveStart() + offset, bytes);
  }

  /** Computes this rank's slice of the results of all ranks. */
  private static void slice(CollectiveOperation mine, Results results) {
    fold(mine, sliceStart(mine, mine.rank()), sliceStart(mine, mine.rank() + 1), results);
  }

  private static long sliceStart(CollectiveOperation mine, int rank) {
    long unit = Math.max(1, SLICE_UNIT / mine.type.size());
    long units = (mine.count + unit - 1) / unit;
    long start = units / mine.size() * rank + Math.min(rank, units % mine.size());
    return Math.min(start * unit, mine.count);
  }

  /** Combines elements of all ranks, which is done by addresses, while they cannot be freed. */
  private static void fold(CollectiveOperation mine, long from, long to, Results results) {
    List<MemorySegment> held = toHold(mine);
    if (held.isEmpty()) {
      foldHeld(mine, from, to, results);
    } else {
      Memory.holding(held, () -> foldHeld(mine, from, to, results));
    }
  }

  /** Returns a segment of each arena that the ranks' elements lie in. */
  private static List<MemorySegment> toHold(CollectiveOperation mine) {
    List<MemorySegment> held = List.of();
    MemorySegment.Scope last = MEMORY.scope();
    for (int rank = 0; rank < mine.size(); rank++) {
      MemorySegment send = mine.source(rank);
      if (send.isNative() && !send.scope().equals(last)) {
        last = send.scope();
        if (held.isEmpty()) {
          held = new ArrayList<>();
        }
        held.add(send);
      }
    }
    return held;
  }

  /** Combines elements {@code from} to {@code to} of all ranks, a block at a time. */
  private static void foldHeld(CollectiveOperation mine, long from, long to, Results results) {
    ReduceOp op = Objects.requireNonNull(mine.op);
    Accumulator sum = mine.queue.contributions().accumulator();
    int width = mine.type.size();
    long count;
    for (long at = from; at < to; at += count) {
      count = Math.min(Accumulator.BLOCK / width, to - at);
      long offset = at * width;
      sum.begin(mine.source(0), mine.sourceStart(0) + offset);
      results.store(mine, sum, 0, offset, count * width);
      for (int rank = 1; rank < mine.size(); rank++) {
        sum.add(op, mine.type, mine.source(rank), mine.sourceStart(rank) + offset, count);
        results.store(mine, sum, rank, offset, count * width);
      }
    }
  }

  /** Combines what the first {@code ranks} ranks have in their cells into this rank's result. */
  private static void foldCells(CollectiveOperation mine, int ranks) {
    if (ranks < 2) {
      long bytes = ranks * mine.count * mine.type.size();
      Memory.copySmall(
          mine.source(0), mine.sourceStart(0), mine.receive(), mine.receiveStart(), bytes);
      return;
    }
    ReduceOp.Builtin op = (ReduceOp.Builtin) Objects.requireNonNull(mine.op);
    if (mine.type == DType.F64 && mine.count == 1) {
      foldNumber(mine, ranks, op);
      return;
    }
    long sum = mine.queue.contributions().scratch();
    for (int rank = 1; rank < ranks; rank++) {
      Simd.get()
          .combine(
              op,
              mine.type,
              mine.source(0),
              rank == 1 ? mine.sourceStart(0) : sum,
              mine.source(rank),
              mine.sourceStart(rank),
              MEMORY,
              sum,
              mine.count);
    }
    long bytes = mine.count * mine.type.size();
    Memory.copySmall(MEMORY, sum, mine.receive(), mine.receiveStart(), bytes);
  }

  /** The sum of one number of each rank is what solvers wait for most, and needs no loop. */
  private static void foldNumber(CollectiveOperation mine, int ranks, ReduceOp.Builtin op) {
    double sum = number(mine, 0);
    for (int rank = 1; rank < ranks; rank++) {
      double next = number(mine, rank);
      sum =
          switch (op) {
            case SUM -> sum + next;
            case PRODUCT -> sum * next;
            case MIN -> Math.min(sum, next);
            case MAX -> Math.max(sum, next);
            default -> throw new IllegalStateException(op + " of " + mine.type);
          };
    }
    mine.receive().set(ValueLayout.JAVA_DOUBLE_UNALIGNED, mine.receiveStart(), sum);
  }

  private static double number(CollectiveOperation mine, int rank) {
    return mine.source(rank).get(ValueLayout.JAVA_DOUBLE, mine.sourceStart(rank));
  }
}
