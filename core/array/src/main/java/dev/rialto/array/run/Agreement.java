package dev.rialto.array.run;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.part.Signature;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.error.RialtoException;
import dev.rialto.spi.exec.Cancellation;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The words that ranks exchange in an operation, by which all of them stop together.
 *
 * <p>Whenever ranks exchange words, each also says whether it goes on, was cancelled or has failed.
 * So when one rank's user cancels, or one rank's function throws, all ranks leave the operation at
 * the same place, and none waits for another that has left.
 *
 * <p>The same word holds a hash of what the rank does, with which operator and which arrays. Where
 * these differ, ranks tell one another in words and all of them throw; after that, as after a
 * failure of the communicator, nothing is said any more, and what is left is closed by each rank
 * for itself.
 */
final class Agreement {
  private static final long GOES_ON = 0;
  private static final long CANCELLED = 1;
  private static final long FAILED = 2;
  private static final long LEAVES = 3;

  /** The bits of the first word that hold the state; the others are of the signature. */
  private static final long STATE_BITS = 3;

  /** Words of what a rank does in text, when ranks disagree. */
  private static final int TEXT = 32;

  private static final long[] NOTHING = {};

  /** Words of the first message: state, how many words there are, and up to six of them. */
  private static final int STATE = 8;

  private final Communicator comm;
  private final Scratch scratch;
  private final MemorySegment sent;
  private final MemorySegment received;
  private final Runnable exchange;

  /** The ranks' words, used again each time as many come: those of rank r are {@code [n][r]}. */
  private final long[][][] few = new long[STATE - 1][][];

  private String name = "";
  private Supplier<String> description = () -> "";
  private long signature;

  /** The reason for which ranks no longer agree on what comes next; null while they do. */
  private @Nullable RuntimeException broken;

  private Cancellation cancellation = new Cancellation();
  private CommunicationThread thread = CommunicationThread.NONE;

  /** Whether this rank has left the others: after the last words, or because some rank stopped. */
  private boolean concluded;

  private long communicated;

  Agreement(Communicator comm, Scratch scratch) {
    this.comm = comm;
    this.scratch = scratch;
    this.sent = scratch.numbers(Scratch.WORDS_SENT, STATE);
    this.received = scratch.numbers(Scratch.WORDS_RECEIVED, (long) comm.size() * STATE);
    this.exchange = () -> comm.allGather(sent, received, DType.I64, STATE);
  }

  void begin(ArrayOperation<?> operation, Cancellation until, CommunicationThread over) {
    name = operation.toString();
    description = operation::describe;
    signature = operation.signature() & ~STATE_BITS;
    cancellation = until;
    thread = over;
    communicated = 0;
    concluded = operation.needs().isEmpty();
  }

  /**
   * Tells the others that this rank stops, unless it was done with them; what goes wrong with that
   * is no cause of its own.
   */
  void stopped(Throwable stopping) {
    if (concluded) {
      return;
    }
    try {
      states(stopping instanceof CancellationException ? CANCELLED : FAILED, NOTHING, 0);
    } catch (RuntimeException e) {
      stopping.addSuppressed(e);
    }
  }

  /** Returns why the ranks no longer agree on what comes next, or null while they do. */
  @Nullable RuntimeException broken() {
    return broken;
  }

  /**
   * Checks that all ranks do the same now, where there are collectives to ask with.
   *
   * @param failure why this rank cannot, which is thrown here, and others are told of; or null
   */
  void agree(Supplier<String> doing, @Nullable RuntimeException failure) {
    boolean asks = asks(doing);
    if (asks) {
      states(failure == null ? GOES_ON : FAILED, NOTHING, 0);
    }
    if (failure != null) {
      throw failure;
    }
    for (int rank = 0; asks && rank < comm.size(); rank++) {
      stop(rank, state(rank));
    }
  }

  /**
   * Returns whether all ranks close the same now, so that they can do it together. Others that do
   * something else hear that this rank leaves.
   */
  boolean leave(Supplier<String> closing) {
    if (broken == null && asks(closing)) {
      states(LEAVES, NOTHING, 0);
    }
    return broken == null;
  }

  private boolean asks(Supplier<String> doing) {
    name = doing.get();
    description = doing;
    signature = Signature.of(name) & ~STATE_BITS;
    thread = CommunicationThread.NONE;
    return comm.size() > 1 && comm.capabilities().contains(Capability.COLLECTIVES);
  }

  /**
   * Hands words to all ranks and returns those of each, until the next time; further words follow.
   */
  long[][] gather(long... words) {
    long[][] all = words(words);
    concluded = false;
    return all;
  }

  /** Hands words to all ranks; the last of this operation. */
  long[][] gatherLast(long... words) {
    return words(words);
  }

  /** Hands words to all ranks and returns those of all, one rank's after another's, in scratch. */
  long[] gatherAll(long[] mine, int count, int slot) {
    states(cancellation.isCancelled() ? CANCELLED : GOES_ON, NOTHING, count);
    for (int rank = 0; rank < comm.size(); rank++) {
      stop(rank, state(rank));
    }
    MemorySegment words = exchange(mine, count);
    concluded = false;
    int total = (int) (words.byteSize() / 8);
    long[] all = scratch.longs(slot, total);
    MemorySegment.copy(words, JAVA_LONG, 0, all, 0, total);
    return all;
  }

  /** Does something with the communicator, on the thread that may; all ranks do, or none. */
  void communicate(Consumer<Communicator> action) {
    long[][] _ = gather(NOTHING);
    // A rank that fails in here cannot say so; the communicator tells the others.
    concluded = true;
    carry(() -> action.accept(comm));
    concluded = false;
  }

  private void carry(Runnable call) {
    long start = System.nanoTime();
    try {
      thread.carry(call);
    } catch (RialtoException e) {
      broken = e;
      throw e;
    }
    communicated += System.nanoTime() - start;
  }

  /** Returns how long this rank has been with the others, at work or waiting. */
  long communicatedNanos() {
    return communicated;
  }

  /** Exchanges the ranks' states, how many words each has, and the words if they are few. */
  private void states(long state, long[] mine, int count) {
    sent.setAtIndex(JAVA_LONG, 0, signature | state);
    sent.setAtIndex(JAVA_LONG, 1, count);
    if (mine.length <= STATE - 2) {
      MemorySegment.copy(mine, 0, sent, JAVA_LONG, 16, mine.length);
    }
    concluded = true;
    carry(exchange);
    for (int rank = 0; rank < comm.size(); rank++) {
      if ((first(rank) & ~STATE_BITS) != signature) {
        disagree(state);
        return;
      }
    }
  }

  private long first(int rank) {
    return received.getAtIndex(JAVA_LONG, (long) rank * STATE);
  }

  private long state(int rank) {
    return first(rank) & STATE_BITS;
  }

  /** Tells all ranks what each does; all come here, as all have the same signatures. */
  private void disagree(long state) {
    MemorySegment mine = scratch.numbers(Scratch.MANY_SENT, TEXT);
    MemorySegment all = scratch.numbers(Scratch.MANY_RECEIVED, (long) TEXT * comm.size());
    byte[] text = description.get().getBytes(StandardCharsets.UTF_8);
    mine.fill((byte) 0);
    MemorySegment.copy(text, 0, mine, JAVA_BYTE, 0, Math.min(text.length, 8 * TEXT - 1));
    carry(() -> comm.allGather(mine, all, DType.I64, TEXT));
    int other = 0;
    while ((first(other) & ~STATE_BITS) == signature) {
      other++;
    }
    String theirs = all.asSlice(8L * TEXT * other, 8L * TEXT).getString(0);
    String where = "rank " + comm.rank() + " of " + comm.size();
    boolean leaves = state(other) == LEAVES;
    broken =
        leaves
            ? new PeerFailedException(
                "rank %d left by %s, while this rank began %s"
                    .formatted(other, theirs, description.get()),
                where,
                "see that rank's exception",
                null)
            : new MismatchException(
                "this rank began %s, but rank %d began %s"
                    .formatted(description.get(), other, theirs),
                where,
                "let all ranks begin the same operations on the same arrays in the same order",
                null);
    if (state != LEAVES) {
      throw broken;
    }
  }

  private long[][] words(long[] mine) {
    states(cancellation.isCancelled() ? CANCELLED : GOES_ON, mine, mine.length);
    int size = comm.size();
    boolean alike = true;
    long most = 0;
    for (int rank = 0; rank < size; rank++) {
      stop(rank, state(rank));
      long count = received.getAtIndex(JAVA_LONG, (long) rank * STATE + 1);
      alike &= count == mine.length;
      most = Math.max(most, count);
    }
    if (most > STATE - 2) {
      return manyWords(mine);
    }
    long[][] all = alike ? few(mine.length) : new long[size][];
    for (int rank = 0; rank < size; rank++) {
      if (!alike) {
        all[rank] = new long[(int) received.getAtIndex(JAVA_LONG, (long) rank * STATE + 1)];
      }
      long from = 8 * ((long) rank * STATE + 2);
      MemorySegment.copy(received, JAVA_LONG, from, all[rank], 0, all[rank].length);
    }
    return all;
  }

  private long[][] few(int words) {
    long[][] known = few[words];
    if (known == null) {
      known = new long[comm.size()][words];
      few[words] = known;
    }
    return known;
  }

  private long[][] manyWords(long[] mine) {
    MemorySegment words = exchange(mine, mine.length);
    long[][] all = new long[comm.size()][];
    long start = 0;
    for (int rank = 0; rank < all.length; rank++) {
      all[rank] = new long[(int) received.getAtIndex(JAVA_LONG, (long) rank * STATE + 1)];
      MemorySegment.copy(words, JAVA_LONG, start, all[rank], 0, all[rank].length);
      start += 8L * all[rank].length;
    }
    return all;
  }

  /** Exchanges words of which ranks have told how many they have. */
  private MemorySegment exchange(long[] mine, int count) {
    int size = comm.size();
    long[] counts = new long[size];
    long[] starts = new long[size];
    long total = 0;
    for (int rank = 0; rank < size; rank++) {
      counts[rank] = received.getAtIndex(JAVA_LONG, (long) rank * STATE + 1);
      starts[rank] = total;
      total += counts[rank];
    }
    MemorySegment send = scratch.numbers(Scratch.MANY_SENT, count);
    MemorySegment words = scratch.numbers(Scratch.MANY_RECEIVED, total);
    MemorySegment.copy(mine, 0, send, JAVA_LONG, 0, count);
    carry(() -> comm.allGatherV(send, count, words, counts, starts, DType.I64));
    return words.asSlice(0, 8 * total);
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
