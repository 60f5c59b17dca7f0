package dev.rialto.tck.generated;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Very many short operations in a row, each with a result of its own. */
final class LongRun {
  private LongRun() {}

  static void of(Communicator comm, int times) {
    int n = comm.size();
    int me = comm.rank();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
      MemorySegment in = arena.allocate(ValueLayout.JAVA_LONG);
      for (long i = 0; i < times; i++) {
        out.set(ValueLayout.JAVA_LONG, 0, i * n + me);
        int from = (me + n - 1) % n;
        long wanted =
            switch ((int) (i % 3)) {
              case 0 -> {
                comm.sendReceive(out, 1, (me + 1) % n, 3, in, 1, from, 3, DType.I64);
                yield i * n + from;
              }
              case 1 -> {
                comm.allReduce(out, in, DType.I64, 1, ReduceOp.MAX);
                yield i * n + n - 1;
              }
              default -> {
                in.copyFrom(out);
                comm.broadcast(in, DType.I64, 1, (int) (i % n));
                yield i * n + i % n;
              }
            };
        long got = in.get(ValueLayout.JAVA_LONG, 0);
        if (got != wanted) {
          throw new AssertionError("operation " + i + " gave " + got + ", wanted " + wanted);
        }
      }
    }
  }
}
