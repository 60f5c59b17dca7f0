package dev.rialto.example.socket;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The ranks of {@link SocketJobTest}: a part by name, whose result goes to a file. */
final class RankProgram {
  private RankProgram() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]);
    SocketBackend backend = new SocketBackend();
    int rank = backend.launcher().orElseThrow().rank();
    Path file = folder.resolve("rank" + rank);
    switch (args[0]) {
      case "exit" -> System.exit(Integer.parseInt(args[2 + rank]));
      case "launch" -> {
        List<String> command = SocketJobTest.command("sleep", folder.toString());
        System.exit(new SocketLauncher().launch(2, command, Map.of()).waitFor());
      }
      case "absent" -> {
        if (rank == 1) {
          new CountDownLatch(1).await();
        }
      }
      default -> {}
    }
    try (World world = backend.openWorld(0)) {
      world.run(comm -> Files.writeString(file, run(args[0], comm, folder)));
    } catch (RuntimeException e) {
      Files.writeString(file, String.valueOf(e.getMessage()));
      System.exit(1);
    }
  }

  private static String run(String part, Communicator comm, Path folder) throws Exception {
    return switch (part) {
      case "sum" -> Long.toString(sumOfRanks(comm));
      case "sleep" -> {
        Files.writeString(
            folder.resolve("pid" + comm.rank()), Long.toString(ProcessHandle.current().pid()));
        comm.barrier();
        new CountDownLatch(1).await();
        yield "awake";
      }
      case "kill" -> {
        MemorySegment pid = MemorySegment.ofArray(new long[] {ProcessHandle.current().pid()});
        comm.broadcast(pid, DType.I64, 1, 1);
        if (comm.rank() == 0) {
          ProcessHandle.of(pid.get(ValueLayout.JAVA_LONG, 0)).orElseThrow().destroyForcibly();
        }
        while (true) {
          sumOfRanks(comm);
        }
      }
      default -> throw new IllegalArgumentException(part);
    };
  }

  private static long sumOfRanks(Communicator comm) {
    MemorySegment sum = MemorySegment.ofArray(new long[] {comm.rank()});
    comm.allReduce(sum, sum, DType.I64, 1, ReduceOp.SUM);
    return sum.get(ValueLayout.JAVA_LONG, 0);
  }
}
