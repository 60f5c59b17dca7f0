package dev.rialto.mpi;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.RialtoException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The program of the ranks of {@link MisuseTest}: mistakes, each of which must be explained. */
final class MisuseProgram {
  private MisuseProgram() {}

  /** A call that goes wrong on purpose. */
  private interface Mistake {
    void make();
  }

  public static void main(String[] args) throws Exception {
    if (args.length > 1) {
      RankProgram.launch(MisuseProgram.class, args[0], Integer.parseInt(args[1]));
    }
    if (args[0].equals("closed")) {
      useAfterClose();
      return;
    }
    try (World world = World.open("--comm", "mpi")) {
      world.run(
          comm -> {
            switch (args[0]) {
              case "disagree" -> disagree(comm);
              case "edges" -> disagreeOnEdges(comm);
              case "neighbors" -> disagreeWithNeighbor(comm);
              case "memory" -> memory(comm);
              case "dropped" -> dropped(comm);
              case "circle" -> circle(comm);
              case "pair" -> pair(comm);
              case "interrupt" -> interrupt(comm);
              case "unwind" -> unwind(comm);
              case "slow" -> slow(comm);
              default -> throw new IllegalArgumentException(args[0]);
            }
          });
    } catch (CommunicationException e) {
      System.out.println("rank ended: " + e.getMessage());
      throw e;
    }
  }

  /** Uses what was made in a world that was closed since; another world works as usual. */
  private static void useAfterClose() {
    MemorySegment memory = Arena.global().allocate(64);
    Communicator[] made = new Communicator[2];
    Window[] window = new Window[1];
    PersistentRequest[] send = new PersistentRequest[1];
    Request[] receive = new Request[1];
    try (World world = World.open("--comm", "mpi")) {
      world.run(
          comm -> {
            made[0] = comm;
            made[1] = comm.dup();
            window[0] = comm.allocateWindow(64);
            receive[0] = comm.ireceive(memory, DType.F64, 1, 1 - comm.rank(), 4);
            send[0] =
                comm.persistentSend(
                    memory, DType.F64, 1, 1 - comm.rank(), 3, PointToPoint.SendMode.STANDARD);
          });
    }
    for (Communicator comm : made) {
      refused("send", () -> comm.send(memory, DType.F64, 1, 1 - comm.rank(), 3));
      refused("barrier", comm::barrier);
      refused("dup", () -> comm.dup().close());
      refused("window", () -> comm.allocateWindow(8).close());
    }
    refused("put", () -> window[0].put(memory, DType.F64, 1, 1 - made[0].rank(), 0));
    refused("fence", () -> window[0].fence());
    refused("start", () -> send[0].start());
    refused("await", () -> receive[0].await());
    send[0].close();
    window[0].close();
    made[1].close();
    try (World world = World.open("--comm", "mpi")) {
      world.run(
          comm -> {
            comm.barrier();
            System.out.println("another world works on " + comm.rank());
          });
    }
  }

  /** Each time the ranks call something else; after that, the same. */
  private static void disagree(Communicator comm) {
    boolean first = comm.rank() == 0;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment a = arena.allocate(80);
      MemorySegment b = arena.allocate(80);
      told(comm, "operation", first ? comm::barrier : () -> comm.broadcast(a, DType.F64, 1, 0));
      told(comm, "root", () -> comm.broadcast(a, DType.F64, 1, comm.rank()));
      told(comm, "count", () -> comm.broadcast(a, DType.F64, 1 + comm.rank(), 0));
      told(
          comm, "type", () -> comm.allReduce(a, b, first ? DType.F64 : DType.I64, 1, ReduceOp.SUM));
      ReduceOp op = first ? ReduceOp.SUM : ReduceOp.MAX;
      told(comm, "operator", () -> comm.allReduce(a, b, DType.F64, 1, op));
      long[] counts = {1, 1 + comm.rank()};
      told(comm, "counts", () -> comm.allGatherV(a, 1, b, counts, new long[] {0, 2}, DType.F64));
      told(comm, "maker", first ? () -> comm.allocateWindow(8).close() : () -> comm.dup().close());
      b.set(ValueLayout.JAVA_LONG, 0, 1);
      comm.allReduce(b, b, DType.I64, 1, ReduceOp.SUM);
      System.out.println("agreed again: " + b.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  /** Each time one rank sends what another does not expect; after that, the same. */
  private static void disagreeOnEdges(Communicator comm) {
    int rank = comm.rank();
    long[] ones = {1, 1};
    long[] places = {0, 3};
    try (Arena arena = Arena.ofShared()) {
      MemorySegment a = arena.allocate(80);
      MemorySegment b = arena.allocate(80);
      DType type = DType.F64;
      long[] sent = {1, 1 + rank};
      told(comm, "allToAllV", () -> comm.allToAllV(a, sent, places, b, ones, places, type));
      told(
          comm,
          "prepared allToAllV",
          () ->
              comm.prepare(new Collective.AllToAllV(a, sent, places, b, ones, places, type))
                  .close());
      told(
          comm,
          "prepared allToAll",
          () -> comm.prepare(new Collective.AllToAll(a, b, type, 1 + rank)).close());
      told(comm, "gatherV", () -> comm.gatherV(a, 1 + rank, b, ones, places, type, 0));
      told(comm, "scatterV", () -> comm.scatterV(a, ones, places, b, 3 - 2 * rank, type, 1));
      told(comm, "allGatherV", () -> comm.allGatherV(a, 1 + rank, b, ones, places, type));
      told(
          comm,
          "started allToAllV",
          () -> {
            // What was begun before the ranks knew is in the way of what comes after it.
            try (Communicator own = comm.dup();
                Request request =
                    own.start(new Collective.AllToAllV(a, sent, places, b, ones, places, type))) {
              request.await();
            }
          });
      int[] none = {};
      int[] other = {1 - rank};
      told(comm, "topology", () -> comm.topology(none, rank == 0 ? other : none).close());
      try (PersistentRequest fits =
          comm.prepare(new Collective.AllToAllV(a, ones, places, b, ones, places, type))) {
        fits.start();
        fits.await();
      }
      b.set(ValueLayout.JAVA_LONG, 0, 1);
      comm.allReduce(b, b, DType.I64, 1, ReduceOp.SUM);
      System.out.println("agreed again: " + b.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  /** The rank that gets too much from a neighbour is told, and ends the job. */
  private static void disagreeWithNeighbor(Communicator comm) {
    int[] other = {1 - comm.rank()};
    try (Arena arena = Arena.ofShared();
        Topology pair = comm.topology(other, other)) {
      MemorySegment a = arena.allocate(80);
      MemorySegment b = arena.allocate(80);
      pair.run(new Collective.AllToAll(a, b, DType.F64, 2));
      pair.start(new Collective.AllToAll(a, b, DType.F64, 2)).await();
      long[] start = {0};
      long[] two = {2};
      pair.prepare(new Collective.AllToAllV(a, two, start, b, two, start, DType.F64)).close();
      comm.barrier();
      System.err.println("fault at " + System.currentTimeMillis());
      long[] sent = {2 + comm.rank()};
      pair.run(new Collective.AllToAllV(a, sent, start, b, two, start, DType.F64));
    }
  }

  private static void told(Communicator comm, String what, Mistake mistake) {
    try {
      mistake.make();
      System.out.println(what + " was not noticed");
    } catch (MismatchException e) {
      System.out.println(what + " on " + comm.rank() + ": " + e.getMessage());
    }
  }

  /** Memory that is freed while an operation is pending, or under a window. */
  private static void memory(Communicator comm) {
    int peer = 1 - comm.rank();
    Arena early = Arena.ofShared();
    try (Request receive = comm.ireceive(early.allocate(1 << 20), DType.I8, 1 << 20, peer, 7)) {
      early.close();
      refused("receive", receive::await);
    }
    Arena earlyToo = Arena.ofShared();
    MemorySegment data = earlyToo.allocate(64).fill((byte) 5);
    try (Request send = comm.isend(data, DType.I8, 64, peer, 8)) {
      earlyToo.close();
      refused("send", send::await);
    }
    try (Arena arena = Arena.ofShared()) {
      MemorySegment received = arena.allocate(64);
      comm.receive(received, DType.I8, 64, peer, 8);
    }
    Arena under = Arena.ofShared();
    try (Window window = comm.window(under.allocate(64))) {
      refused("arena of a window", under::close);
      window.fence();
    }
    under.close();
    Window own = comm.allocateWindow(64);
    MemorySegment memory = own.memory();
    own.close();
    refused("closed window", () -> memory.get(ValueLayout.JAVA_BYTE, 0));
    System.out.println("rank " + comm.rank() + " lives");
    System.out.flush();
    comm.barrier();
    comm.abort("done");
  }

  /** A receive is dropped whose memory is the garbage collector's: the message has where to go. */
  private static void dropped(Communicator comm) {
    int peer = 1 - comm.rank();
    List<WeakReference<MemorySegment>> buffers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      MemorySegment buffer = Arena.ofAuto().allocate(1 << 20);
      buffers.add(new WeakReference<>(buffer));
      Request _ = comm.ireceive(buffer, DType.I8, 1 << 20, peer, i);
    }
    for (int i = 0; i < 5; i++) {
      System.gc();
    }
    comm.barrier();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(1 << 20).fill((byte) 7);
      for (int i = 0; i < 3; i++) {
        comm.send(data, DType.I8, 1 << 20, peer, i);
      }
      comm.barrier();
    }
    for (WeakReference<MemorySegment> buffer : buffers) {
      MemorySegment kept = buffer.get();
      System.out.println(
          "dropped: " + (kept == null ? "freed" : kept.get(ValueLayout.JAVA_BYTE, 12_345)));
    }
  }

  private static void refused(String what, Mistake mistake) {
    try {
      mistake.make();
      System.out.println(what + ": returned");
    } catch (IllegalStateException e) {
      System.out.println(what + ": refused: " + e.getMessage());
    }
  }

  private static void circle(Communicator comm) {
    System.err.println("fault at " + System.currentTimeMillis());
    try (Arena arena = Arena.ofConfined()) {
      int next = (comm.rank() + 1) % comm.size();
      if (comm.rank() == 1) {
        comm.probe(next, 3);
      }
      comm.receive(arena.allocate(8), DType.I64, 1, next, 3);
    } catch (RialtoException e) {
      System.out.println("circle: " + e.getMessage());
      throw e;
    }
  }

  /** Two ranks wait for each other while the third computes. */
  private static void pair(Communicator comm) {
    try (Communicator turned = comm.split(0, -comm.rank()).orElseThrow();
        Arena arena = Arena.ofConfined()) {
      if (turned.rank() == 0) {
        compute();
      }
      System.err.println("fault at " + System.currentTimeMillis());
      turned.receive(arena.allocate(8), DType.I64, 1, 3 - turned.rank(), 3);
    }
  }

  /** A thread is interrupted that waits for a rank which computes. */
  private static void interrupt(Communicator comm) {
    if (comm.rank() == 1) {
      compute();
    }
    Thread waiting = Thread.currentThread();
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              while (waiting.getState() == Thread.State.RUNNABLE) {
                Thread.onSpinWait();
              }
              waiting.interrupt();
            });
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(8);
      try {
        comm.receive(number, DType.I64, 1, 1, 3);
      } catch (RialtoException e) {
        System.out.println("receive: " + e.getMessage());
      }
      System.err.println("fault at " + System.currentTimeMillis());
      try {
        comm.allReduce(number, number, DType.I64, 1, ReduceOp.SUM);
      } catch (RialtoException e) {
        System.out.println("allReduce: " + e.getMessage());
      }
      comm.send(number, DType.I64, 1, 1, 3);
    }
  }

  private static void compute() {
    long end = System.nanoTime() + Duration.ofSeconds(40).toNanos();
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  /** A rank fails within a block that closes a window, which is for all ranks to do. */
  private static void unwind(Communicator comm) {
    try (Window window = comm.allocateWindow(64)) {
      window.fence();
      if (comm.rank() == 1) {
        System.err.println("fault at " + System.currentTimeMillis());
        throw new ArithmeticException("the reactor is too hot");
      }
      window.fence();
    }
  }

  /** All ranks wait for one that computes for longer than it takes to see a standstill. */
  private static void slow(Communicator comm) {
    if (comm.rank() == 0) {
      long end = System.nanoTime() + 5_000_000_000L;
      while (System.nanoTime() < end) {
        Thread.onSpinWait();
      }
    }
    comm.barrier();
    System.out.println("rank " + comm.rank() + " was patient");
  }
}
