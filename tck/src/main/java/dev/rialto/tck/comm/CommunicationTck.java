package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.generated.ScriptedTck;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.reference.Together;
import dev.rialto.tck.run.NotRun;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.function.Executable;

/**
 * The base of requirement classes on communication: ranks with memory, signals, and refusals.
 *
 * <p>Ranks may be processes, so bodies share nothing: what one rank expects of another it computes
 * from the same keys. That something does <i>not</i> happen is watched for {@link #A_WHILE}; a
 * backend that does it later than that is not caught, and none is blamed wrongly.
 */
public abstract class CommunicationTck extends ScriptedTck {
  /** The time for which a thing that must not happen is watched for. */
  static final Duration A_WHILE = Duration.ofMillis(15);

  /** The time after which a thing that must happen counts as not happening. */
  static final Duration SOON = Duration.ofSeconds(20);

  static final List<DType> TYPES =
      Arrays.stream(DType.values()).filter(DType::hasReductions).toList();

  /** Lengths around what backends treat differently: one word, one cache line, one page, 64 KB. */
  static final long[] LENGTHS = {0, 1, 7, 8, 9, 63, 64, 65, 1023, 4097, 65536, 65543, 1048593};

  /** Counts of elements where many types or operators are crossed: none, one, odd, many. */
  static final long[] COUNTS = {0, 1, 7, 1025};

  static final int SIGNAL = 32767;

  /** The body of one rank, with memory that is freed when it is done. */
  @FunctionalInterface
  interface RankTest {
    void run(Communicator comm, RankMemory memory) throws Exception;
  }

  final void onRanks(int atLeast, RankTest test) {
    ranks(
        atLeast,
        comm -> {
          try (RankMemory memory = new RankMemory()) {
            test.run(comm, memory);
          }
        });
  }

  final void onRanks(RankTest test) {
    onRanks(1, test);
  }

  /** Runs a test of one sender and one receiver, the first and the last rank. */
  final void onPair(RankTest sender, RankTest receiver) {
    onRanks(
        2,
        (comm, memory) -> {
          if (comm.rank() == 0) {
            sender.run(comm, memory);
          } else if (comm.rank() == last(comm)) {
            receiver.run(comm, memory);
          }
        });
  }

  /** Returns the rank that is the receiver {@linkplain #onPair of a pair}. */
  static int last(Communicator comm) {
    return comm.size() - 1;
  }

  /** Returns the rank after this one, round a ring. */
  static int next(Communicator comm) {
    return (comm.rank() + 1) % comm.size();
  }

  /** Returns the rank before this one, round a ring. */
  static int previous(Communicator comm) {
    return (comm.rank() + comm.size() - 1) % comm.size();
  }

  /** Opens the largest world there is, which needs more than one rank. */
  final World openSeveral() {
    int most = Collections.max(rankCounts());
    if (most < 2) {
      throw new NotRun("needs 2 ranks");
    }
    return open(most);
  }

  final boolean has(Capability capability) {
    return capabilities().contains(capability);
  }

  /** Checks, where it is declared, that a message that was too long has left a blank buffer. */
  final void checkTruncated(RankMemory memory, MemorySegment buffer, String what) {
    if (has(Capability.INTACT_TRUNCATION)) {
      RankMemory.check(memory.blank(buffer.byteSize()), buffer, what);
    }
  }

  /** Tells another rank that this one has come so far. */
  static void signal(Communicator comm, int target) {
    comm.send(MemorySegment.NULL, DType.I8, 0, target, SIGNAL);
  }

  static void awaitSignal(Communicator comm, int source) {
    comm.receive(MemorySegment.NULL, DType.I8, 0, source, SIGNAL);
  }

  /** Waits until all ranks have come here, by messages alone. */
  static void meet(Communicator comm) {
    for (int step = 1; step < comm.size(); step *= 2) {
      int target = (comm.rank() + step) % comm.size();
      int source = (comm.rank() - step + comm.size()) % comm.size();
      MemorySegment none = MemorySegment.NULL;
      comm.sendReceive(none, 0, target, SIGNAL, none, 0, source, SIGNAL, DType.I8);
    }
  }

  /**
   * Leaves out what is the caller's duty: where a native library keeps the address of a buffer
   * after the call that was given it. Such backends take no memory of the heap, and with {@code
   * -Drialto.checks=true} they give the library memory of their own.
   */
  final void needsSegments() {
    if (backend().launcher().isPresent()
        && !has(Capability.HEAP_BUFFERS)
        && !Boolean.getBoolean("rialto.checks")) {
      throw new NotRun("a native library keeps addresses; -Drialto.checks=true guards them");
    }
  }

  /** Checks that messages go round, and collectives too where there are some. */
  final void works(Communicator comm, RankMemory memory) {
    MemorySegment message = memory.pattern(comm.rank(), 3000);
    MemorySegment buffer = memory.blank(3000);
    comm.sendReceive(message, 3000, next(comm), 9, buffer, 3000, previous(comm), 9, DType.I8);
    RankMemory.check(memory.pattern(previous(comm), 3000), buffer, "the message afterwards");
    if (has(Capability.COLLECTIVES)) {
      MemorySegment all = memory.blank(8L * comm.size());
      comm.allGather(memory.longs(comm.rank()), all, DType.I64, 1);
      for (int rank = 0; rank < comm.size(); rank++) {
        assertEquals(rank, all.getAtIndex(ValueLayout.JAVA_LONG, rank), "gathered afterwards");
      }
    }
  }

  /** Checks that a call is refused, in words that name what was wrong with it. */
  static void refuses(Class<? extends RuntimeException> type, Object value, Executable call) {
    String message = String.valueOf(assertThrows(type, call).getMessage());
    assertTrue(
        message.contains(value.toString()), () -> "'" + message + "' does not name " + value);
  }

  /** Returns whether a condition comes true within a time. */
  static boolean within(Duration limit, BooleanSupplier condition) {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        return false;
      }
      Thread.yield();
    }
    return true;
  }

  /** Checks that a request stays pending for a while, although it is tested again and again. */
  static void staysPending(Request request, String why) {
    assertTrue(!within(A_WHILE, request::test), () -> "complete, although " + why);
  }

  /** Completes what is no receive, and gives it back. */
  static void complete(Request request) {
    try (request) {
      assertEquals(Status.EMPTY, request.await());
    }
  }

  /** Makes a segment of the same bytes on the heap. */
  public static MemorySegment onHeap(MemorySegment segment) {
    MemorySegment copy = MemorySegment.ofArray(new long[(int) ((segment.byteSize() + 7) / 8)]);
    return copy.asSlice(0, segment.byteSize()).copyFrom(segment);
  }

  /** The body of one of several threads of a rank. */
  @FunctionalInterface
  interface ThreadTest {
    void run(int thread, RankMemory memory) throws Exception;
  }

  /** Runs a body on several threads of the calling rank at once. */
  static void onThreads(int threads, ThreadTest test) throws Exception {
    Together.run(
        threads,
        thread -> {
          try (RankMemory memory = new RankMemory()) {
            test.run(thread, memory);
          }
        });
  }
}
