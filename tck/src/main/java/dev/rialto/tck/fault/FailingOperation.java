package dev.rialto.tck.fault;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The kinds of operation that a rank can fail in, each by one that needs all ranks of a ring. */
enum FailingOperation {
  /** Blocking messages. */
  MESSAGES(Capability.POINT_TO_POINT) {
    @Override
    void run(Communicator comm, RankMemory memory, Steps steps) {
      steps.at(Phase.BIND);
      steps.at(Phase.START);
      ring(comm, memory.blank(BYTES), memory.blank(BYTES), BYTES);
      steps.at(Phase.BETWEEN);
      ring(comm, memory.blank(8), memory.blank(8), 8);
      steps.at(Phase.AWAIT);
      ring(comm, memory.blank(8), memory.blank(8), 0);
      steps.at(Phase.CLOSE);
    }
  },
  /** Messages under way. */
  REQUESTS(Capability.NON_BLOCKING) {
    @Override
    void run(Communicator comm, RankMemory memory, Steps steps) {
      steps.at(Phase.BIND);
      MemorySegment out = memory.blank(BYTES);
      MemorySegment in = memory.blank(BYTES);
      steps.at(Phase.START);
      try (Request receive = comm.ireceive(in, DType.I8, BYTES, previous(comm), 1);
          Request send = comm.isend(out, DType.I8, BYTES, next(comm), 1)) {
        steps.at(Phase.BETWEEN);
        var _ = receive.test();
        steps.at(Phase.AWAIT);
        comm.awaitAll(List.of(receive, send));
        steps.at(Phase.CLOSE);
      }
    }
  },
  /** Persistent messages. */
  PERSISTENT(Capability.PERSISTENT) {
    @Override
    void run(Communicator comm, RankMemory memory, Steps steps) {
      steps.at(Phase.BIND);
      MemorySegment out = memory.blank(BYTES);
      MemorySegment in = memory.blank(BYTES);
      try (PersistentRequest receive =
              comm.persistentReceive(in, DType.I8, BYTES, previous(comm), 1);
          PersistentRequest send =
              comm.persistentSend(out, DType.I8, BYTES, next(comm), 1, SendMode.STANDARD)) {
        for (int time = 0; time < 2; time++) {
          steps.at(Phase.START);
          receive.start();
          send.start();
          steps.at(Phase.BETWEEN);
          var _ = send.test();
          steps.at(Phase.AWAIT);
          comm.awaitAll(List.of(receive, send));
        }
        steps.at(Phase.CLOSE);
      }
    }
  },
  /** Collectives. */
  COLLECTIVES(Capability.COLLECTIVES) {
    @Override
    void run(Communicator comm, RankMemory memory, Steps steps) {
      steps.at(Phase.BIND);
      MemorySegment all = memory.blank(8L * comm.size());
      steps.at(Phase.START);
      comm.allGather(memory.blank(8), all, DType.I64, 1);
      steps.at(Phase.BETWEEN);
      comm.broadcast(memory.blank(BYTES), DType.I8, BYTES, 0);
      steps.at(Phase.AWAIT);
      comm.allToAll(all, memory.blank(8L * comm.size()), DType.I64, 1);
      steps.at(Phase.CLOSE);
      comm.barrier();
    }
  },
  /** Collectives under way. */
  COLLECTIVE_REQUESTS(Capability.NON_BLOCKING_COLLECTIVES) {
    @Override
    void run(Communicator comm, RankMemory memory, Steps steps) {
      steps.at(Phase.BIND);
      MemorySegment send = memory.blank(8L * comm.size());
      MemorySegment receive = memory.blank(8L * comm.size());
      steps.at(Phase.START);
      try (Request first = comm.start(new Collective.AllToAll(send, receive, DType.I64, 1));
          Request second = comm.start(new Collective.Barrier())) {
        steps.at(Phase.BETWEEN);
        var _ = second.test();
        steps.at(Phase.AWAIT);
        comm.awaitAll(List.of(second, first));
        steps.at(Phase.CLOSE);
      }
    }
  },
  /** Persistent collectives. */
  PERSISTENT_COLLECTIVES(Capability.PERSISTENT_COLLECTIVES) {
    @Override
    void run(Communicator comm, RankMemory memory, Steps steps) {
      steps.at(Phase.BIND);
      MemorySegment send = memory.blank(8L * comm.size());
      MemorySegment receive = memory.blank(8L * comm.size());
      try (PersistentRequest request =
          comm.prepare(new Collective.AllToAll(send, receive, DType.I64, 1))) {
        for (int time = 0; time < 2; time++) {
          steps.at(Phase.START);
          request.start();
          steps.at(Phase.BETWEEN);
          var _ = request.test();
          steps.at(Phase.AWAIT);
          request.await();
        }
        steps.at(Phase.CLOSE);
      }
    }
  },
  /** Reductions. */
  REDUCTIONS(Capability.REDUCTIONS) {
    @Override
    void run(Communicator comm, RankMemory memory, Steps steps) {
      steps.at(Phase.BIND);
      MemorySegment out = memory.longs(new long[5000]);
      MemorySegment in = memory.longs(new long[5000]);
      steps.at(Phase.START);
      comm.allReduce(out, in, DType.I64, 5000, ReduceOp.SUM);
      steps.at(Phase.BETWEEN);
      comm.scan(out, in, DType.I64, 10, ReduceOp.MAX);
      steps.at(Phase.AWAIT);
      comm.reduce(out, in, DType.I64, 10, ReduceOp.SUM, 0);
      steps.at(Phase.CLOSE);
      comm.allReduce(out, in, DType.I64, 1, ReduceOp.MIN);
    }
  },
  /** Exchanges along a topology. */
  NEIGHBORHOODS(Capability.NEIGHBORHOODS) {
    @Override
    void run(Communicator comm, RankMemory memory, Steps steps) {
      steps.at(Phase.BIND);
      MemorySegment out = memory.blank(BYTES);
      MemorySegment in = memory.blank(BYTES);
      int[] sources = {previous(comm)};
      int[] targets = {next(comm)};
      try (Topology topology = comm.topology(sources, targets)) {
        steps.at(Phase.START);
        topology.run(new Collective.AllToAll(out, in, DType.I8, BYTES));
        steps.at(Phase.BETWEEN);
        topology.run(new Collective.AllGather(out, in, DType.I8, 8));
        steps.at(Phase.AWAIT);
        topology.run(new Collective.AllToAll(out, in, DType.I8, 8));
        steps.at(Phase.CLOSE);
      }
    }
  },
  /** Accesses to a window. */
  WINDOWS(Capability.WINDOWS) {
    @Override
    void run(Communicator comm, RankMemory memory, Steps steps) {
      steps.at(Phase.BIND);
      MemorySegment out = memory.blank(BYTES);
      try (Window window = comm.allocateWindow(BYTES)) {
        steps.at(Phase.START);
        window.fence();
        window.put(out, DType.I8, BYTES, next(comm), 0);
        steps.at(Phase.BETWEEN);
        window.get(out, DType.I8, 8, comm.rank(), 0);
        steps.at(Phase.AWAIT);
        window.fence();
        steps.at(Phase.CLOSE);
      }
    }
  };

  private static final int BYTES = 100_000;

  private final Capability needs;

  FailingOperation(Capability needs) {
    this.needs = needs;
  }

  /** Returns what a communicator must have for it. */
  Capability needs() {
    return needs;
  }

  /** Is told how far a rank is; throws where it fails. */
  interface Steps {
    /** Goes on, or does not. */
    void at(Phase phase);
  }

  abstract void run(Communicator comm, RankMemory memory, Steps steps);

  /**
   * Does the operation again and again, in which one rank fails the second time; the others need it
   * for as long as they run.
   */
  static void repeat(FailingOperation operation, Communicator comm, int victim, Phase phase) {
    int[] times = {0};
    Steps steps =
        at -> {
          if (comm.rank() == victim && times[0] == 1 && at == phase) {
            throw new Injected(victim, phase);
          }
        };
    try (RankMemory memory = new RankMemory()) {
      for (; times[0] < 4; times[0]++) {
        operation.run(comm, memory, steps);
      }
    }
  }

  private static int next(Communicator comm) {
    return (comm.rank() + 1) % comm.size();
  }

  private static int previous(Communicator comm) {
    return (comm.rank() + comm.size() - 1) % comm.size();
  }

  private static void ring(Communicator comm, MemorySegment out, MemorySegment in, long bytes) {
    comm.sendReceive(out, bytes, next(comm), 1, in, bytes, previous(comm), 1, DType.I8);
  }
}
