package dev.rialto.bench;

import com.sun.management.ThreadMXBean;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Times communications on all ranks of a world: rank 0 chooses how many repetitions fill the time
 * given, all ranks repeat as often, and rank 0's clock counts.
 */
final class RankTimer {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /**
   * The result of one case.
   *
   * @param micros of one part of one repetition
   * @param allocated bytes on the heap, of the rank that allocated most, by one repetition
   */
  record Timing(double micros, double allocated) {}

  private RankTimer() {}

  static Timing time(World world, CommCase what, long nanos) {
    List<Timing> timings = world.call(comm -> time(comm, what, nanos));
    double allocated = timings.stream().mapToDouble(Timing::allocated).max().orElse(0);
    return new Timing(timings.getFirst().micros(), allocated);
  }

  private static Timing time(Communicator comm, CommCase what, long nanos) {
    try (Arena arena = Arena.ofConfined()) {
      Runnable operation = what.operation().make(comm, arena);
      MemorySegment repetitions = arena.allocate(ValueLayout.JAVA_LONG);
      long repeat = 1;
      long took = repeat(operation, repeat);
      // Doubling until a tenth of the time is filled is also the warm-up.
      while (true) {
        repetitions.set(
            ValueLayout.JAVA_LONG,
            0,
            took > nanos / 10 ? -(repeat * nanos / took + 1) : repeat * 2);
        comm.broadcast(repetitions, DType.I64, 1, 0);
        repeat = repetitions.get(ValueLayout.JAVA_LONG, 0);
        if (repeat < 0) {
          break;
        }
        took = repeat(operation, repeat);
      }
      comm.barrier();
      long before = THREADS.getCurrentThreadAllocatedBytes();
      took = repeat(operation, -repeat);
      long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
      comm.barrier();
      return new Timing(took / 1e3 / -repeat / what.parts(), (double) allocated / -repeat);
    }
  }

  private static long repeat(Runnable operation, long times) {
    long start = System.nanoTime();
    for (long i = 0; i < times; i++) {
      operation.run();
    }
    return Math.max(System.nanoTime() - start, 1);
  }
}
