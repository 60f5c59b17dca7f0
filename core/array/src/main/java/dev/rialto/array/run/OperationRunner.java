package dev.rialto.array.run;

import dev.rialto.array.IndexSpace;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.View;
import dev.rialto.exchange.Exchanger;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Resource;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a team's operations on this rank, one after another: their loops, in chunks on the threads
 * of an executor, and their words with the other ranks. Memory that they need is kept for the next
 * one.
 */
public final class OperationRunner {
  /** Elements between two looks at the cancellation; also the share of a thread. */
  public static final long CHUNK = 1 << 15;

  /** Does the {@code count} elements from the {@code at}-th on, which lie without gaps. */
  @FunctionalInterface
  public interface Stretch {
    void run(int chunk, long at, long count);
  }

  @FunctionalInterface
  public interface Body<R> {
    R run(OperationRunner run);
  }

  private final Communicator comm;
  private final ComputeClient client;
  private final Function<ComputeClient, Exchanger> mover;
  private final @Nullable Executor executor;
  private final Scratch scratch;
  private final Agreement agreement;
  private final List<Resource> pieces = new ArrayList<>();
  private final List<Operand> temporaries = new ArrayList<>();
  private Cancellation cancellation = new Cancellation();

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
    this.agreement = new Agreement(comm, scratch);
  }

  /** Returns what the ranks agree with. */
  Agreement agreement() {
    return agreement;
  }

  /** Returns the team's memory for operations. */
  public Scratch scratch() {
    return scratch;
  }

  /** Returns memory that goes when the operation ends, with anything in it. */
  public MemorySegment allocate(long bytes) {
    Resource piece = client.hosted("part of an operation on arrays", bytes);
    pieces.add(piece);
    return piece.segment();
  }

  /** Returns an array on a device that goes when the operation ends, with anything in it. */
  public Operand temporary(Operand like, IndexSpace space, DType type) {
    Operand made = like.team().unnumbered(space, type).reserve();
    temporaries.add(made);
    return made;
  }

  public int rank() {
    return comm.rank();
  }

  public int ranks() {
    return comm.size();
  }

  /** Runs an operation; if it fails before the ranks' last words, tells the others. */
  <R> R run(ArrayOperation<R> operation, Cancellation until, CommunicationThread over) {
    cancellation = until;
    agreement.begin(operation, until, over);
    try {
      return operation.body().run(this);
    } catch (RuntimeException | Error e) {
      agreement.stopped(e);
      throw e;
    } finally {
      pieces.forEach(Resource::close);
      pieces.clear();
      temporaries.forEach(Operand::discard);
      temporaries.clear();
    }
  }

  /**
   * Divides the elements from {@code begin} to {@code end} in chunks, on all threads of the
   * executor, and each chunk in stretches without gaps in all views.
   */
  public void stretches(long begin, long end, Stretch body, View... views) {
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
  public void rows(long count, LongConsumer body) {
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
        next = Math.min(next, at + view.layout().run(at));
      }
      body.run(chunk, at, next - at);
      at = next;
    }
  }

  /**
   * Returns how many elements of this rank are to be listed in a Java array.
   *
   * @param what what is done with them, such as {@code to sort}
   * @throws IllegalStateException if one does not hold as many
   */
  public int listed(long count, String what) {
    if (count > Integer.MAX_VALUE - 8) {
      throw new IllegalStateException(
          "%d elements %s on rank %d; the most is 2^31-9, use more ranks"
              .formatted(count, what, rank()));
    }
    return (int) count;
  }

  public static int chunksOf(long count) {
    return Math.toIntExact((count + CHUNK - 1) / CHUNK);
  }

  public void check() {
    cancellation.check();
  }

  /** Returns whether the communicator has something. */
  public boolean has(Capability capability) {
    return comm.capabilities().contains(capability);
  }

  /**
   * Hands words to all ranks and returns those of each, until the next time; further words follow.
   */
  public long[][] gather(long... words) {
    return agreement.gather(words);
  }

  /** Hands words to all ranks; the last of this operation. */
  public long[][] gatherLast(long... words) {
    return agreement.gatherLast(words);
  }

  /** Hands words to all ranks and returns those of all, one rank's after another's, in scratch. */
  public long[] gatherAll(long[] mine, int count, int slot) {
    return agreement.gatherAll(mine, count, slot);
  }

  /** Does something with the communicator, on the thread that may; all ranks do, or none. */
  public void communicate(Consumer<Communicator> action) {
    agreement.communicate(action);
  }

  /** Moves data where a client is; all ranks do, or none. */
  public void exchange(ComputeClient on, Consumer<Exchanger> action) {
    agreement.communicate(_ -> action.accept(mover.apply(on)));
  }

  /** Copies the elements of a view to another, whatever its division. */
  public void move(View from, View to) {
    exchange(client, exchanger -> Movement.move(this, exchanger, from, to));
  }
}
