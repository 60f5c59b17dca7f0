package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.generated.Kind;
import dev.rialto.tck.generated.Step.Form;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.function.Executable;

/** Blocking collectives: what each rank gets, and what is refused. */
@Requires(Capability.COLLECTIVES)
public final class CollectivesTck extends CommunicationTck {
  @Requirement(
      id = "COLL-001",
      text = "A barrier returns only when all ranks have called it.",
      capability = {Capability.POINT_TO_POINT, Capability.NON_BLOCKING},
      ranks = 2)
  void barrierWaitsForAll(Communicator comm) {
    for (int late : new int[] {0, last(comm)}) {
      if (comm.rank() != late) {
        comm.barrier();
        signal(comm, late);
        continue;
      }
      List<Request> left = new ArrayList<>();
      for (int rank = 0; rank < comm.size(); rank++) {
        if (rank != late) {
          left.add(comm.ireceive(MemorySegment.NULL, DType.I8, 0, rank, SIGNAL));
        }
      }
      assertTrue(
          !within(A_WHILE, () -> left.stream().anyMatch(Request::test)),
          "a rank left the barrier before rank " + late + " came");
      comm.barrier();
      comm.awaitAll(left);
    }
  }

  @Requirement(
      id = "COLL-002",
      with = "BROADCAST",
      text = "A broadcast copies the root's elements to all ranks.")
  @Requirement(
      id = "COLL-003",
      with = "GATHER",
      text = "A gather collects equal blocks in the root's buffer, in rank order.")
  @Requirement(
      id = "COLL-004",
      with = "GATHER_V",
      text = "A gatherV places blocks of any length, or none, where the root says; gaps are left.")
  @Requirement(
      id = "COLL-005",
      with = "SCATTER",
      text = "A scatter hands equal blocks of the root's buffer to the ranks, in rank order.")
  @Requirement(
      id = "COLL-006",
      with = "SCATTER_V",
      text = "A scatterV hands each rank a block of its own length, or none, that the root says.")
  @Requirement(
      id = "COLL-007",
      with = "ALL_GATHER",
      text = "An allGather collects equal blocks on all ranks, in rank order.")
  @Requirement(
      id = "COLL-008",
      with = "ALL_GATHER_V",
      text = "An allGatherV places blocks of any length where each rank says; gaps are left.")
  @Requirement(
      id = "COLL-009",
      with = "ALL_TO_ALL",
      text = "An allToAll sends block i of each rank to rank i.")
  @Requirement(
      id = "COLL-010",
      with = "ALL_TO_ALL_V",
      text = "An allToAllV sends each rank a block of its own length, also none; gaps are left.")
  void moves(Kind kind) {
    scripts(script -> script.collective(kind, Form.BLOCKING));
  }

  @Requirement(id = "COLL-011", text = "Blocks that are only read may overlap.")
  void blocksThatAreReadMayOverlap(Communicator comm, RankMemory memory) {
    long[] counts = new long[comm.size()];
    Arrays.fill(counts, 5);
    MemorySegment all = memory.pattern(9, DType.I32, 5);
    MemorySegment mine = memory.blank(DType.I32, 5);
    comm.scatterV(all, counts, new long[comm.size()], mine, 5, DType.I32, 0);
    RankMemory.check(all, mine, "the block all ranks share");
  }

  @Requirement(
      id = "COLL-012",
      text = "Collectives take buffers on the Java heap.",
      capability = Capability.HEAP_BUFFERS)
  void heapBuffersWork(Communicator comm, RankMemory memory) {
    for (long count : new long[] {1, 1025, 20_000}) {
      Blocks blocks = Blocks.uniform(comm.size(), count);
      int me = comm.rank();
      MemorySegment out = blocks.filled(memory, DType.I32, i -> RankMemory.key(me, i));
      MemorySegment wantedIn = blocks.filled(memory, DType.I32, i -> RankMemory.key(i, me));
      MemorySegment in = onHeap(memory.blank(DType.I32, blocks.total()));
      comm.allToAll(onHeap(out), in, DType.I32, count);
      RankMemory.check(wantedIn, in, "all to all");
      MemorySegment wanted = memory.pattern(count, DType.I32, count);
      MemorySegment copy = onHeap(comm.rank() == 0 ? wanted : memory.blank(DType.I32, count));
      comm.broadcast(copy, DType.I32, count, 0);
      RankMemory.check(wanted, copy, "broadcast");
    }
  }

  @Requirement(
      id = "COLL-013",
      text = "Collectives and messages of one communicator do not meet.",
      capability = {Capability.POINT_TO_POINT, Capability.NON_BLOCKING})
  void collectivesTakeNoMessages(Communicator comm, RankMemory memory) throws Exception {
    MemorySegment buffer = memory.blank(8);
    Request receive =
        comm.ireceive(buffer, DType.I64, 1, PointToPoint.ANY_SOURCE, PointToPoint.ANY_TAG);
    collectives(comm, Kind.BROADCAST, Kind.ALL_GATHER, Kind.ALL_TO_ALL);
    assertTrue(!receive.test(), "a collective met a receive");
    comm.barrier();
    comm.send(memory.longs(4), DType.I64, 1, next(comm), 7);
    receive.await();
    RankMemory.check(memory.longs(4), buffer, "the message");
  }

  @Requirement(
      id = "COLL-014",
      text = "Parts of a split communicator run their collectives independently.",
      capability = Capability.SPLIT,
      ranks = 2)
  void partsAreIndependent(Communicator comm) throws Exception {
    int color = comm.rank() % 2;
    try (Communicator part = comm.split(color, -comm.rank()).orElseThrow()) {
      for (int i = 0; i <= color; i++) {
        collectives(part, Kind.ALL_GATHER, Kind.BROADCAST);
      }
    }
    comm.barrier();
  }

  @Requirement(
      id = "COLL-015",
      text = "Threads of a rank run collectives on communicators of their own at the same time.",
      capability = {Capability.SPLIT, Capability.MULTI_THREADED})
  void threadsRunCollectives(Communicator comm) throws Exception {
    List<Communicator> own = List.of(comm.dup(), comm.dup(), comm.dup());
    onThreads(own.size(), (thread, _) -> collectives(own.get(thread), Kind.ALL_TO_ALL));
    own.forEach(Communicator::close);
  }

  @Requirement(
      id = "COLL-016",
      text = "Ranks that disagree on the root, count, type or operation all get MismatchException.",
      capability = {Capability.SPLIT, Capability.MISMATCH_DETECTION},
      ranks = 2)
  void mismatchesAreTold(Communicator comm, RankMemory memory) {
    MemorySegment in = memory.blank(1024);
    MemorySegment out = memory.blank(1024);
    boolean odd = comm.rank() == last(comm);
    int disagreeing = odd ? 1 : 0;
    mismatch(comm, c -> c.broadcast(in, DType.I64, 4, disagreeing));
    mismatch(comm, c -> c.broadcast(in, DType.I64, 4 + disagreeing, 0));
    mismatch(comm, c -> c.broadcast(in, odd ? DType.I64 : DType.F64, 4, 0));
    mismatch(comm, c -> c.gather(in, out, DType.I64, 4 + disagreeing, 0));
    mismatch(comm, c -> c.scatter(in, out, DType.I64, 4, disagreeing));
    mismatch(comm, c -> c.allGather(in, out, DType.I64, 4 + disagreeing));
    mismatch(comm, c -> c.allToAll(in, out, odd ? DType.I32 : DType.F32, 4));
    mismatch(
        comm,
        c -> {
          if (odd) {
            c.allToAll(in, out, DType.I64, 4);
          } else {
            c.allGather(in, out, DType.I64, 4);
          }
        });
    mismatch(
        comm,
        c -> {
          if (odd) {
            c.barrier();
          } else {
            c.broadcast(in, DType.I64, 4, 0);
          }
        });
    long[] counts = new long[comm.size()];
    Arrays.fill(counts, 2);
    long[] places = Blocks.uniform(comm.size(), 2).displacements();
    mismatch(
        comm,
        c -> c.allToAllV(in, plus(counts, disagreeing), places, out, counts, places, DType.I64));
    mismatch(comm, c -> c.allGatherV(in, 2 + disagreeing, out, counts, places, DType.I64));
  }

  private static long[] plus(long[] counts, long more) {
    return Arrays.stream(counts).map(count -> count + more).toArray();
  }

  /** Checks, on a communicator of its own, that a collective is found not to fit the others'. */
  static void mismatch(Communicator comm, Consumer<Communicator> collective) {
    try (Communicator own = comm.dup()) {
      refuses(MismatchException.class, "", () -> collective.accept(own));
    }
  }

  @Requirement(
      id = "COLL-017",
      text = "A root that does not exist is refused with IndexOutOfBoundsException naming it.")
  void rootsExist(Communicator comm, RankMemory memory) throws Exception {
    MemorySegment buffer = memory.blank(8);
    long[] none = {};
    for (int root : new int[] {-1, comm.size()}) {
      List<Executable> calls =
          List.of(
              () -> comm.broadcast(buffer, DType.I8, 1, root),
              () -> comm.gather(buffer, buffer, DType.I8, 1, root),
              () -> comm.gatherV(buffer, 1, buffer, none, none, DType.I8, root),
              () -> comm.scatter(buffer, buffer, DType.I8, 1, root),
              () -> comm.scatterV(buffer, none, none, buffer, 1, DType.I8, root));
      for (Executable call : calls) {
        refuses(IndexOutOfBoundsException.class, root, call);
      }
    }
    collectives(comm, Kind.ALL_GATHER);
  }

  @Requirement(
      id = "COLL-018",
      text =
          "Counts that are negative, more or fewer than the ranks, or too many for a buffer are"
              + " refused before anything moves.")
  void countsFit(Communicator comm, RankMemory memory) throws Exception {
    int n = comm.size();
    MemorySegment small = memory.blank(8L * n - 1);
    MemorySegment large = memory.blank(16L * n);
    MemorySegment readOnly = memory.blank(8L * n).asReadOnly();
    DType type = DType.I64;
    Class<IllegalArgumentException> wrong = IllegalArgumentException.class;
    Class<IndexOutOfBoundsException> beyond = IndexOutOfBoundsException.class;
    refuses(wrong, -1, () -> comm.broadcast(large, type, -1, 0));
    refuses(wrong, -1, () -> comm.allToAll(large, large, type, -1));
    refuses(beyond, 7, () -> comm.broadcast(memory.blank(7), type, 1, 0));
    refuses(beyond, small.byteSize(), () -> comm.allGather(large, small, type, 1));
    refuses(beyond, 7, () -> comm.allGather(memory.blank(7), large, type, 1));
    refuses(beyond, small.byteSize(), () -> comm.allToAll(small, large, type, 1));
    refuses(beyond, small.byteSize(), () -> comm.allToAll(large, small, type, 1));
    refuses(wrong, "read-only", () -> comm.allGather(large, readOnly, type, 1));
    refuses(wrong, "read-only", () -> comm.allToAll(large, readOnly, type, 1));
    Blocks fits = Blocks.uniform(n, 1);
    Blocks more = Blocks.uniform(n + 1, 1);
    refuses(
        wrong,
        n + 1,
        () -> comm.allGatherV(large, 1, large, more.counts(), more.displacements(), type));
    long[] negative = new long[n];
    Arrays.fill(negative, -3);
    refuses(
        wrong, -3, () -> comm.allGatherV(large, 1, large, negative, fits.displacements(), type));
    refuses(wrong, -3, () -> comm.allGatherV(large, 1, large, fits.counts(), negative, type));
    refuses(
        beyond,
        small.byteSize(),
        () ->
            comm.allToAllV(
                large,
                fits.counts(),
                fits.displacements(),
                small,
                fits.counts(),
                fits.displacements(),
                type));
    collectives(comm, Kind.ALL_TO_ALL);
  }
}
