package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.exchange.Exchanger;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Resource;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.error.RialtoException;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What runs a team's operations on this rank, one after another: their loops, their words with the
 * other ranks, and how all of them stop together. What they need is kept for the next one.
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
final class OperationRunner {
  /** Elements between two looks at the cancellation; also the share of a thread. */
  static final long CHUNK = 1 << 15;

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

  /** Does the {@code count} elements from the {@code at}-th on, which lie without gaps. */
  @FunctionalInterface
  interface Stretch {
    void run(int chunk, long at, long count);
  }

  /** What an operation does. */
  @FunctionalInterface
  interface Body<R> {
    R run(OperationRunner run);
  }

  private final Communicator comm;
  private final ComputeClient client;
  private final Function<ComputeClient, Exchanger> mover;
  private final @Nullable Executor executor;
  private final Scratch scratch;
  private final MemorySegment sent;
  private final MemorySegment received;
  private final Runnable exchange;

  /** The ranks' words, used again each time as many come: those of rank r are {@code [n][r]}. */
  private final long[][][] few = new long[STATE - 1][][];

  private String name = "";
  private Supplier<String> description = () -> "";
  private long signature;

  /** Why the ranks no longer agree on what comes next, or null while they do. */
  private @Nullable RuntimeException broken;

  private Cancellation cancellation = new Cancellation();
  private CommunicationThread ferry = CommunicationThread.NONE;
  private final List<Resource> pieces = new ArrayList<>();
  private final List<Array> temporaries = new ArrayList<>();

  /** Whether this rank has left the others: after the last words, or because some rank stopped. */
  private boolean concluded;

  private long communicated;

  /** Makes it; {@code mover} is asked for what moves data on a thread that may communicate. */
  OperationRunner(
      Communicator comm,
      ComputeClient client,
      Function<ComputeClient, Exchanger> mover,
      @Nullable Executor executor,
      Scratch scratch) {
    this.comm = comm;
    this.client = client;
    this.mover = mover;
    this.executor = executor;
    this.scratch = scratch;
    this.sent = scratch.numbers(Scratch.WORDS_SENT, STATE);
    this.received = scratch.numbers(Scratch.WORDS_RECEIVED, (long) comm.size() * STATE);
    this.exchange = () -> comm.allGather(sent, received, DType.I64, STATE);
  }

  /** Returns the team's memory for operations. */
  Scratch scratch() {
    return scratch;
  }

  /** Returns memory that goes when the operation ends, with anything in it. */
  MemorySegment allocate(long bytes) {
    Resource piece = client.hosted("part of an operation on arrays", bytes);
    pieces.add(piece);
    return piece.segment();
  }

  /** Returns an array on a device that goes when the operation ends, with anything in it. */
  Array temporary(IndexSpace space, DType type) {
    Array made = space.team().unnumbered(() -> space.describe(type)).reserve();
    temporaries.add(made);
    return made;
  }

  int rank() {
    return comm.rank();
  }

  int ranks() {
    return comm.size();
  }

  /** Runs an operation; if it fails before the ranks' last words, tells the others. */
  <R> R run(ArrayOperation<R> operation, Cancellation until, CommunicationThread over) {
    name = operation.toString();
    description = operation::describe;
    signature = operation.signature() & ~STATE_BITS;
    cancellation = until;
    ferry = over;
    communicated = 0;
    concluded = operation.needs().isEmpty();
    try {
      return operation.body().run(this);
    } catch (RuntimeException | Error e) {
      if (!concluded) {
        tell(e instanceof CancellationException ? CANCELLED : FAILED, e);
      }
      throw e;
    } finally {
      pieces.forEach(Resource::close);
      pieces.clear();
      temporaries.forEach(Array::discard);
      temporaries.clear();
    }
  }

  /** Tells the others that this rank stops; what goes wrong with that is no cause of its own. */
  private void tell(long state, Throwable stopping) {
    try {
      states(state, NOTHING, 0);
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
    boolean asks = begin(doing);
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
    if (broken == null && begin(closing)) {
      states(LEAVES, NOTHING, 0);
    }
    return broken == null;
  }

  private boolean begin(Supplier<String> doing) {
    name = doing.get();
    description = doing;
    signature = hash(name) & ~STATE_BITS;
    ferry = CommunicationThread.NONE;
    return comm.size() > 1 && has(Capability.COLLECTIVES);
  }

  /** Returns a hash of text that is the same in all processes. */
  static long hash(String text) {
    long hash = 1;
    for (int i = 0; i < text.length(); i++) {
      hash = mix(hash, text.charAt(i));
    }
    return hash;
  }

  static long mix(long hash, long word) {
    long mixed = (hash ^ word) * 0x9E3779B97F4A7C15L;
    return mixed ^ mixed >>> 32;
  }

  /**
   * Divides the elements from {@code begin} to {@code end} in chunks, on all threads of the
   * executor, and each chunk in stretches without gaps in all views.
   */
  void stretches(long begin, long end, Stretch body, View... views) {
    long chunks = chunksOf(end - begin);
    if (executor == null || chunks < 2) {
      for (int chunk = 0; chunk < chunks; chunk++) {
        cancellation.check();
        chunk(chunk, begin, end, body, views);
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
            chunk((int) chunk, begin, end, body, views);
          }
        });
  }

  /** Does something with each of some rows, on all threads of the executor. */
  void rows(long count, LongConsumer body) {
    if (executor == null || count < 2) {
      for (long row = 0; row < count; row++) {
        cancellation.check();
        body.accept(row);
      }
      return;
    }
    long grain = Math.max(1, count / (8L * executor.parallelism()));
    executor.parallelFor(
        0,
        count,
        grain,
        cancellation,
        (from, to) -> {
          for (long row = from; row < to; row++) {
            body.accept(row);
          }
        });
  }

  private static void chunk(int chunk, long begin, long end, Stretch body, View[] views) {
    long at = begin + chunk * CHUNK;
    long last = Math.min(end, at + CHUNK);
    while (at < last) {
      long next = last;
      for (View view : views) {
        next = Math.min(next, at + view.part().run(at));
      }
      body.run(chunk, at, next - at);
      at = next;
    }
  }

  static int chunksOf(long count) {
    return Math.toIntExact((count + CHUNK - 1) / CHUNK);
  }

  void check() {
    cancellation.check();
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

  /** Returns whether the communicator has something. */
  boolean has(Capability capability) {
    return comm.capabilities().contains(capability);
  }

  /** Does something with the communicator, on the thread that may; all ranks do, or none. */
  void communicate(Consumer<Communicator> action) {
    long[][] _ = gather(NOTHING);
    // Whoever fails in here cannot say so; the communicator tells the others.
    concluded = true;
    carry(() -> action.accept(comm));
    concluded = false;
  }

  /** Moves data where a client is; all ranks do, or none. */
  void exchange(ComputeClient on, Consumer<Exchanger> action) {
    communicate(_ -> action.accept(mover.apply(on)));
  }

  /** Copies the elements of a view to another, whatever its division. */
  void move(View from, View to) {
    exchange(client, exchanger -> Movement.move(this, exchanger, from, to));
  }

  private void carry(Runnable call) {
    long start = System.nanoTime();
    try {
      ferry.carry(call);
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
