package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One operation under way on this rank: its loops, its words with the other ranks, and how all of
 * them stop together.
 *
 * <p>Whenever ranks exchange words, each also says whether it goes on, was cancelled or has failed.
 * So when one rank's user cancels, or one rank's function throws, all ranks leave the operation at
 * the same place, and none waits for another that has left.
 */
final class Run {
  /** Elements between two looks at the cancellation; also the share of a thread. */
  static final long CHUNK = 1 << 15;

  private static final long GOES_ON = 0;
  private static final long CANCELLED = 1;
  private static final long FAILED = 2;

  /** Words of the first message: state, how many words there are, and up to six of them. */
  private static final int STATE = 8;

  /** Does the elements from {@code begin} to {@code end}, the {@code chunk}-th part of all. */
  @FunctionalInterface
  interface ChunkBody {
    void run(int chunk, long begin, long end);
  }

  /** What an operation does. */
  @FunctionalInterface
  interface Body<R> {
    R run(Run run);
  }

  private final Communicator comm;
  private final @Nullable Executor executor;
  private final Cancellation cancellation;
  private final Ferry ferry;
  private final Scratch scratch;
  private final String name;

  /** Whether this rank has left the others: after the last words, or because some rank stopped. */
  private boolean concluded;

  private long communicated;

  Run(
      String name,
      Communicator comm,
      @Nullable Executor executor,
      Cancellation cancellation,
      Ferry ferry,
      Scratch scratch) {
    this.name = name;
    this.comm = comm;
    this.executor = executor;
    this.cancellation = cancellation;
    this.ferry = ferry;
    this.scratch = scratch;
  }

  /** Returns the team's memory for operations, which run one after another. */
  Scratch scratch() {
    return scratch;
  }

  int rank() {
    return comm.rank();
  }

  int ranks() {
    return comm.size();
  }

  /** Runs a body; if it fails before the ranks' last words, tells the others. */
  <R> R run(boolean collective, Body<R> body) {
    concluded = !collective;
    try {
      return body.run(this);
    } catch (RuntimeException | Error e) {
      if (!concluded) {
        tell(e instanceof CancellationException ? CANCELLED : FAILED);
      }
      throw e;
    }
  }

  /** Divides {@code count} elements in chunks and does them, on all threads of the executor. */
  void chunks(long count, ChunkBody body) {
    long chunks = chunksOf(count);
    if (executor == null || chunks < 2) {
      for (int chunk = 0; chunk < chunks; chunk++) {
        cancellation.check();
        body.run(chunk, chunk * CHUNK, Math.min(count, (chunk + 1) * CHUNK));
      }
      return;
    }
    executor.parallelFor(
        0,
        chunks,
        1,
        cancellation,
        (from, to) -> {
          for (long chunk = from; chunk < to; chunk++) {
            body.run((int) chunk, chunk * CHUNK, Math.min(count, (chunk + 1) * CHUNK));
          }
        });
  }

  static int chunksOf(long count) {
    return Math.toIntExact((count + CHUNK - 1) / CHUNK);
  }

  void check() {
    cancellation.check();
  }

  /** Hands words to all ranks and returns those of each; further words follow. */
  long[][] gather(long... words) {
    long[][] all = words(words);
    concluded = false;
    return all;
  }

  /** Hands words to all ranks; the last of this operation. */
  long[][] gatherLast(long... words) {
    return words(words);
  }

  /** Does something with the communicator, on the thread that may; all ranks do, or none. */
  void communicate(Consumer<Communicator> action) {
    long[][] _ = gather();
    // Whoever fails in here cannot say so; the communicator tells the others.
    concluded = true;
    carry(() -> action.accept(comm));
    concluded = false;
  }

  private void carry(Runnable call) {
    long start = System.nanoTime();
    ferry.carry(call);
    communicated += System.nanoTime() - start;
  }

  /** Returns how long this rank has been with the others, at work or waiting. */
  long communicatedNanos() {
    return communicated;
  }

  private void tell(long state) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment _ = states(arena, state, new long[0]);
    }
  }

  /** Exchanges the ranks' states, how many words each has, and the words if they are few. */
  private MemorySegment states(Arena arena, long state, long[] mine) {
    MemorySegment send = arena.allocate(JAVA_LONG, STATE);
    MemorySegment receive = arena.allocate(JAVA_LONG, (long) comm.size() * STATE);
    send.setAtIndex(JAVA_LONG, 0, state);
    send.setAtIndex(JAVA_LONG, 1, mine.length);
    for (int i = 0; i < mine.length && mine.length <= STATE - 2; i++) {
      send.setAtIndex(JAVA_LONG, i + 2, mine[i]);
    }
    concluded = true;
    carry(() -> comm.allGather(send, receive, DType.I64, STATE));
    return receive;
  }

  private long[][] words(long[] mine) {
    int size = comm.size();
    long[][] all = new long[size][];
    try (Arena arena = Arena.ofShared()) {
      long state = cancellation.isCancelled() ? CANCELLED : GOES_ON;
      MemorySegment states = states(arena, state, mine);
      long[] counts = new long[size];
      long[] starts = new long[size];
      long total = 0;
      boolean many = false;
      for (int rank = 0; rank < size; rank++) {
        stop(rank, states.getAtIndex(JAVA_LONG, (long) rank * STATE));
        counts[rank] = states.getAtIndex(JAVA_LONG, (long) rank * STATE + 1);
        starts[rank] = total;
        total += counts[rank];
        many |= counts[rank] > STATE - 2;
      }
      MemorySegment words = many ? arena.allocate(JAVA_LONG, total) : states;
      if (many) {
        MemorySegment send = arena.allocate(JAVA_LONG, mine.length);
        MemorySegment.copy(mine, 0, send, JAVA_LONG, 0, mine.length);
        carry(() -> comm.allGatherV(send, mine.length, words, counts, starts, DType.I64));
      }
      for (int rank = 0; rank < size; rank++) {
        all[rank] = new long[Math.toIntExact(counts[rank])];
        long from = many ? starts[rank] : (long) rank * STATE + 2;
        MemorySegment.copy(words, JAVA_LONG, 8 * from, all[rank], 0, all[rank].length);
      }
    }
    return all;
  }

  private void stop(int rank, long state) {
    if (state == CANCELLED) {
      throw new CancellationException(name + " was cancelled on rank " + rank);
    }
    if (state == FAILED) {
      throw new PeerFailedException(
          name + " failed on rank " + rank,
          "rank " + comm.rank() + " of " + comm.size(),
          "see that rank's exception",
          null);
    }
  }
}
