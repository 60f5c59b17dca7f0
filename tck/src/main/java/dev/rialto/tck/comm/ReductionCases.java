package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.fail;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.reference.ReductionReference;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Each reduction, with types, operators, lengths and roots, against combining the ranks' operands
 * one after the other. The same cases serve the blocking and the non-blocking forms.
 */
final class ReductionCases {
  /** Counts that operators take in turn; all with each are for generated operations. */
  private static final long[] COUNTS = {129, 1, 7};

  private final Collectives reductions;
  private final int rank;
  private final int size;
  private final List<DType> types = new ArrayList<>(List.of(DType.values()));
  private final boolean userOperators;

  ReductionCases(Collectives reductions, Communicator comm) {
    this.reductions = reductions;
    this.rank = comm.rank();
    this.size = comm.size();
    this.userOperators = comm.capabilities().contains(Capability.USER_OPERATORS);
    types.removeIf(type -> !type.hasReductions() || type == DType.F16 || type == DType.BF16);
  }

  /** Restricts the cases to 16-bit floating-point types. */
  ReductionCases half() {
    types.clear();
    types.addAll(List.of(DType.F16, DType.BF16));
    return this;
  }

  /** Restricts the cases to a few types, where all have been tried in another form. */
  ReductionCases few() {
    types.retainAll(List.of(DType.I64, DType.F32, DType.C128));
    return this;
  }

  /** One combination of a type, a count and an operator. */
  @FunctionalInterface
  interface Case {
    void run(RankMemory memory, DType type, long count, ReduceOp op);
  }

  /** Runs a case for every operator that applies to every type, each with one of the counts. */
  private void forEachOperator(Case test) {
    int cases = 0;
    for (DType type : types) {
      List<ReduceOp> operators = new ArrayList<>(ReductionReference.operators(type));
      if (type == DType.I64 && userOperators) {
        operators.add(ReductionReference.COMPOSE);
      }
      for (ReduceOp op : operators) {
        run(test, type, COUNTS[cases++ % COUNTS.length], op);
      }
      run(test, type, 0, ReduceOp.SUM);
      run(test, type, 1025, ReduceOp.SUM);
    }
  }

  private static void run(Case test, DType type, long count, ReduceOp op) {
    try (RankMemory memory = new RankMemory()) {
      test.run(memory, type, count, op);
    }
  }

  private static long key(DType type, long count, ReduceOp op) {
    return RankMemory.key(type.name().hashCode(), count, op.label().hashCode());
  }

  private MemorySegment mine(RankMemory memory, DType type, long count, ReduceOp op) {
    long key = RankMemory.key(key(type, count, op), rank);
    return ReductionReference.operands(memory, key, type, count, op);
  }

  /** Combines the operands of the first {@code ranks} ranks. */
  private static MemorySegment wanted(
      RankMemory memory, DType type, long count, ReduceOp op, int ranks) {
    return ReductionReference.combined(memory, key(type, count, op), type, count, op, ranks);
  }

  private static void check(
      MemorySegment wanted, MemorySegment got, DType type, long count, ReduceOp op, String form) {
    ReductionReference.check(
        wanted, got, type, count, form + " " + op.label() + " of " + count + " " + type);
  }

  private static MemorySegment orNull(MemorySegment buffer) {
    return buffer.byteSize() == 0 ? MemorySegment.NULL : buffer;
  }

  void reduce() {
    forEachOperator(
        (memory, type, count, op) -> {
          int root = Math.floorMod(key(type, count, op), size);
          MemorySegment operands = mine(memory, type, count, op);
          MemorySegment result = memory.blank(type, rank == root ? count : 0);
          reductions.reduce(orNull(operands), orNull(result), type, count, op, root);
          if (rank == root) {
            MemorySegment wanted = wanted(memory, type, count, op, size);
            check(wanted, result, type, count, op, "reduce to " + root);
          }
          RankMemory.check(mine(memory, type, count, op), operands, "the operands");
        });
  }

  /** Reduces to each root in turn; elsewhere the result's buffer is left. */
  void reduceToEachRoot() {
    ReduceOp op = ReduceOp.SUM;
    for (int root = 0; root < size; root++) {
      for (long count : CommunicationTck.COUNTS) {
        try (RankMemory memory = new RankMemory()) {
          MemorySegment result = memory.blank(DType.I64, count);
          reductions.reduce(mine(memory, DType.I64, count, op), result, DType.I64, count, op, root);
          MemorySegment wanted =
              rank == root
                  ? wanted(memory, DType.I64, count, op, size)
                  : memory.blank(DType.I64, count);
          RankMemory.check(wanted, result, "reduce to " + root);
        }
      }
    }
  }

  void allReduce() {
    forEachOperator(
        (memory, type, count, op) -> {
          MemorySegment operands = mine(memory, type, count, op);
          MemorySegment result = memory.blank(type, count);
          reductions.allReduce(orNull(operands), orNull(result), type, count, op);
          check(wanted(memory, type, count, op, size), result, type, count, op, "allReduce");
          RankMemory.check(mine(memory, type, count, op), operands, "the operands");
        });
  }

  void scan() {
    forEachOperator(
        (memory, type, count, op) -> {
          MemorySegment operands = mine(memory, type, count, op);
          MemorySegment result = memory.blank(type, count);
          reductions.scan(orNull(operands), orNull(result), type, count, op);
          check(wanted(memory, type, count, op, rank + 1), result, type, count, op, "scan");
          RankMemory.check(mine(memory, type, count, op), operands, "the operands");
        });
  }

  void exscan() {
    forEachOperator(
        (memory, type, count, op) -> {
          MemorySegment operands = mine(memory, type, count, op);
          MemorySegment result = memory.blank(type, count);
          reductions.exscan(orNull(operands), orNull(result), type, count, op);
          if (rank == 0) {
            RankMemory.check(memory.blank(type, count), result, "rank 0 of an exscan");
          } else {
            check(wanted(memory, type, count, op, rank), result, type, count, op, "exscan");
          }
          RankMemory.check(mine(memory, type, count, op), operands, "the operands");
        });
  }

  void reduceScatter() {
    forEachOperator(
        (memory, type, count, op) -> {
          // Blocks of different lengths; every third rank gets none.
          long[] counts = new long[size];
          Arrays.setAll(counts, i -> i % 3 == 1 ? 0 : count / (i + 1));
          long total = Arrays.stream(counts).sum();
          long before = Arrays.stream(counts, 0, rank).sum();
          MemorySegment operands = mine(memory, type, total, op);
          MemorySegment result = memory.blank(type, counts[rank]);
          reductions.reduceScatter(orNull(operands), orNull(result), type, counts, op);
          MemorySegment wanted = wanted(memory, type, total, op, size);
          MemorySegment block = wanted.asSlice(type.bytes(before), type.bytes(counts[rank]));
          check(block, result, type, counts[rank], op, "reduceScatter");
        });
  }

  /** Sums vectors so long that ranks share the work: element i of rank r is i + r. */
  void large() {
    long count = 131_075;
    try (RankMemory memory = new RankMemory()) {
      MemorySegment own = memory.blank(DType.F64, count);
      for (long i = 0; i < count; i++) {
        own.setAtIndex(ValueLayout.JAVA_DOUBLE, i, (double) (i + rank));
      }
      MemorySegment result = memory.blank(DType.F64, count);
      reductions.allReduce(own, result, DType.F64, count, ReduceOp.SUM);
      checkSums(result, 0, count, size, "allReduce");
      reductions.reduce(own, result.fill((byte) 1), DType.F64, count, ReduceOp.SUM, size - 1);
      if (rank == size - 1) {
        checkSums(result, 0, count, size, "reduce");
      }
      reductions.scan(own, result, DType.F64, count, ReduceOp.SUM);
      checkSums(result, 0, count, rank + 1, "scan");
      reductions.exscan(own, result, DType.F64, count, ReduceOp.SUM);
      checkSums(result, 0, count, rank == 0 ? 1 : rank, "exscan");
      long[] counts = new long[size];
      Arrays.fill(counts, count / size);
      reductions.reduceScatter(own, result, DType.F64, counts, ReduceOp.SUM);
      checkSums(result, rank * counts[0], counts[0], size, "reduceScatter");
    }
  }

  private static void checkSums(
      MemorySegment result, long first, long count, int ranks, String form) {
    for (long i = 0; i < count; i++) {
      double wanted = (double) (ranks * (first + i) + ranks * (ranks - 1L) / 2);
      double got = result.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
      if (got != wanted) {
        fail(form + ": element " + i + " is " + got + ", wanted " + wanted);
      }
    }
  }

  /** Runs each reduction with the operands' buffer as the result's. */
  void inPlace() {
    forEachOperator(
        (memory, type, count, op) -> {
          int root = Math.floorMod(count, size);
          MemorySegment buffer = mine(memory, type, count, op);
          reductions.reduce(
              buffer, rank == root ? buffer : MemorySegment.NULL, type, count, op, root);
          int combined = rank == root ? size : 0;
          checkInPlace(memory, buffer, type, count, op, combined, "reduce");

          buffer = mine(memory, type, count, op);
          reductions.allReduce(buffer, buffer, type, count, op);
          checkInPlace(memory, buffer, type, count, op, size, "allReduce");

          buffer = mine(memory, type, count, op);
          reductions.scan(buffer, buffer, type, count, op);
          checkInPlace(memory, buffer, type, count, op, rank + 1, "scan");

          buffer = mine(memory, type, count, op);
          reductions.exscan(buffer, buffer, type, count, op);
          checkInPlace(memory, buffer, type, count, op, rank, "exscan");
        });
  }

  /** Checks a buffer that holds what so many ranks combined, or for none the operands still. */
  private void checkInPlace(
      RankMemory memory,
      MemorySegment buffer,
      DType type,
      long count,
      ReduceOp op,
      int ranks,
      String form) {
    MemorySegment wanted =
        ranks == 0 ? mine(memory, type, count, op) : wanted(memory, type, count, op, ranks);
    check(wanted, buffer, type, count, op, form + " in place");
  }
}
