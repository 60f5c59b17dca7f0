package dev.rialto.array.run;

import dev.rialto.array.IndexSpace;
import dev.rialto.array.StartedWork;
import dev.rialto.array.part.KernelCache;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.RankPart;
import dev.rialto.array.part.TeamContext;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a team: the communicator, the memory that ranks share, what moves elements, the
 * runner of operations, the queue of work that was started, and the kernels of devices.
 */
public final class TeamRuntime implements TeamContext, AutoCloseable {
  private final Communicator parent;
  private final Communicator comm;
  private final boolean ownsComm;
  private final BiFunction<IndexSpace, DType, Operand> describer;
  private final Function<Object, @Nullable Operand> finder;
  private final SharedMemory memory;
  private final CommunicationThread communication;
  private final ComputeClient host;
  private final Map<List<Object>, KernelCache> kernels = new HashMap<>();
  private final Scratch scratch;
  private final OperationRunner run;
  private final WorkQueue queue;

  /** The movers, in the order in which they were made. */
  private final Map<ComputeDevice, Mover> movers = new LinkedHashMap<>();

  /** Those for work that was started, where its thread may communicate by itself. */
  private final Map<ComputeDevice, Mover> startedMovers = new LinkedHashMap<>();

  /** Cancels the algorithms of the rank's own thread. */
  private Cancellation cancellation = new Cancellation();

  /** The thread that works with this team, unless that is work which was started. */
  private final EntryGuard guard = new EntryGuard();

  /** The parts of closed arrays that other ranks may still use, by what closes them. */
  private final Map<String, RankPart> leaving = new LinkedHashMap<>();

  /** The arrays that are open, in the order in which they were made. */
  private final Set<Operand> open = new LinkedHashSet<>();

  /** The thread that is in an operation, whose functions must not begin another. */
  private volatile @Nullable Thread operating;

  private volatile Object operation = "";
  private int arrays;
  private boolean numbers = true;
  private boolean closed;

  /**
   * Makes what a team on a communicator needs, which it duplicates where that can be. Collective.
   *
   * @param client of the device that arrays are on by default
   * @param executor whose threads loops use; null for the rank's own
   * @param describer makes arrays without memory
   * @param finder tells the array that an object is; null if it is none
   */
  public TeamRuntime(
      Communicator comm,
      ComputeClient client,
      @Nullable Executor executor,
      BiFunction<IndexSpace, DType, Operand> describer,
      Function<Object, @Nullable Operand> finder) {
    this.parent = comm;
    this.ownsComm = comm.capabilities().contains(Capability.SPLIT);
    if (ownsComm) {
      comm.settle();
    }
    this.comm = ownsComm ? comm.dup() : comm;
    this.describer = describer;
    this.finder = finder;
    this.memory = new SharedMemory(this.comm, null);
    this.host = client.device().isHostAccessible() ? client : Devices.host();
    this.scratch = new Scratch(host);
    this.communication =
        this.comm.capabilities().contains(Capability.MULTI_THREADED) && ownsComm
            ? CommunicationThread.NONE
            : new CommunicationThread();
    this.queue = new WorkQueue("team of rank " + this.comm.rank(), communication);
    this.run = new OperationRunner(this.comm, host, this::moverHere, executor, scratch);
  }

  // --- Arrays ---------------------------------------------------------------------------------

  /** Gives a new array its memory, once all ranks are seen to make the same one. Collective. */
  public Operand make(Operand array) {
    String making = "making " + array;
    enter(making);
    try {
      checkUsable(making);
      queue.finish();
      leaveBefore(making);
      return reserve(array);
    } finally {
      exit();
    }
  }

  private Operand reserve(Operand array) {
    MemoryException failure = null;
    try {
      var _ = array.reserve();
    } catch (MemoryException e) {
      failure = e;
    }
    try {
      run.agreement().agree(() -> "making " + array, failure);
    } catch (RuntimeException | Error e) {
      if (failure == null) {
        array.discard();
      }
      throw e;
    }
    array.share();
    return array;
  }

  @Override
  public void opened(Operand array) {
    open.add(array);
  }

  @Override
  public void closed(Operand array) {
    open.remove(array);
  }

  @Override
  public void enter(Object what) {
    requireOutside(what);
    // Calls of other threads wait for work that was started, or are refused its arrays.
    if (!isInStartedWork()) {
      guard.enter(what);
    }
  }

  @Override
  public void exit() {
    if (!isInStartedWork()) {
      guard.exit();
    }
  }

  @Override
  public int nextArray() {
    return numbers ? ++arrays : 0;
  }

  @Override
  public Operand describe(IndexSpace space, DType type) {
    return describer.apply(space, type);
  }

  @Override
  public Operand unnumbered(IndexSpace space, DType type) {
    numbers = false;
    try {
      return describe(space, type);
    } finally {
      numbers = true;
    }
  }

  @Override
  public @Nullable Operand find(Object captured) {
    return finder.apply(captured);
  }

  // --- Ranks ----------------------------------------------------------------------------------

  @Override
  public Communicator communicator() {
    return comm;
  }

  @Override
  public SharedMemory memory() {
    return memory;
  }

  @Override
  public void agree(String what) {
    enter(what);
    try {
      checkUsable(what);
      queue.finish();
      leaveBefore(what);
      run.agreement().agree(() -> what, null);
    } finally {
      exit();
    }
  }

  @Override
  public void finishWork() {
    queue.finish();
  }

  @Override
  public void release(String closing, RankPart part) {
    leaving.put(closing, part);
    if (comm.size() == 1) {
      leave("");
    }
  }

  /** Closes what ranks have left since they last did something together, before they do more. */
  private void leaveBefore(String what) {
    if (!leaving.isEmpty()) {
      leave("");
      checkUsable(what);
    }
  }

  private void leave(String closing) {
    queue.finish();
    Map<String, RankPart> all = new LinkedHashMap<>(leaving);
    leaving.clear();
    try {
      String parts = String.join(", ", all.keySet());
      String what = parts.isEmpty() || closing.isEmpty() ? parts + closing : parts + ", " + closing;
      boolean _ = run.agreement().leave(() -> what);
    } finally {
      boolean together = closesTogether();
      all.values().forEach(part -> part.close(together));
    }
  }

  /** Returns whether closing what is shared cannot wait for a rank that does not come. */
  private boolean closesTogether() {
    return run.agreement().broken() == null
        || comm.capabilities().contains(Capability.FAILURE_NOTICE);
  }

  // --- Devices --------------------------------------------------------------------------------

  public ComputeClient host() {
    return host;
  }

  @Override
  public <T extends KernelCache> T kernels(
      Class<T> sort, ComputeClient on, Function<ComputeClient, T> maker) {
    return sort.cast(
        kernels.computeIfAbsent(
            List.of(sort, on.device()), _ -> maker.apply(on.device().client())));
  }

  @Override
  public Exchanger exchanger(ComputeClient on) {
    return moverOutside(on).exchanger();
  }

  @Override
  public Tuner tuner(ComputeClient on) {
    return moverOutside(on).tuner();
  }

  private Mover moverOutside(ComputeClient on) {
    if (!movers.containsKey(on.device())) {
      checkUsable("making an exchanger");
      queue.finish();
    }
    return mover(on);
  }

  /** Returns what moves data on the calling thread, in an operation that all ranks are in. */
  private Exchanger moverHere(ComputeClient on) {
    return mover(on).exchanger();
  }

  private Mover mover(ComputeClient on) {
    Map<ComputeDevice, Mover> here = isInStartedWork() ? startedMovers : movers;
    Mover onHost = here.computeIfAbsent(host.device(), _ -> Mover.onHost(comm, memory));
    return on.device().isHostAccessible()
        ? onHost
        : here.computeIfAbsent(on.device(), _ -> onHost.on(on));
  }

  // --- Operations -----------------------------------------------------------------------------

  /** Runs an operation, as part of what this thread is doing. */
  public <R> R run(ArrayOperation<R> operation) {
    requireOutside(operation);
    checkUsable(operation.toString());
    for (Capability need : operation.needs()) {
      if (!comm.capabilities().contains(need)) {
        throw need.unsupported(comm.name());
      }
    }
    QueuedWork<?> started = queue.current();
    if (started != null) {
      started.require(operation);
      return execute(operation, started.cancellation(), communication);
    }
    guard.enter(operation);
    try {
      queue.finish();
      if (!operation.needs().isEmpty()) {
        leaveBefore(operation.toString());
      }
      return execute(operation, cancellation, CommunicationThread.NONE);
    } finally {
      guard.exit();
    }
  }

  private <R> R execute(ArrayOperation<R> asked, Cancellation until, CommunicationThread over) {
    RuntimeException unheard = queue.failureOf(asked.subjects());
    ArrayOperation<R> next = unheard == null ? asked : asked.failing(unheard);
    operation = next;
    operating = Thread.currentThread();
    try {
      return next.execute(run, until, over);
    } finally {
      operating = null;
    }
  }

  /**
   * Refuses what a function begins that an operation calls: it would free or move memory under the
   * operation's loop, or call other ranks that are elsewhere.
   */
  private void requireOutside(Object what) {
    if (Thread.currentThread().equals(operating)) {
      throw new IllegalStateException(
          "%s in a function that %s calls; do it before, and use the result in the function"
              .formatted(what, operation));
    }
  }

  /** Does something with arrays until it is done or cancelled. */
  public <R> R run(Cancellation until, Supplier<R> work) {
    Cancellation before = cancellation;
    cancellation = until;
    try {
      return work.get();
    } finally {
      cancellation = before;
    }
  }

  /** Begins to do something with arrays and returns at once. */
  public <R> StartedWork<R> start(Supplier<R> work, List<Operand> uses) {
    checkUsable("starting work");
    return queue.start(work, uses);
  }

  @Override
  public void requireNoFailure(Operand array) {
    RuntimeException unheard = queue.failureOf(array);
    if (unheard != null) {
      throw unheard;
    }
  }

  @Override
  public boolean isInStartedWork() {
    return queue.isCurrentThread();
  }

  private void checkUsable(String what) {
    if (closed) {
      throw new IllegalStateException(what + ": this team is closed");
    }
    RuntimeException broken = run.agreement().broken();
    if (broken != null) {
      throw new IllegalStateException(
          ("%s: the ranks of this team no longer agree on what comes next; make another team "
                  + "after this failure: %s")
              .formatted(what, broken.getMessage()),
          broken);
    }
  }

  /**
   * Waits for work that was started and closes the arrays. The rest is closed together with the
   * other ranks when they have come as far.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    enter("closing the team");
    try {
      // An array that is in use keeps the team open.
      open.forEach(Operand::requireClosable);
      List.copyOf(open).reversed().forEach(Operand::close);
      queue.finish();
      closed = true;
      queue.close();
    } finally {
      exit();
    }
    if (ownsComm && comm.size() > 1) {
      parent.whenReturned(this::closeTogether);
    } else {
      closeTogether();
    }
    RuntimeException unheard = queue.failure();
    if (unheard != null) {
      throw unheard;
    }
  }

  private void closeTogether() {
    // The other ranks wait for this one, so an earlier interrupt does not end it.
    boolean interrupted = Thread.interrupted();
    try {
      leave("closing the team");
    } finally {
      try {
        kernels.values().forEach(KernelCache::close);
        scratch.close();
        closeShared();
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
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
}
