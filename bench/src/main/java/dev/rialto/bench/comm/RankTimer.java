package dev.rialto.bench.comm;

import com.sun.management.ThreadMXBean;
import dev.rialto.bench.RankJobs;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * Times a communication, on all ranks together: rank 0 chooses how many repetitions fill the time
 * given, all ranks repeat as often, and the median of a few batches on rank 0's clock counts.
 */
final class RankTimer {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** The batches that a case is measured in. */
  static final int BATCHES = 9;

  private RankTimer() {}

  /**
   * Times a case on the calling rank, as part of {@code comm}; all its ranks call this.
   *
   * @return the microseconds of one part of one repetition, by this rank's clock, and the bytes on
   *     the heap of the rank that allocated most
   */
  static RankJobs.Line time(Communicator comm, CommCase what, long nanos) {
    try (Arena arena = Arena.ofConfined();
        CommCase.Repeated operation = what.operation().make(comm, arena)) {
      long batch = batch(comm, arena, operation, nanos);
      double[] micros = new double[BATCHES];
      long allocated = 0;
      for (int i = 0; i < BATCHES; i++) {
        comm.barrier();
        long before = THREADS.getCurrentThreadAllocatedBytes();
        long took = repeat(operation, batch);
        allocated += THREADS.getCurrentThreadAllocatedBytes() - before;
        micros[i] = took / 1e3 / batch / what.parts();
      }
      Arrays.sort(micros);
      MemorySegment most = arena.allocate(ValueLayout.JAVA_DOUBLE);
      most.set(ValueLayout.JAVA_DOUBLE, 0, (double) allocated / batch / BATCHES);
      comm.allReduce(most, most, DType.F64, 1, ReduceOp.MAX);
      return new RankJobs.Line(
          what.name(), micros[BATCHES / 2], most.get(ValueLayout.JAVA_DOUBLE, 0));
    }
  }

  /**
   * Returns how many repetitions make a batch. Finding out takes as long as measuring does and is
   * the warm-up: a process that is bound to one core shares it with its compiler.
   */
  private static long batch(
      Communicator comm, Arena arena, CommCase.Repeated operation, long nanos) {
    MemorySegment said = arena.allocate(ValueLayout.JAVA_LONG);
    long repeat = 1;
    long spent = 0;
    while (repeat > 0) {
      long took = repeat(operation, repeat);
      spent += took;
      long next =
          took < nanos / 10
              ? repeat * 2
              : spent < nanos ? repeat : -(repeat * nanos / BATCHES / took + 1);
      said.set(ValueLayout.JAVA_LONG, 0, next);
      comm.broadcast(said, DType.I64, 1, 0);
      repeat = said.get(ValueLayout.JAVA_LONG, 0);
    }
    return -repeat;
  }

  private static long repeat(CommCase.Repeated operation, long times) {
    long start = System.nanoTime();
    for (long i = 0; i < times; i++) {
      operation.run();
    }
    return Math.max(System.nanoTime() - start, 1);
  }
}
