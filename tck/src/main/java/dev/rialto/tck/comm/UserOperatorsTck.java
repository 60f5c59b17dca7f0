package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.tck.Mistake;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.reference.ReductionReference;
import java.lang.foreign.MemorySegment;

/** Reductions by operators of the user: their order, their arguments and their failures. */
@Requires({Capability.REDUCTIONS, Capability.USER_OPERATORS})
public final class UserOperatorsTck extends CommunicationTck {
  @Requirement(
      id = "RED-013",
      text = "A user's operator is applied in rank order, so it need not be commutative.")
  void userOperatorsKeepRankOrder(Communicator comm, RankMemory memory) {
    for (long count : new long[] {1, 2, 63, 1025, 20_001, 140_000}) {
      MemorySegment own = compositions(memory, comm.rank(), count);
      MemorySegment all = memory.blank(DType.I64, count);
      comm.allReduce(own, all, DType.I64, count, ReductionReference.COMPOSE);
      RankMemory.check(composed(memory, comm.size(), count), all, count + " on all ranks");
      MemorySegment before = memory.blank(DType.I64, count);
      comm.scan(own, before, DType.I64, count, ReductionReference.COMPOSE);
      RankMemory.check(composed(memory, comm.rank() + 1, count), before, count + " scanned");
    }
  }

  private static MemorySegment compositions(RankMemory memory, int rank, long count) {
    return memory.pattern(RankMemory.key(rank, count), DType.I64, count);
  }

  private static MemorySegment composed(RankMemory memory, int ranks, long count) {
    MemorySegment result = compositions(memory, 0, count);
    for (int rank = 1; rank < ranks; rank++) {
      MemorySegment next = compositions(memory, rank, count);
      ReductionReference.combine(result, next, DType.I64, count, ReductionReference.COMPOSE);
      result = next;
    }
    return result;
  }

  @Requirement(
      id = "RED-014",
      text =
          "A user's operator gets any type, segments that do not overlap, and what it must fill.")
  void userOperatorsGetWholeVectors(Communicator comm, RankMemory memory) {
    for (DType type : DType.values()) {
      ReduceOp last =
          ReduceOp.user(
              "last",
              false,
              (left, right, given, count) -> {
                boolean fits =
                    given == type
                        && count > 0
                        && left.byteSize() >= type.bytes(count)
                        && right.byteSize() >= type.bytes(count)
                        && left.asOverlappingSlice(right).isEmpty();
                if (!fits) {
                  throw new IllegalStateException(
                      count + " " + given + " in " + left + " and " + right);
                }
              });
      MemorySegment result = memory.blank(type, 37);
      comm.allReduce(memory.pattern(comm.rank(), type, 37), result, type, 37, last);
      RankMemory.check(memory.pattern(last(comm), type, 37), result, "last of " + type);
    }
  }

  @Requirement(
      id = "RED-015",
      text = "What a user's operator throws fails the reduction and is the cause of its failure.")
  void throwingOperatorsFailTheReduction() {
    ReduceOp broken =
        ReduceOp.user(
            "broken",
            false,
            (_, _, _, _) -> {
              throw new ArithmeticException("not today");
            });
    try (World world = openSeveral()) {
      Throwable failure =
          assertThrows(
              CommunicationException.class,
              () ->
                  world.run(
                      comm -> {
                        try (RankMemory memory = new RankMemory()) {
                          MemorySegment buffer = memory.longs(1);
                          // No rank fails before all run.
                          comm.allReduce(buffer, buffer, DType.I64, 1, ReduceOp.SUM);
                          comm.allReduce(buffer, buffer, DType.I64, 1, broken);
                        }
                      }));
      boolean told = false;
      for (Throwable e = failure; e != null; e = e.getCause()) {
        // The exception of another process can only be quoted.
        told |=
            (e instanceof ArithmeticException || e instanceof PeerFailedException)
                && String.valueOf(e.getMessage()).contains("not today");
      }
      assertTrue(told, () -> "the operator's exception is not among the causes of " + failure);
    }
  }

  @Requirement(
      id = "RED-022",
      text = "A user's operator that calls a collective itself fails the reduction, or is served.")
  void operatorsThatCommunicateHangNoRank() {
    for (boolean request : new boolean[] {false, true}) {
      try (World world = openSeveral()) {
        Mistake.isDone(
            "a collective within an operator",
            () ->
                world.run(
                    comm -> {
                      try (RankMemory memory = new RankMemory()) {
                        MemorySegment buffer = memory.longs(1);
                        comm.allReduce(buffer, buffer, DType.I64, 1, ReduceOp.SUM);
                        ReduceOp.Combiner nested =
                            (_, _, _, _) -> {
                              if (request) {
                                comm.start(new Collective.Barrier()).await();
                              } else {
                                comm.barrier();
                              }
                            };
                        ReduceOp op = ReduceOp.user("nested", false, nested);
                        comm.allReduce(buffer, buffer, DType.I64, 1, op);
                      }
                    }));
      }
    }
  }
}
