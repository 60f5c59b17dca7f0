package dev.rialto.bench.comm;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One communication that is repeated and timed.
 *
 * @param name the case
 * @param parts how many times are in one repetition: a ping-pong has two messages
 * @param goal the most of the peer's time; 0 for none
 * @param operation makes the operation for one rank, with buffers of its own
 */
record CommCase(String name, int parts, double goal, Maker operation) {
  private static final long[] MESSAGES = {
    8, 512, 4 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20
  };
  private static final long SMALL = 8;
  private static final long LARGE = 64 << 10;

  /** Makes what one rank repeats. */
  interface Maker {
    Repeated make(Communicator comm, Arena arena);
  }

  /** An operation that a rank repeats, with the memory for it. */
  interface Repeated extends AutoCloseable {
    void run();

    @Override
    default void close() {}
  }

  /** Returns the cases of ranks in one process, whose peers are processes: goals are below 1. */
  static List<CommCase> inProcess(String comm) {
    List<CommCase> cases = new ArrayList<>();
    for (long bytes : MESSAGES) {
      double goal = bytes == SMALL ? 1 : bytes >= LARGE ? 0.5 : 0;
      cases.add(pingPong(comm, bytes, goal));
    }
    cases.addAll(collectives(comm, 0.7));
    return cases;
  }

  /**
   * Returns the cases of ranks that are processes, linked by the library that the peer uses too:
   * goals say what Rialto may add to it.
   */
  static List<CommCase> ofProcesses(String comm) {
    double goal = 1.1;
    List<CommCase> cases = new ArrayList<>();
    for (long bytes : MESSAGES) {
      cases.add(pingPong(comm, bytes, bytes >= LARGE ? 1.03 : goal));
    }
    cases.addAll(collectives(comm, goal));
    for (long bytes : new long[] {SMALL, LARGE}) {
      cases.add(
          new CommCase(
              name("neighborAllToAll", comm, bytes), 1, goal, (c, a) -> neighbors(c, a, bytes)));
    }
    for (long bytes : new long[] {SMALL, LARGE}) {
      cases.add(
          new CommCase(name("put", comm, bytes), 1, goal, (c, a) -> window(c, a, bytes, true)));
      cases.add(
          new CommCase(name("get", comm, bytes), 1, goal, (c, a) -> window(c, a, bytes, false)));
    }
    return cases;
  }

  /** Returns those cases in which it shows most what checks cost: the shortest. */
  static List<CommCase> ofCheckedProcesses(String comm) {
    return ofProcesses(comm).stream()
        .filter(each -> each.name().endsWith("/8B") || each.name().startsWith("barrier"))
        .toList();
  }

  private static List<CommCase> collectives(String comm, double goal) {
    List<CommCase> cases = new ArrayList<>();
    cases.add(new CommCase("barrier/" + comm, 1, goal, (c, _) -> c::barrier));
    for (long bytes : new long[] {SMALL, 1 << 20}) {
      cases.add(
          new CommCase(name("allReduce", comm, bytes), 1, goal, (c, a) -> allReduce(c, a, bytes)));
    }
    cases.add(
        new CommCase(name("allToAll", comm, LARGE), 1, goal, (c, a) -> allToAll(c, a, LARGE)));
    return cases;
  }

  private static CommCase pingPong(String comm, long bytes, double goal) {
    return new CommCase(name("pingpong", comm, bytes), 2, goal, (c, a) -> pingPong(c, a, bytes));
  }

  private static String name(String operation, String comm, long bytes) {
    return operation + "/" + comm + "/" + size(bytes);
  }

  static String size(long bytes) {
    return bytes >= 1 << 20
        ? (bytes >> 20) + "MiB"
        : bytes >= 1 << 10 ? (bytes >> 10) + "KiB" : bytes + "B";
  }

  /** Ranks 0 and 1, 2 and 3 and so on; the last of an odd number stands by. */
  private static Repeated pingPong(Communicator comm, Arena arena, long bytes) {
    MemorySegment out = filled(arena, bytes);
    MemorySegment in = filled(arena, bytes);
    int partner = comm.rank() ^ 1;
    if (partner >= comm.size()) {
      return () -> {};
    }
    return comm.rank() < partner
        ? () -> {
          comm.send(out, DType.I8, bytes, partner, 0);
          var _ = comm.receive(in, DType.I8, bytes, partner, 0);
        }
        : () -> {
          var _ = comm.receive(in, DType.I8, bytes, partner, 0);
          comm.send(out, DType.I8, bytes, partner, 0);
        };
  }

  private static Repeated allReduce(Communicator comm, Arena arena, long bytes) {
    MemorySegment send = filled(arena, bytes);
    MemorySegment receive = filled(arena, bytes);
    return () -> comm.allReduce(send, receive, DType.F64, bytes / 8, ReduceOp.SUM);
  }

  private static Repeated allToAll(Communicator comm, Arena arena, long bytes) {
    MemorySegment send = filled(arena, bytes * comm.size());
    MemorySegment receive = filled(arena, bytes * comm.size());
    return () -> comm.allToAll(send, receive, DType.I8, bytes);
  }

  /** A ring: each rank exchanges a block with those before and after it. */
  private static Repeated neighbors(Communicator comm, Arena arena, long bytes) {
    int size = comm.size();
    int[] around =
        IntStream.of((comm.rank() + size - 1) % size, (comm.rank() + 1) % size)
            .distinct()
            .toArray();
    Topology ring = comm.topology(around, around);
    MemorySegment send = filled(arena, bytes * around.length);
    MemorySegment receive = filled(arena, bytes * around.length);
    Collective.AllToAll exchange = new Collective.AllToAll(send, receive, DType.I8, bytes);
    return new Repeated() {
      @Override
      public void run() {
        ring.run(exchange);
      }

      @Override
      public void close() {
        ring.close();
      }
    };
  }

  /** Each rank accesses the next one's memory, and completes that before the next access. */
  private static Repeated window(Communicator comm, Arena arena, long bytes, boolean put) {
    MemorySegment origin = filled(arena, bytes);
    Window window = comm.allocateWindow(bytes);
    int target = (comm.rank() + 1) % comm.size();
    window.lockAll();
    return new Repeated() {
      @Override
      public void run() {
        if (put) {
          window.put(origin, DType.I8, bytes, target, 0);
        } else {
          window.get(origin, DType.I8, bytes, target, 0);
        }
        window.flush(target);
      }

      @Override
      public void close() {
        window.unlockAll();
        window.close();
      }
    };
  }

  /** Memory that is there: pages that were never written would be faulted in while timing. */
  private static MemorySegment filled(Arena arena, long bytes) {
    return arena.allocate(bytes, 4096).fill((byte) 1);
  }
}
