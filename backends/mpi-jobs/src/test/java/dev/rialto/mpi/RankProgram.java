package dev.rialto.mpi;

import dev.rialto.mpi.launch.JobFolder;
import dev.rialto.mpi.launch.MpiLauncher;
import dev.rialto.spi.Capability;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.system.JavaCommand;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/** The program of the ranks of {@link MpiProcessTest}: one that works, or one way to fail. */
final class RankProgram {
  private RankProgram() {}

  public static void main(String[] args) throws Exception {
    if (args[0].equals("local")) {
      try (World world = World.local(Integer.parseInt(args[1]))) {
        world.run(RankProgram::forever);
      }
      return;
    }
    if (args.length > 1) {
      launch(RankProgram.class, args[0], Integer.parseInt(args[1]));
    }
    try (World world = World.open("--comm", "mpi")) {
      world.run(
          comm -> {
            switch (args[0]) {
              case "sum" -> sum(comm);
              case "threads" -> threads(comm);
              case "throw" -> exchange(comm, RankProgram::fail);
              case "closing" -> closing(comm);
              case "exit" -> exchange(comm, () -> System.exit(7));
              case "forever" -> forever(comm);
              case "kill" -> exchange(comm, RankProgram::kill);
              default -> throw new IllegalArgumentException(args[0]);
            }
          });
    } catch (CommunicationException e) {
      System.out.println("told: " + e.getMessage());
      throw e;
    }
  }

  /** Runs ranks of a program and ends as they do. */
  static void launch(Class<?> program, String what, int ranks) throws Exception {
    List<String> command = JavaCommand.like(program, List.of(what));
    Process job = new MpiLauncher().launch(ranks, command, Map.of());
    System.exit(job.waitFor());
  }

  private static void sum(Communicator comm) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocateFrom(ValueLayout.JAVA_LONG, comm.rank() + 1);
      comm.allReduce(value, value, DType.I64, 1, ReduceOp.SUM);
      System.out.println(
          "rank "
              + comm.rank()
              + " of "
              + comm.size()
              + " has "
              + value.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  /** All ranks exchange until the last one does something else. */
  private static void exchange(Communicator comm, Runnable fault) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment send = arena.allocate(8L * comm.size());
      MemorySegment receive = arena.allocate(8L * comm.size());
      for (int i = 0; true; i++) {
        if (i == 10 && comm.rank() == comm.size() - 1) {
          System.err.println("fault at " + System.currentTimeMillis());
          fault.run();
        }
        comm.allToAll(send, receive, DType.I64, 1);
      }
    }
  }

  /** The last rank throws, and closes something with all ranks before they can be told why. */
  private static void closing(Communicator comm) throws Exception {
    Communicator another = comm.dup();
    try (Arena arena = Arena.ofConfined();
        AutoCloseable _ = another::barrier) {
      if (comm.rank() == comm.size() - 1) {
        System.err.println("fault at " + System.currentTimeMillis());
        fail();
      }
      comm.receive(arena.allocate(8), DType.I64, 1, comm.size() - 1, 0);
    }
  }

  /** All ranks exchange until they are ended, after they have said that they do. */
  private static void forever(Communicator comm) {
    comm.barrier();
    if (comm.rank() == 0) {
      System.out.println("ready in " + System.getenv().getOrDefault(JobFolder.VARIABLE, "none"));
    }
    exchange(comm, () -> {});
  }

  private static void threads(Communicator comm) throws InterruptedException {
    sum(comm);
    System.out.println(
        "several threads: " + comm.capabilities().contains(Capability.MULTI_THREADED));
    Thread other =
        Thread.ofPlatform()
            .name("another")
            .start(
                () -> {
                  try {
                    comm.barrier();
                  } catch (IllegalStateException e) {
                    System.out.println(e.getMessage());
                  }
                });
    other.join();
  }

  private static void fail() {
    throw new ArithmeticException("the reactor is too hot");
  }

  private static void kill() {
    try {
      long pid = ProcessHandle.current().pid();
      new ProcessBuilder("kill", "-9", Long.toString(pid)).start().waitFor();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
