package dev.rialto.spi.files;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * A {@link WholeFile} that ranks write together: the first one creates it, all of them write to the
 * temporary file, step by step, and the first one puts it in place. Its folder must be one that all
 * of them see.
 *
 * <p>After each step the ranks ask one another whether it worked, so that none waits for one that
 * failed, and all of them throw; what was written is removed then.
 */
public final class JointFile {
  private JointFile() {}

  /**
   * Writes a file. Collective.
   *
   * @param steps what the ranks do, each after all have done the one before
   * @throws IOException on all ranks if one of them could not write
   */
  public static void write(Communicator comm, Path file, WholeFile.Step... steps)
      throws IOException {
    boolean first = comm.rank() == 0;
    long token = agree(comm, first ? WholeFile.token() : 0);
    WholeFile[] whole = new WholeFile[1];
    try {
      together(comm, file, first, () -> whole[0] = WholeFile.create(file, token));
      Path temporary = WholeFile.temporary(file, token);
      for (WholeFile.Step step : steps) {
        together(comm, file, true, () -> run(step, file, temporary));
      }
      together(comm, file, first, () -> whole[0].commit());
    } finally {
      if (whole[0] != null) {
        whole[0].close();
      }
    }
  }

  private static void run(WholeFile.Step step, Path file, Path temporary) throws IOException {
    try {
      step.run(temporary);
    } catch (IOException e) {
      throw WholeFile.failure(file, e);
    }
  }

  @FunctionalInterface
  private interface Work {
    void run() throws IOException;
  }

  private static void together(Communicator comm, Path file, boolean mine, Work work)
      throws IOException {
    IOException failure = null;
    if (mine) {
      try {
        work.run();
      } catch (IOException e) {
        failure = e;
      }
    }
    boolean failed = agree(comm, failure == null ? 0 : 1) != 0;
    if (failure != null) {
      throw failure;
    }
    if (failed) {
      throw new IOException(file + " cannot be written: another rank says why");
    }
  }

  private static long agree(Communicator comm, long value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment both = arena.allocateFrom(ValueLayout.JAVA_LONG, value);
      comm.allReduce(both, both, DType.I64, 1, ReduceOp.MAX);
      return both.get(ValueLayout.JAVA_LONG, 0);
    }
  }
}
