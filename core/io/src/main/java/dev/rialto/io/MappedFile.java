package dev.rialto.io;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Files of a header and elements, which ranks write together. */
final class MappedFile {
  private MappedFile() {}

  /** Makes a file of a header and zeros and maps the latter. */
  static MemorySegment create(Path path, byte[] header, long bytes, Arena arena)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      ByteBuffer start = ByteBuffer.wrap(header);
      while (start.hasRemaining()) {
        int _ = channel.write(start);
      }
      return channel.map(FileChannel.MapMode.READ_WRITE, header.length, bytes, arena);
    }
  }

  /** Work on a file. */
  @FunctionalInterface
  interface Step {
    void run() throws IOException;
  }

  /**
   * Makes a file on rank 0 and then works on it on all. A rank that fails tells the others, so that
   * none waits for it, and all of them throw.
   */
  static void byAllRanks(Communicator comm, Path path, Step make, Step write) throws IOException {
    together(comm, path, comm.rank() == 0 ? make : () -> {});
    together(comm, path, write);
  }

  private static void together(Communicator comm, Path path, Step step) throws IOException {
    IOException failure = null;
    try {
      step.run();
    } catch (IOException e) {
      failure = e;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment failed = arena.allocateFrom(ValueLayout.JAVA_INT, failure == null ? 0 : 1);
      comm.allReduce(failed, failed, DType.I32, 1, ReduceOp.MAX);
      if (failure != null) {
        throw failure;
      }
      if (failed.get(ValueLayout.JAVA_INT, 0) != 0) {
        throw new IOException("another rank could not write " + path);
      }
    }
  }
}
