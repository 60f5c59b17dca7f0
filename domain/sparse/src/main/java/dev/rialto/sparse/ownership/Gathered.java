package dev.rialto.sparse.ownership;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The words of all ranks, known to each: for sizes, for agreeing, and for failing together. */
public final class Gathered {
  private Gathered() {}

  /** Collects a number of each rank, in rank order. Collective. */
  public static long[] longs(Communicator comm, long value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(JAVA_LONG, comm.size());
      comm.allGather(arena.allocateFrom(JAVA_LONG, value), all, DType.I64, 1);
      return all.toArray(JAVA_LONG);
    }
  }

  /** Collects a text of each rank, in rank order. Collective. */
  public static String[] texts(Communicator comm, String text) {
    byte[] mine = text.getBytes(StandardCharsets.UTF_8);
    long[] lengths = longs(comm, mine.length);
    int longest = (int) Arrays.stream(lengths).max().orElse(0);
    String[] texts = new String[lengths.length];
    if (longest == 0) {
      Arrays.fill(texts, "");
      return texts;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate((long) longest * comm.size());
      comm.allGather(
          arena.allocateFrom(JAVA_BYTE, Arrays.copyOf(mine, longest)), all, DType.I8, longest);
      for (int rank = 0; rank < texts.length; rank++) {
        byte[] bytes = all.asSlice((long) rank * longest, lengths[rank]).toArray(JAVA_BYTE);
        texts[rank] = new String(bytes, StandardCharsets.UTF_8);
      }
      return texts;
    }
  }

  /**
   * Checks that all ranks say the same. Collective.
   *
   * @param what what they talk about
   * @param remedy what to do where they differ
   * @throws MismatchException on all ranks, with two sides that differ
   */
  public static void agree(Communicator comm, String what, String mine, String remedy) {
    String[] all = texts(comm, mine);
    for (int rank = 1; rank < all.length; rank++) {
      if (!all[rank].equals(all[0])) {
        throw new MismatchException(
            "ranks disagree on %s: rank 0 has %s, rank %d has %s"
                .formatted(what, all[0], rank, all[rank]),
            "rank " + comm.rank() + " of " + comm.size(),
            remedy,
            null);
      }
    }
  }

  /**
   * Returns the problem of the lowest rank that has one, the same on all ranks. Collective.
   *
   * @param problem what this rank found; empty if nothing
   * @return empty if no rank found anything
   */
  public static String problem(Communicator comm, String problem) {
    String[] all = texts(comm, problem);
    for (int rank = 0; rank < all.length; rank++) {
      if (!all[rank].isEmpty()) {
        return all.length == 1 ? all[rank] : "rank " + rank + ": " + all[rank];
      }
    }
    return "";
  }
}
