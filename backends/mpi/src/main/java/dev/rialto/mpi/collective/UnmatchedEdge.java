package dev.rialto.mpi.collective;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Two ranks of which one sends what the other does not expect.
 *
 * @param from who sends
 * @param to to whom
 * @param sent how much
 * @param expected how much is expected
 */
record UnmatchedEdge(long from, long to, long sent, long expected) {
  private static final int WORDS = 4;
  private static final long NOBODY = -1;

  /**
   * Finds the first, the same on all ranks. Collective.
   *
   * @param sent what this rank sends to each
   * @param expected what it expects from each
   */
  static UnmatchedEdge find(MpiGroup group, Collectives collectives, long[] sent, long[] expected) {
    int size = group.size();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment arriving = arena.allocate(JAVA_LONG, size);
      collectives.allToAll(arena.allocateFrom(JAVA_LONG, sent), arriving, DType.I64, 1);
      MemorySegment mine = arena.allocateFrom(JAVA_LONG, NOBODY, group.rank(), 0, 0);
      for (int from = size - 1; from >= 0; from--) {
        long its = arriving.getAtIndex(JAVA_LONG, from);
        if (its != expected[from]) {
          mine.copyFrom(arena.allocateFrom(JAVA_LONG, from, group.rank(), its, expected[from]));
        }
      }
      MemorySegment all = arena.allocate(JAVA_LONG, (long) size * WORDS);
      collectives.allGather(mine, all, DType.I64, WORDS);
      for (long to = 0; to < size - 1; to++) {
        if (all.getAtIndex(JAVA_LONG, to * WORDS) != NOBODY) {
          return at(all, to);
        }
      }
      return at(all, size - 1);
    }
  }

  private static UnmatchedEdge at(MemorySegment all, long rank) {
    long first = rank * WORDS;
    return new UnmatchedEdge(
        all.getAtIndex(JAVA_LONG, first),
        all.getAtIndex(JAVA_LONG, first + 1),
        all.getAtIndex(JAVA_LONG, first + 2),
        all.getAtIndex(JAVA_LONG, first + 3));
  }

  /** Puts it into words. */
  MismatchException explain(Signature signature, String where) {
    boolean topology = signature.collective() == CollectiveKind.TOPOLOGY;
    String words =
        topology
            ? "rank %d names rank %d as target %d times, but rank %2$d names rank %1$d as source"
                + " %4$d times"
            : "rank %d sends %3$d elements to rank %2$d, which expects %4$d";
    return new MismatchException(
        "ranks disagree on " + signature + ": " + words.formatted(from, to, sent, expected),
        where,
        topology ? "name each edge at both ends" : "give each pair of ranks the same count",
        null);
  }
}
