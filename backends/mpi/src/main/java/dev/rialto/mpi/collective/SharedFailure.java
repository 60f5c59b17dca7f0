package dev.rialto.mpi.collective;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.CommunicationException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Tells all ranks of what an operator threw on some. Only those that combine notice, and which do
 * is the library's choice; without this the others would go on with nonsense.
 */
final class SharedFailure {
  private SharedFailure() {}

  /**
   * Throws on all ranks if any of them has a failure. Collective.
   *
   * @param mine this rank's failure, if it has one
   */
  static void check(
      MpiGroup group, Collectives collectives, String operation, @Nullable Throwable mine) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment word = arena.allocate(JAVA_LONG);
      // The lowest rank wins.
      word.set(JAVA_LONG, 0, mine == null ? 0 : group.size() - group.rank());
      collectives.allReduce(word, word, DType.I64, 1, ReduceOp.MAX);
      if (word.get(JAVA_LONG, 0) == 0) {
        return;
      }
      int failed = (int) (group.size() - word.get(JAVA_LONG, 0));
      byte[] told = mine == null ? new byte[0] : bytes(mine);
      word.set(JAVA_LONG, 0, told.length);
      collectives.broadcast(word, DType.I64, 1, failed);
      MemorySegment text = arena.allocate(Math.max(1, word.get(JAVA_LONG, 0)));
      if (failed == group.rank()) {
        MemorySegment.copy(told, 0, text, JAVA_BYTE, 0, told.length);
      }
      collectives.broadcast(text, DType.I8, text.byteSize(), failed);
      Throwable cause = mine == null ? throwable(text.toArray(JAVA_BYTE)) : mine;
      throw new CommunicationException(
          operation + " failed: the operator threw " + cause, "rank " + failed, "", cause);
    }
  }

  /** Writes a failure down: as it is if possible, else its words. */
  private static byte[] bytes(Throwable failure) {
    try (ByteArrayOutputStream bytes = new ByteArrayOutputStream()) {
      try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
        out.writeObject(failure);
      }
      return bytes.toByteArray();
    } catch (IOException e) {
      // Java's own classes can be written, so this comes here once.
      return bytes(new IllegalStateException(failure + " (which cannot be sent: " + e + ")"));
    }
  }

  private static Throwable throwable(byte[] bytes) {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return (Throwable) in.readObject();
    } catch (IOException | ClassNotFoundException e) {
      return new IllegalStateException("a failure that this rank cannot read", e);
    }
  }
}
