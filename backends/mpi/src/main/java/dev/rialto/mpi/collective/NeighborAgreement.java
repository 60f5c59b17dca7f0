package dev.rialto.mpi.collective;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.message.MpiRequest;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.error.MismatchException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * The exchange of signatures along the edges of a topology that comes before each of its
 * collectives. Each rank tells each target what it sends it; a rank that expects something else
 * finds out. Ranks that are not neighbours do not wait for each other.
 */
final class NeighborAgreement {
  private static final class Functions {
    static final MethodHandle ALL_TO_ALL_V = Mpi.function("MPI_Ineighbor_alltoallv", "ppphppphhp");
  }

  private final MpiGroup group;
  private final long comm;
  private final int[] sources;
  private final int[] targets;

  /** Counts and places of signatures that are sent, then of those that are received. */
  private final MemorySegment table;

  /** Memory for signatures, those of targets before those of sources, that no exchange uses. */
  private final Deque<MemorySegment> free = new ConcurrentLinkedDeque<>();

  NeighborAgreement(MpiGroup group, long comm, int[] sources, int[] targets) {
    this.group = group;
    this.comm = comm;
    this.sources = sources;
    this.targets = targets;
    this.table = Arena.ofAuto().allocate(JAVA_INT, 2L * (targets.length + sources.length) + 2);
    write(0, targets.length);
    write(2 * targets.length, sources.length);
  }

  private void write(int first, int edges) {
    for (int i = 0; i < edges; i++) {
      table.setAtIndex(JAVA_INT, first + i, Signature.BYTES);
      table.setAtIndex(JAVA_INT, (long) first + edges + i, i * Signature.BYTES);
    }
  }

  /**
   * Begins the exchange for a collective.
   *
   * @param mine the call; its amount is that of each edge where there are no counts
   * @param sent how many elements go to each target, if not the same to all
   * @param expected how many come from each source, if not the same from all
   */
  SignatureExchange begin(Signature mine, long @Nullable [] sent, long @Nullable [] expected) {
    MemorySegment memory = free.pollFirst();
    if (memory == null) {
      long edges = 1L + targets.length + sources.length;
      memory = Arena.ofAuto().allocate(edges * Signature.BYTES, Signature.BYTES);
    }
    long address = memory.address();
    for (int i = 0; i < targets.length; i++) {
      mine.withAmount(sent == null ? mine.amount() : sent[i])
          .write(address + (long) i * Signature.BYTES);
    }
    MpiCall operation = new MpiCall(mine.collective().toString(), 0);
    long counts = table.address();
    long countsReceived = counts + 2L * targets.length * Integer.BYTES;
    int code =
        Native.call(
            Functions.ALL_TO_ALL_V,
            address,
            counts,
            counts + (long) targets.length * Integer.BYTES,
            Mpi.BYTE,
            address + (long) targets.length * Signature.BYTES,
            countsReceived,
            countsReceived + (long) sources.length * Integer.BYTES,
            Mpi.BYTE,
            comm,
            Scratch.get().request());
    group.check(code, operation);
    MpiRequest request = new MpiRequest(group, operation, false, memory, table);
    return new OfSources(request, memory, mine, expected);
  }

  /** The signatures of all sources, after those for the targets. */
  private final class OfSources extends SignatureExchange {
    private final Signature mine;
    private final long @Nullable [] expected;

    OfSources(
        MpiRequest request, MemorySegment memory, Signature mine, long @Nullable [] expected) {
      super(NeighborAgreement.this.group, request, memory, free, false);
      this.mine = mine;
      this.expected = expected == null ? null : expected.clone();
    }

    @Override
    @Nullable MismatchException compare() {
      for (int i = 0; i < sources.length; i++) {
        long address = memory.address() + (long) (targets.length + i) * Signature.BYTES;
        long amount = expected == null ? mine.amount() : expected[i];
        if (Native.getLong(address) != mine.call()
            || Native.getLong(address + Long.BYTES) != amount) {
          return new MismatchException(
              "neighbours disagree: rank %s called %s for rank %s, which called %s for it"
                  .formatted(
                      sources[i], Signature.at(address), group.rank(), mine.withAmount(amount)),
              group.where(),
              "give each edge of the topology the same type and count at both ends",
              null);
        }
      }
      return null;
    }
  }
}
