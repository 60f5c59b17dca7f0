package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.Mistake;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.function.Executable;

/**
 * Mistakes with messages and collectives: each ends by an exception that gives a reason, or as if
 * it were none, and the communicator works afterwards. None crashes, hangs or spoils a number.
 */
@Requires(Capability.POINT_TO_POINT)
public final class CommunicationMisuseTck extends CommunicationTck {
  private static final int SEVERAL = 20;

  @Requirement(
      id = "MIS-007",
      text = "Counts whose bytes do not fit into 64 bits are refused, and nothing moves.")
  void countsDoNotWrapAround(Communicator comm, RankMemory memory) {
    // 8 times these are 8, 0 and 2^63 in 64 bits.
    long[] counts = {(1L << 61) + 1, 1L << 61, 1L << 60, Long.MAX_VALUE};
    MemorySegment small = memory.blank(64);
    MemorySegment other = memory.blank(64L * comm.size());
    for (long count : counts) {
      int self = comm.rank();
      String what = count + " elements";
      Mistake.isRefused(what, () -> comm.send(small, DType.I64, count, self, 1));
      Mistake.isRefused(what, () -> comm.receive(small, DType.I64, count, self, 1));
      if (has(Capability.COLLECTIVES)) {
        Mistake.isRefused(what, () -> comm.broadcast(small, DType.I64, count, 0));
        Mistake.isRefused(what, () -> comm.allGather(small, other, DType.I64, count));
        Mistake.isRefused(
            "blocks of " + (Long.MAX_VALUE / 8 / comm.size() + 1) + " elements",
            () -> comm.allToAll(small, other, DType.I64, Long.MAX_VALUE / 8 / comm.size() + 1));
      }
      if (has(Capability.REDUCTIONS)) {
        Mistake.isRefused(what, () -> comm.allReduce(small, other, DType.I64, count, ReduceOp.SUM));
      }
    }
    RankMemory.check(memory.blank(64), small, "the buffer");
    works(comm, memory);
  }

  @Requirement(
      id = "MIS-008",
      text =
          "Buffers that overlap in part are refused by every collective; a reduction, or one that "
              + "gathers everywhere, may also be right all the same.",
      capability = {Capability.COLLECTIVES, Capability.REDUCTIONS})
  void overlappingBuffers(Communicator comm, RankMemory memory) {
    int count = 1000;
    MemorySegment whole = memory.longs(new long[(comm.size() + 2) * count]);
    MemorySegment send = whole.asSlice(0, 8L * count * comm.size());
    MemorySegment receive = whole.asSlice(8L * count / 2);
    fill(send, 1);
    if (Mistake.isDone(
        "a reduction with overlap",
        () -> comm.allReduce(send, receive, DType.I64, count, ReduceOp.SUM))) {
      check(comm.size(), receive, count, "sums");
    }
    meet(comm);
    fill(send, comm.rank());
    if (Mistake.isDone(
        "an allGather with overlap", () -> comm.allGather(send, receive, DType.I64, count))) {
      for (int rank = 0; rank < comm.size(); rank++) {
        check(rank, receive.asSlice(8L * count * rank), count, "what was gathered");
      }
    }
    meet(comm);
    long[] counts = new long[comm.size()];
    Arrays.fill(counts, count);
    long[] places = LongStream.range(0, comm.size()).map(i -> i * count).toArray();
    int root = comm.rank();
    DType type = DType.I64;
    for (Executable call :
        List.<Executable>of(
            () -> comm.gather(send, receive, type, count, root),
            () -> comm.gatherV(send, count, receive, counts, places, type, root),
            () -> comm.scatter(send, receive, type, count, root),
            () -> comm.scatterV(send, counts, places, receive, count, type, root),
            () -> comm.allGatherV(send, count, receive, counts, places, type),
            () -> comm.allToAll(send, receive, type, count),
            () -> comm.allToAllV(send, counts, places, receive, counts, places, type))) {
      Mistake.isRefused(IllegalArgumentException.class, "overlap", call);
    }
    works(comm, memory);
  }

  @Requirement(
      id = "MIS-011",
      text = "Buffers that overlap in part are refused along a topology.",
      capability = {Capability.COLLECTIVES, Capability.NEIGHBORHOODS})
  void overlappingBuffersOfNeighbours(Communicator comm, RankMemory memory) {
    int count = 1000;
    MemorySegment whole = memory.longs(new long[2 * count]);
    MemorySegment receive = whole.asSlice(8L * count / 2);
    int[] self = {comm.rank()};
    long[] counts = {count};
    long[] places = {0};
    try (Topology topology = comm.topology(self, self)) {
      for (Collective.AlongEdges each :
          List.of(
              new Collective.AllGather(whole, receive, DType.I64, count),
              new Collective.AllGatherV(whole, count, receive, counts, places, DType.I64),
              new Collective.AllToAll(whole, receive, DType.I64, count),
              new Collective.AllToAllV(
                  whole, counts, places, receive, counts, places, DType.I64))) {
        Mistake.isRefused(
            IllegalArgumentException.class,
            "overlap",
            () -> {
              try (Request request = topology.start(each)) {
                request.await();
              }
            });
      }
    }
    works(comm, memory);
  }

  private static void fill(MemorySegment longs, long value) {
    for (long i = 0; i < longs.byteSize() / 8; i++) {
      longs.setAtIndex(ValueLayout.JAVA_LONG, i, value);
    }
  }

  private static void check(long wanted, MemorySegment longs, int count, String what) {
    for (int i = 0; i < count; i++) {
      assertEquals(wanted, longs.getAtIndex(ValueLayout.JAVA_LONG, i), what);
    }
  }

  @Requirement(
      id = "MIS-009",
      text = "Results into read-only memory are refused with IllegalArgumentException.",
      capability = {Capability.COLLECTIVES, Capability.REDUCTIONS})
  void readOnlyResults(Communicator comm, RankMemory memory) {
    MemorySegment send = memory.blank(64L * comm.size());
    MemorySegment fixed = memory.blank(64L * comm.size()).asReadOnly();
    int other = next(comm);
    for (Executable call :
        List.<Executable>of(
            () -> comm.allGather(send, fixed, DType.I64, 1),
            () -> comm.allToAll(send, fixed, DType.I64, 1),
            () -> comm.gather(send, fixed, DType.I64, 1, comm.rank()),
            () -> comm.scatter(send, fixed, DType.I64, 1, other),
            () -> comm.allReduce(send, fixed, DType.I64, 1, ReduceOp.SUM),
            () -> comm.scan(send, fixed, DType.I64, 1, ReduceOp.SUM),
            () -> comm.reduce(send, fixed, DType.I64, 1, ReduceOp.SUM, comm.rank()))) {
      Mistake.isRefused(IllegalArgumentException.class, "a read-only result", call);
    }
    works(comm, memory);
  }

  @Requirement(
      id = "MIS-010",
      text = "A request that is closed can be asked and awaited: it answers, and does not hang.",
      capability = {Capability.NON_BLOCKING, Capability.CANCEL})
  void closedRequestsAnswer(Communicator comm, RankMemory memory) {
    Request receive = comm.ireceive(memory.blank(8), DType.I64, 1, comm.rank(), 1);
    receive.close();
    Request done = comm.isend(memory.longs(4), DType.I64, 1, comm.rank(), 2);
    comm.receive(memory.blank(8), DType.I64, 1, comm.rank(), 2);
    done.await();
    done.close();
    for (Request request : List.of(receive, done)) {
      Mistake.isDone("testing a closed request", request::test);
      Mistake.isDone("awaiting a closed request", request::await);
      Mistake.isDone("cancelling a closed request", request::cancel);
      request.close();
    }
    works(comm, memory);
  }

  @Requirement(
      id = "MIS-012",
      text = "Blocks to be received that overlap each other are refused, in any order.",
      capability = Capability.COLLECTIVES)
  void overlappingBlocksAreRefused(Communicator comm, RankMemory memory) {
    int n = comm.size();
    if (n == 1) {
      return;
    }
    MemorySegment send = memory.blank(16L * n);
    MemorySegment receive = memory.blank(32L * n);
    long[] twos = new long[n];
    Arrays.fill(twos, 2);
    long[] packed = LongStream.range(0, n).map(i -> 2 * i).toArray();
    long[] backwards = LongStream.range(0, n).map(i -> 2 * (n - 1 - i)).toArray();
    for (long[] order : new long[][] {packed, backwards}) {
      long[] starts = order.clone();
      comm.allGatherV(send, 2, receive, twos, starts, DType.I64);
      starts[1] = starts[0] + 1;
      Mistake.isRefused(
          IllegalArgumentException.class,
          "blocks that overlap",
          () -> comm.allGatherV(send, 2, receive, twos, starts, DType.I64));
      Mistake.isRefused(
          IllegalArgumentException.class,
          "blocks that overlap",
          () -> comm.allToAllV(send, twos, packed, receive, twos, starts, DType.I64));
    }
    works(comm, memory);
  }

  @Requirement(
      id = "MIS-013",
      text = "A request that two threads await is complete for both.",
      capability = {Capability.NON_BLOCKING, Capability.MULTI_THREADED})
  void requestsOfTwoThreads() {
    onPair(
        (comm, memory) -> {
          for (int i = 0; i < SEVERAL; i++) {
            awaitSignal(comm, last(comm));
            comm.send(memory.longs(i), DType.I64, 1, last(comm), 1);
          }
        },
        (comm, memory) -> {
          for (int i = 0; i < SEVERAL; i++) {
            MemorySegment buffer = Arena.ofAuto().allocate(8, 8);
            Request receive = comm.ireceive(buffer, DType.I64, 1, 0, 1);
            CompletableFuture<Status> other = CompletableFuture.supplyAsync(receive::await);
            signal(comm, 0);
            assertEquals(8, receive.await().bytes());
            assertEquals(8, other.join().bytes());
            receive.close();
          }
        });
  }
}
