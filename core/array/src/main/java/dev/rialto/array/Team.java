package dev.rialto.array;

import dev.rialto.exchange.plan.Halo;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * The ranks that share arrays, and what runs operations on them.
 *
 * {@snippet :
 * try (Team team = Team.on(comm);
 *     DistributedArray a = team.array(DType.F64, Shape.of(1_000_000), Decomposition.block())) {
 *   Elementwise.generate(a, Generator.ofDoubles(i -> 1.0 / (i + 1))).run();
 *   double sum = Reduce.of(a, Operator.SUM).run().asDouble();
 * }
 * }
 *
 * <p>Operations of a rank run one after another, in the order in which they were begun, so that
 * those of all ranks meet. Started ones run on a thread of the team's own. Memory that operations
 * need is kept for the next one. Used by one thread of a rank at a time. Closing is collective;
 * arrays are closed before.
 */
public final class Team implements AutoCloseable {
  private final Communicator comm;
  private final boolean ownsComm;
  private final Ferry ferry;
  private final Scratch scratch = new Scratch();
  private final Run run;
  private final Cancellation never = new Cancellation();
  private @Nullable ExecutorService queue;
  private @Nullable FutureTask<?> last;
  private int arrays;
  private boolean closed;

  private Team(Communicator comm, boolean ownsComm, @Nullable Executor executor) {
    this.comm = comm;
    this.ownsComm = ownsComm;
    this.ferry =
        comm.capabilities().contains(Capability.MULTI_THREADED) && ownsComm
            ? Ferry.NONE
            : new Ferry();
    this.run = new Run(comm, executor, scratch);
  }

  /** Makes a team whose loops run on one thread per rank. Collective. */
  public static Team on(Communicator comm) {
    return make(comm, null);
  }

  /** Makes a team whose loops use an executor's threads; it stays the caller's. Collective. */
  public static Team on(Communicator comm, Executor executor) {
    return make(comm, executor);
  }

  private static Team make(Communicator comm, @Nullable Executor executor) {
    boolean dup = comm.capabilities().contains(Capability.SPLIT);
    return new Team(dup ? comm.dup() : comm, dup, executor);
  }

  /** Makes an array of zeros. Collective. */
  public DistributedArray array(DType type, Shape shape, Decomposition decomposition) {
    return make(new DistributedArray(this, type, shape, decomposition, null));
  }

  /** Allocates an array once all ranks are seen to make the same one. */
  private DistributedArray make(DistributedArray array) {
    checkUsable("making " + array);
    finish();
    run.agree(() -> "making " + array.describe());
    return array.allocate();
  }

  /** Returns the number of the next array that is made; all ranks make them in one order. */
  int nextArray() {
    return ++arrays;
  }

  /**
   * Returns whether all ranks close the same now. If not, or if they no longer can say so, each
   * closes for itself.
   */
  boolean leave(String closing) {
    finish();
    return run.leave(() -> closing);
  }

  /** Returns whether closing what is shared cannot wait for a rank that does not come. */
  boolean closesTogether() {
    return run.broken() == null || comm.capabilities().contains(Capability.FAILURE_NOTICE);
  }

  /**
   * Makes an array of zeros whose ranks also hold copies of elements around their block.
   * Collective.
   *
   * @throws IllegalArgumentException if the decomposition is not one of blocks, or the layers
   *     exceed the array
   */
  public DistributedArray array(
      DType type, Shape shape, Decomposition decomposition, Halo.Stencil halo) {
    return make(new DistributedArray(this, type, shape, decomposition, halo));
  }

  /** Returns the communicator of this team: the one given, duplicated where that can be. */
  public Communicator communicator() {
    return comm;
  }

  <R> R run(Operation<R> operation, Cancellation cancellation) {
    check(operation);
    finish();
    return operation.execute(run, cancellation, Ferry.NONE);
  }

  /** Returns the cancellation of those that nobody cancels. */
  Cancellation never() {
    return never;
  }

  <R> Started<R> start(Operation<R> operation) {
    check(operation);
    if (queue == null) {
      queue =
          Executors.newSingleThreadExecutor(
              Thread.ofPlatform().daemon().name("team of rank " + comm.rank()).factory());
    }
    Cancellation cancellation = new Cancellation();
    FutureTask<R> task =
        new FutureTask<>(
            () -> {
              try {
                return operation.execute(run, cancellation, ferry);
              } finally {
                operation.claim(false);
              }
            }) {
          @Override
          protected void done() {
            ferry.land();
          }
        };
    operation.claim(true);
    last = task;
    queue.execute(task);
    return new Started<>(task, cancellation, ferry);
  }

  private void checkUsable(String what) {
    if (closed) {
      throw new IllegalStateException(what + ": this team is closed");
    }
    RuntimeException broken = run.broken();
    if (broken != null) {
      throw new IllegalStateException(
          what
              + ": the ranks of this team no longer agree on what comes next; make another team after"
              + " this failure: "
              + broken.getMessage(),
          broken);
    }
  }

  private void check(Operation<?> operation) {
    checkUsable(operation.toString());
    for (Capability need : operation.needs()) {
      if (!comm.capabilities().contains(need)) {
        throw need.unsupported(comm.name());
      }
    }
  }

  /** Waits until everything that was started has ended; what it threw is for its await. */
  void finish() {
    FutureTask<?> running = last;
    last = null;
    if (running == null) {
      return;
    }
    try {
      while (ferry != Ferry.NONE && !running.isDone()) {
        ferry.serve();
      }
      var _ = running.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while an operation is under way", e);
    } catch (ExecutionException | CancellationException e) {
      // Not lost: the FutureTask keeps it for whoever awaits the operation.
      return;
    }
  }

  /**
   * Waits for operations that were started and gives the communicator back. Collective, unless
   * ranks have failed: then each closes for itself.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    try {
      boolean _ = leave("closing the team");
    } finally {
      closed = true;
      if (queue != null) {
        queue.close();
      }
      scratch.close();
      if (ownsComm && closesTogether()) {
        comm.close();
      }
    }
  }
}
