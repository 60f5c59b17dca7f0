package dev.rialto.mpi.world;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.rialto.mpi.library.Errors;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.stream.IntStream;

/** The numbers in the job that the ranks of a communicator have. */
final class JobRanks {
  private static final MethodHandle COMM_GROUP = Mpi.function("MPI_Comm_group", "hp");
  private static final MethodHandle TRANSLATE = Mpi.function("MPI_Group_translate_ranks", "hiphp");
  private static final MethodHandle GROUP_FREE = Mpi.function("MPI_Group_free", "p");

  private JobRanks() {}

  static int[] of(long comm, int size) {
    long some = group(comm);
    long all = group(Mpi.COMM_WORLD);
    try (Arena arena = Arena.ofConfined()) {
      long ranks = arena.allocateFrom(JAVA_INT, IntStream.range(0, size).toArray()).address();
      MemorySegment found = arena.allocate(JAVA_INT, size);
      check(Native.call(TRANSLATE, some, size, ranks, all, found.address()));
      return found.toArray(JAVA_INT);
    } finally {
      free(some);
      free(all);
    }
  }

  private static long group(long comm) {
    long out = Scratch.get().out();
    check(Native.call(COMM_GROUP, comm, out));
    return Mpi.getHandle(out);
  }

  private static void free(long group) {
    long out = Scratch.get().out();
    Mpi.putHandle(out, group);
    check(Native.call(GROUP_FREE, out));
  }

  private static void check(int code) {
    Errors.check(code, "asking for the ranks of a group");
  }
}
