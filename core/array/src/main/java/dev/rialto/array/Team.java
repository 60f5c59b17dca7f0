package dev.rialto.array;

import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The ranks that share arrays, and what runs algorithms on them.
 *
 * {@snippet :
 * try (Team team = Team.on(comm);
 *     F64Array a = team.f64(1_000_000)) {
 *   a.set(i -> 1.0 / (i + 1));
 *   double sum = a.sum();
 * }
 * }
 *
 * <p>What a rank does with arrays is done in the order in which it was begun, so that ranks meet.
 * Work that is {@linkplain #start started} runs on a thread of the team's own. Memory that
 * algorithms need is kept for the next one. Used by one thread of a rank at a time. Closing is
 * collective; arrays are closed before.
 */
public final class Team implements AutoCloseable {
  private final Communicator comm;
  private final boolean ownsComm;

  /** What ranks of a node can address of one another's arrays. */
  private final SharedMemory memory;

  private final CommunicationThread ferry;

  /** Where arrays are unless their space says otherwise. */
  private final ComputeClient client;

  private final ComputeClient host;
  private final Map<ComputeDevice, DeviceKernels> kernels = new HashMap<>();
  private final Scratch scratch;
  private final OperationRunner run;

  /** What moves elements, in the order in which it was made. */
  private final Map<ComputeDevice, Mover> movers = new LinkedHashMap<>();

  /** Those for work that was started, where its thread may communicate by itself. */
  private final Map<ComputeDevice, Mover> startedMovers = new LinkedHashMap<>();

  private @Nullable ExecutorService queue;
  private @Nullable FutureTask<?> last;

  /** What cancels the algorithms of the rank's own thread. */
  private Cancellation cancellation = new Cancellation();

  /** What was started and is running, and the thread that runs it. */
  private volatile @Nullable Work<?> current;

  private volatile @Nullable Thread worker;
  private int arrays;
  private boolean numbers = true;
  private boolean closed;

  private Team(
      Communicator comm, boolean ownsComm, ComputeClient client, @Nullable Executor executor) {
    this.comm = comm;
    this.memory = new SharedMemory(comm, null);
    this.client = client;
    this.host = client.device().isHostAccessible() ? client : Devices.host();
    this.scratch = new Scratch(host);
    this.ownsComm = ownsComm;
    this.ferry =
        comm.capabilities().contains(Capability.MULTI_THREADED) && ownsComm
            ? CommunicationThread.NONE
            : new CommunicationThread();
    this.run = new OperationRunner(comm, host, this::mover, executor, scratch);
  }

  /** Makes a team whose loops run on one thread per rank. Collective. */
  public static Team on(Communicator comm) {
    return make(comm, Devices.host(), null);
  }

  /** Makes a team whose loops use an executor's threads; it stays the caller's. Collective. */
  public static Team on(Communicator comm, Executor executor) {
    return make(comm, Devices.host(), executor);
  }

  /**
   * Makes a team whose arrays are on a device, unless their space says otherwise: a client of
   * {@link Devices#open}, which may limit their memory. Ranks may use devices of their own.
   * Collective.
   */
  public static Team on(Communicator comm, ComputeClient client) {
    return make(comm, client, null);
  }

  private static Team make(Communicator comm, ComputeClient client, @Nullable Executor executor) {
    boolean dup = comm.capabilities().contains(Capability.SPLIT);
    return new Team(dup ? comm.dup() : comm, dup, client, executor);
  }

  /** Returns the indices of arrays to be made: of some extents, divided along the first axis. */
  public IndexSpace space(long... extents) {
    return IndexSpace.of(this, Shape.of(extents), client);
  }

  /** Makes an array of doubles, all zero, divided along the first axis. Collective. */
  public F64Array f64(long... extents) {
    return space(extents).f64();
  }

  /** Makes an array of floats, all zero, divided along the first axis. Collective. */
  public F32Array f32(long... extents) {
    return space(extents).f32();
  }

  /** Makes an array of longs, all zero, divided along the first axis. Collective. */
  public I64Array i64(long... extents) {
    return space(extents).i64();
  }

  /** Makes an array of ints, all zero, divided along the first axis. Collective. */
  public I32Array i32(long... extents) {
    return space(extents).i32();
  }

  /** Makes an array of complex numbers of two doubles, divided along the first axis. Collective. */
  public ComplexArray c128(long... extents) {
    return space(extents).c128();
  }

  /** Allocates an array once all ranks are seen to make the same one. */
  Array make(Array array) {
    checkUsable("making " + array);
    finish();
    MemoryException failure = null;
    try {
      var _ = array.reserve();
    } catch (MemoryException e) {
      failure = e;
    }
    try {
      run.agree(() -> "making " + array, failure);
    } catch (RuntimeException | Error e) {
      if (failure == null) {
        array.discard();
      }
      throw e;
    }
    return array.share();
  }

  /** Returns the memory that arrays of the host lie in, where ranks are processes. */
  SharedMemory memory() {
    return memory;
  }

  /** Returns the number of the next array that is made; all ranks make them in one order. */
  int nextArray() {
    return numbers ? ++arrays : 0;
  }

  /**
   * Makes an array of this rank's own, which takes no number that others would give another one.
   */
  Array unnumbered(Supplier<Array> maker) {
    numbers = false;
    try {
      return maker.get();
    } finally {
      numbers = true;
    }
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

  /** Returns the kernels of a device, which are kept as long as the team. */
  DeviceKernels kernels(ComputeClient on) {
    return kernels.computeIfAbsent(on.device(), _ -> new DeviceKernels(on.device().client()));
  }

  /** Returns a client of the host. */
  ComputeClient host() {
    return host;
  }

  /** Returns this rank's number, from 0. */
  public int rank() {
    return comm.rank();
  }

  /** Returns the number of ranks. */
  public int size() {
    return comm.size();
  }

  /** Returns the client of the device that arrays are on, unless their space says otherwise. */
  public ComputeClient client() {
    return client;
  }

  /** Returns the communicator of this team: the one given, duplicated where that can be. */
  public Communicator communicator() {
    return comm;
  }

  /**
   * Returns what moves data among the ranks: for halos and algorithms of arrays, matrices, and
   * exchanges of one's own. It is closed with the team. Collective the first time.
   */
  public Exchanger exchanger() {
    return exchanger(host);
  }

  /**
   * Returns what finds the fastest schemes of {@link #exchanger}'s exchanges: of {@link
   * Array#tuneHalo} and of plans of one's own. Its settings, and where it remembers answers, are
   * the caller's to choose. Collective the first time.
   */
  public Tuner tuner() {
    return moverOutside(host).tuner();
  }

  /** Returns the tuner of arrays where a client is; see {@link #tuner()}. */
  Tuner tuner(ComputeClient on) {
    return moverOutside(on).tuner();
  }

  /** Returns what moves data among arrays where a client is; see {@link #exchanger()}. */
  Exchanger exchanger(ComputeClient on) {
    return moverOutside(on).exchanger();
  }

  private Mover moverOutside(ComputeClient on) {
    if (!movers.containsKey(on.device())) {
      checkUsable("making an exchanger");
      finish();
    }
    return moverHere(on);
  }

  /** Returns what moves data on the calling thread, in an operation that all ranks are in. */
  Exchanger mover(ComputeClient on) {
    return moverHere(on).exchanger();
  }

  private Mover moverHere(ComputeClient on) {
    return (isInStartedWork() ? startedMovers : movers)
        .computeIfAbsent(on.device(), _ -> Mover.on(comm, on, memory));
  }

  /** Checks that all ranks choose the same. Collective. */
  void agree(String what) {
    checkUsable(what);
    finish();
    run.agree(() -> what, null);
  }

  /** Prints a line, once for all ranks. */
  public void print(String line) {
    if (comm.rank() == 0) {
      System.out.println(line);
    }
  }

  /** Runs an operation, as part of what this thread is doing. */
  <R> R run(ArrayOperation<R> operation) {
    check(operation);
    Work<?> started = current;
    if (started != null && isInStartedWork()) {
      started.require(operation);
      return operation.execute(run, started.cancellation, ferry);
    }
    finish();
    return operation.execute(run, cancellation, CommunicationThread.NONE);
  }

  /**
   * Does something with arrays until it is done or cancelled. A cancellation by one rank stops all
   * of them.
   *
   * @throws java.util.concurrent.CancellationException if it was cancelled, on all ranks
   */
  public <R> R run(Cancellation until, Supplier<R> work) {
    Cancellation before = cancellation;
    cancellation = until;
    try {
      return work.get();
    } finally {
      cancellation = before;
    }
  }

  /**
   * Begins to do something with arrays and returns at once. It runs on a thread of the team, after
   * what was started before. Until {@link Started#await} the arrays must be left alone; other
   * arrays can be worked with, which waits for what was started.
   *
   * <p>On a communicator that allows one thread per rank, its loops run meanwhile, and it
   * communicates inside {@link Started#await}.
   *
   * @param work algorithms; they may read and change the arrays that are given, and no others.
   *     Arrays are made, closed and their halos updated outside, and so is what makes arrays for
   *     itself: {@code partition}, {@code sortBy}, {@code gather} and {@code print}
   */
  public <R> Started<R> start(Supplier<R> work, Array... uses) {
    checkUsable("starting work");
    if (queue == null) {
      queue =
          Executors.newSingleThreadExecutor(
              Thread.ofPlatform().daemon().name("team of rank " + comm.rank()).factory());
    }
    for (Array array : uses) {
      array.checkOpen();
    }
    Work<R> task = new Work<>(work, List.of(uses));
    FutureTask<R> future =
        new FutureTask<>(task) {
          @Override
          protected void done() {
            ferry.land();
          }
        };
    task.claim(true);
    last = future;
    queue.execute(future);
    return new Started<>(future, task.cancellation, ferry);
  }

  /** Something that was started. */
  private final class Work<R> implements Callable<R> {
    private final Supplier<R> work;
    private final List<Array> uses;
    private final Cancellation cancellation = new Cancellation();

    Work(Supplier<R> work, List<Array> uses) {
      this.work = work;
      this.uses = uses;
    }

    @Override
    public R call() {
      current = this;
      worker = Thread.currentThread();
      try {
        return work.get();
      } finally {
        current = null;
        claim(false);
      }
    }

    void claim(boolean begins) {
      uses.forEach(array -> array.claim(begins));
    }

    void require(ArrayOperation<?> operation) {
      for (Object subject : operation.subjects()) {
        if (subject instanceof Array array && !uses.contains(array)) {
          throw new IllegalArgumentException(
              "%s in work that was started without %s; give it to start"
                  .formatted(operation, array));
        }
      }
    }
  }

  /** Returns whether the calling thread runs work that was started. */
  boolean isInStartedWork() {
    return Thread.currentThread().equals(worker);
  }

  private void checkUsable(String what) {
    if (closed) {
      throw new IllegalStateException(what + ": this team is closed");
    }
    RuntimeException broken = run.broken();
    if (broken != null) {
      throw new IllegalStateException(
          what
              + ": the ranks of this team no longer agree on what comes next; make another team"
              + " after this failure: "
              + broken.getMessage(),
          broken);
    }
  }

  private void check(ArrayOperation<?> operation) {
    checkUsable(operation.toString());
    for (Capability need : operation.needs()) {
      if (!comm.capabilities().contains(need)) {
        throw need.unsupported(comm.name());
      }
    }
  }

  /** Waits until everything that was started has ended; what it threw is for its await. */
  void finish() {
    if (isInStartedWork()) {
      throw new IllegalStateException(
          "arrays are made and closed outside of work that was started; do it before or after");
    }
    FutureTask<?> running = last;
    last = null;
    if (running == null) {
      return;
    }
    try {
      while (ferry != CommunicationThread.NONE && !running.isDone()) {
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

  private void closeShared() {
    if (!closesTogether()) {
      return;
    }
    try {
      startedMovers.values().forEach(Mover::close);
      movers.values().forEach(Mover::close);
      memory.close();
    } finally {
      if (ownsComm) {
        comm.close();
      }
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
      kernels.values().forEach(DeviceKernels::close);
      scratch.close();
      closeShared();
    }
  }
}
