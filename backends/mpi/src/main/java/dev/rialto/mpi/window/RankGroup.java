package dev.rialto.mpi.window;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.MpiGroup;
import java.lang.foreign.Arena;

/** Some ranks of a communicator, as the library takes them. */
final class RankGroup implements AutoCloseable {
  private final MpiGroup group;
  private final long all;
  private final long some;

  RankGroup(MpiGroup group, int[] ranks) {
    this.group = group;
    long out = Scratch.get().out();
    check(Native.call(WindowCalls.COMM_GROUP, group.handle(), out));
    all = Mpi.getHandle(out);
    try (Arena arena = Arena.ofConfined()) {
      long list = arena.allocateFrom(JAVA_INT, ranks).address();
      check(Native.call(WindowCalls.GROUP_INCL, all, ranks.length, list, out));
    }
    some = Mpi.getHandle(out);
  }

  long handle() {
    return some;
  }

  @Override
  public void close() {
    free(some);
    free(all);
  }

  private void free(long handle) {
    long out = Scratch.get().out();
    Mpi.putHandle(out, handle);
    check(Native.call(WindowCalls.GROUP_FREE, out));
  }

  private void check(int code) {
    group.check(code, new MpiCall("group", 0));
  }
}
