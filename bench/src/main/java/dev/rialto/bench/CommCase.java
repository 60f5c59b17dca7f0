package dev.rialto.bench;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * One communication that is repeated and timed, on two ranks.
 *
 * @param name the case
 * @param parts how many times are in one repetition: a ping-pong has two messages
 * @param goal the most of the peer's time
 * @param operation makes the operation for one rank, with buffers of its own
 */
record CommCase(String name, int parts, OptionalDouble goal, Maker operation) {
  /** Makes what one rank repeats. */
  interface Maker {
    Runnable make(Communicator comm, Arena arena);
  }

  static List<CommCase> all() {
    List<CommCase> cases = new ArrayList<>();
    for (long bytes :
        new long[] {8, 512, 4 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20}) {
      OptionalDouble goal =
          bytes == 8
              ? OptionalDouble.of(1)
              : bytes >= 64 << 10 ? OptionalDouble.of(0.5) : OptionalDouble.empty();
      cases.add(
          new CommCase("pingpong/local/" + size(bytes), 2, goal, (c, a) -> pingPong(c, a, bytes)));
    }
    OptionalDouble goal = OptionalDouble.of(0.7);
    cases.add(new CommCase("barrier/local", 1, goal, (comm, _) -> comm::barrier));
    for (long bytes : new long[] {8, 1 << 20}) {
      cases.add(
          new CommCase(
              "allReduce/local/" + size(bytes), 1, goal, (c, a) -> allReduce(c, a, bytes)));
    }
    cases.add(new CommCase("allToAll/local/64KiB", 1, goal, (c, a) -> allToAll(c, a, 64 << 10)));
    return cases;
  }

  static String size(long bytes) {
    return bytes >= 1 << 20
        ? (bytes >> 20) + "MiB"
        : bytes >= 1 << 10 ? (bytes >> 10) + "KiB" : bytes + "B";
  }

  private static Runnable pingPong(Communicator comm, Arena arena, long bytes) {
    MemorySegment out = filled(arena, bytes);
    MemorySegment in = filled(arena, bytes);
    return comm.rank() == 0
        ? () -> {
          comm.send(out, DType.I8, bytes, 1, 0);
          var _ = comm.receive(in, DType.I8, bytes, 1, 0);
        }
        : () -> {
          var _ = comm.receive(in, DType.I8, bytes, 0, 0);
          comm.send(out, DType.I8, bytes, 0, 0);
        };
  }

  private static Runnable allReduce(Communicator comm, Arena arena, long bytes) {
    MemorySegment send = filled(arena, bytes);
    MemorySegment receive = filled(arena, bytes);
    return () -> comm.allReduce(send, receive, DType.F64, bytes / 8, ReduceOp.SUM);
  }

  private static Runnable allToAll(Communicator comm, Arena arena, long bytes) {
    MemorySegment send = filled(arena, bytes * comm.size());
    MemorySegment receive = filled(arena, bytes * comm.size());
    return () -> comm.allToAll(send, receive, DType.I8, bytes);
  }

  /** Memory that is there: pages that were never written would be faulted in while timing. */
  private static MemorySegment filled(Arena arena, long bytes) {
    return arena.allocate(bytes, 4096).fill((byte) 1);
  }
}
