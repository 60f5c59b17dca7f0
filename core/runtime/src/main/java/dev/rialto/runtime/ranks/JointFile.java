package dev.rialto.runtime.ranks;

import dev.rialto.runtime.Work;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.system.files.WholeFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A {@link WholeFile} that ranks write together: the first one creates it, all of them write to the
 * temporary file, step by step, and the first one puts it in place. Its folder must be one that all
 * of them see.
 *
 * <p>After each step the ranks ask one another whether it worked, so that none waits for one that
 * failed, and all of them throw; what was written is removed then.
 */
public final class JointFile {
  /** More than any reason has. */
  private static final int MOST_BYTES = 1024;

  private JointFile() {}

  /**
   * Writes a file. Collective.
   *
   * @param what all ranks write together, in words that tell it from anything else
   * @param steps what the ranks do, each after all have done the one before
   * @throws IOException on all ranks if one of them could not write; what it threw else, there
   * @throws MismatchException on all ranks if they write different things, or to different files
   */
  public static void write(Communicator comm, Path file, String what, WholeFile.Step... steps)
      throws IOException {
    boolean first = comm.rank() == 0;
    requireSame(comm, "%s to %s".formatted(what, file));
    long token = agree(comm, first ? WholeFile.token() : 0);
    WholeFile[] whole = new WholeFile[1];
    try {
      together(comm, first, () -> whole[0] = WholeFile.create(file, token));
      Path temporary = WholeFile.temporary(file, token);
      for (WholeFile.Step step : steps) {
        together(comm, true, () -> run(step, file, temporary));
      }
      together(comm, first, () -> whole[0].commit());
    } finally {
      if (whole[0] != null) {
        whole[0].close();
      }
    }
  }

  /** Has all ranks throw, with both sides, if some write something else than the first. */
  private static void requireSame(Communicator comm, String mine) {
    String ofFirst = tell(comm, comm.rank() == 0 ? mine : "");
    // Long words are cut off on their way.
    boolean same = cut(mine).equals(ofFirst);
    long other = agree(comm, same ? 0 : comm.rank() + 1) - 1;
    if (other >= 0) {
      String ofOther = tell(comm, other == comm.rank() ? mine : "");
      throw new MismatchException(
          "rank 0 writes %s, rank %d writes %s".formatted(ofFirst, other, ofOther),
          "rank " + comm.rank() + " of " + comm.size(),
          "write the same to one file on all ranks",
          null);
    }
  }

  private static void run(WholeFile.Step step, Path file, Path temporary) throws IOException {
    try {
      step.run(temporary);
    } catch (IOException e) {
      throw WholeFile.failure(file, e);
    }
  }

  /** The work of a rank on a file. */
  @FunctionalInterface
  public interface Work {
    /** Reads or writes. */
    void run() throws IOException;
  }

  /**
   * Does on each rank what may fail there, such as opening a file. Collective.
   *
   * @throws IOException on all ranks if it failed on one of them
   */
  public static void onAllRanks(Communicator comm, Work work) throws IOException {
    together(comm, true, work);
  }

  private static void together(Communicator comm, boolean mine, Work work) throws IOException {
    Throwable failure = null;
    if (mine) {
      try {
        work.run();
      } catch (IOException | RuntimeException | Error e) {
        failure = e;
      }
    }
    long failed = agree(comm, failure == null ? 0 : comm.rank() + 1);
    if (failed == 0) {
      return;
    }
    String own = failure == null ? "" : String.valueOf(failure.getMessage());
    String reason = tell(comm, failed == comm.rank() + 1 ? own : "");
    switch (failure) {
      case null -> throw new IOException(reason);
      case IOException e -> throw e;
      case Error e -> throw e;
      default -> throw (RuntimeException) failure;
    }
  }

  /** Returns one rank's words on all of them, cut off where they are long; others have none. */
  private static String tell(Communicator comm, String words) {
    byte[] bytes = bytes(words);
    try (Arena arena = Arena.ofConfined()) {
      // An operation that is needed anyway, on numbers that are not negative: a byte each.
      MemorySegment letters = arena.allocate(ValueLayout.JAVA_LONG, MOST_BYTES);
      for (int i = 0; i < MOST_BYTES; i++) {
        letters.setAtIndex(ValueLayout.JAVA_LONG, i, bytes[i] & 0xFF);
      }
      comm.allReduce(letters, letters, DType.I64, MOST_BYTES, ReduceOp.MAX);
      for (int i = 0; i < MOST_BYTES; i++) {
        bytes[i] = (byte) letters.getAtIndex(ValueLayout.JAVA_LONG, i);
      }
    }
    return text(bytes);
  }

  private static byte[] bytes(String words) {
    return Arrays.copyOf(words.getBytes(StandardCharsets.UTF_8), MOST_BYTES);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8).replace("\0", "");
  }

  private static String cut(String words) {
    return text(bytes(words));
  }

  private static long agree(Communicator comm, long value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment both = arena.allocateFrom(ValueLayout.JAVA_LONG, value);
      comm.allReduce(both, both, DType.I64, 1, ReduceOp.MAX);
      return both.get(ValueLayout.JAVA_LONG, 0);
    }
  }
}
