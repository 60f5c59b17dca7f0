package dev.rialto.array;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.system.JavaCommand;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Memory of the heap that operations take. Vectors stay out of it in code of the JVM's second
 * compiler only, which the other tests do without; so this runs in a JVM of its own.
 */
class AllocationTest {
  private static final long COUNT = 3 * OperationRunner.CHUNK + 1234;

  /** A result and what carries it; an object per chunk would be far more. */
  private static final long MOST = 2000;

  @Test
  void operationsAllocateNextToNothing() throws Exception {
    List<String> command = new ArrayList<>(JavaCommand.like(AllocationTest.class, List.of()));
    command.add(command.indexOf("--class-path"), "-XX:TieredStopAtLevel=4");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  /** Runs all operations until they are compiled; throws if one allocates too much even then. */
  public static void main(String[] args) {
    try (World world = World.local(2)) {
      world.run(AllocationTest::check);
    }
  }

  private static void check(Communicator comm) {
    try (Team team = Team.on(comm);
        F64Array a = team.f64(COUNT);
        F64Array b = team.f64(COUNT)) {
      a.set(i -> i);
      List<Runnable> operations =
          List.of(
              () -> b.fill(1),
              () -> b.set(a, x -> x + 1),
              () -> assertThat(a.sum()).isFinite(),
              () -> assertThat(a.dot(b)).isFinite(),
              () -> assertThat(a.minMax().minElement()).isZero(),
              () -> assertThat(a.count(x -> x > 3)).isPositive(),
              () -> b.scan(a, ReduceOp.MAX));
      for (int number = 0; number < operations.size(); number++) {
        long most = MOST;
        // All ranks wait for the slowest.
        for (int round = 0; most >= MOST && round < 100; round++) {
          most = comm.max(allocated(operations.get(number)));
        }
        assertThat(most).as("bytes of operation %d", number).isLessThan(MOST);
      }
    }
  }

  private static long allocated(Runnable operation) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    int times = 300;
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < times; i++) {
      operation.run();
    }
    return (threads.getCurrentThreadAllocatedBytes() - before) / times;
  }
}
