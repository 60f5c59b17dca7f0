package dev.rialto.cpu;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.Execution;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Loops and tasks on a fixed number of threads.
 *
 * <p>A loop is shown on a {@link LoopBoard} that idle workers watch; the caller works on it like
 * any other thread, so no loop depends on a worker being free. A caller whose last chunks still run
 * elsewhere helps with loops inside those. A loop allocates nothing.
 *
 * <p>Idle threads spin for 20 µs, yield until 100 µs, then sleep; where there are more threads than
 * cores they yield for 20 µs only. A loop wakes at most one sleeper before it starts working, and
 * who was woken wakes two more if there are chunks left.
 *
 * <p>Tasks wait in a queue for any worker, or for a spare one that takes no part in loops. A thread
 * that awaits a task from inside this executor runs it if it has not begun; when it must sleep
 * until one that has begun ends, another spare stands in for it. It does not run other tasks
 * meanwhile: one of them might be waiting for the task below it on the same stack.
 */
final class WorkStealingExecutor implements Executor {
  private static final long SPIN_NANOS = 20_000;
  private static final long YIELD_NANOS = 100_000;

  /** The chunks of a thread where the grain is the executor's choice. */
  private static final int CHUNKS = 64;

  /** A thread takes the eighth part of these that it has left, so that it needs some 25 calls. */
  private static final int SHARE = 8;

  /** The time that a caller without work sleeps before it looks again for a loop to help with. */
  private static final long HELP_NANOS = 500_000;

  private static final AtomicInteger COUNT = new AtomicInteger();

  private final String name = "cpu-executor-" + COUNT.incrementAndGet();
  private final int parallelism;
  private final int chunksPerTurn;
  private final boolean spins;
  private final LoopBoard board;
  private final TaskQueue tasks = new TaskQueue();

  private final Worker[] workers;
  private final List<Worker> spares = new CopyOnWriteArrayList<>();
  private final ThreadLocal<Participant> callers =
      ThreadLocal.withInitial(() -> new Participant(0));

  /** Workers that take part in loops and are asleep. */
  private final AtomicInteger sleepers = new AtomicInteger();

  /** Threads that take tasks and do not sleep inside one; {@link #parallelism} are wanted. */
  private final AtomicInteger taskRunners;

  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean ended;

  /**
   * Starts the threads.
   *
   * @param parallelism how many threads work on one loop, its caller included
   */
  WorkStealingExecutor(int parallelism) {
    this(parallelism, Loop.MAX_CHUNKS);
  }

  /** As above, with the most chunks that a loop does in one turn, so that tests can lower it. */
  WorkStealingExecutor(int parallelism, int chunksPerTurn) {
    if (parallelism < 1) {
      throw new IllegalArgumentException("parallelism " + parallelism + " is less than 1");
    }
    this.parallelism = parallelism;
    this.chunksPerTurn = chunksPerTurn;
    this.spins = parallelism <= Runtime.getRuntime().availableProcessors();
    this.board = new LoopBoard(parallelism);
    this.taskRunners = new AtomicInteger(parallelism - 1);
    this.workers = new Worker[parallelism - 1];
    for (int i = 0; i < workers.length; i++) {
      workers[i] = new Worker(this, name + "-" + (i + 1), i + 1);
    }
    for (Worker worker : workers) {
      worker.start();
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int parallelism() {
    return parallelism;
  }

  // --- Loops ------------------------------------------------------------------------------------

  @Override
  public void parallelFor(long begin, long end, RangeBody body) {
    long grain = Math.max(1, count(begin, end) / ((long) CHUNKS * parallelism));
    run(begin, end, grain, SHARE, null, body);
  }

  @Override
  public void parallelFor(long begin, long end, long grain, RangeBody body) {
    run(begin, end, grain, 0, null, body);
  }

  @Override
  public void parallelFor(
      long begin, long end, long grain, Cancellation cancellation, RangeBody body) {
    run(begin, end, grain, 0, requireNonNull(cancellation), body);
  }

  private static long count(long begin, long end) {
    if (begin > end) {
      throw new IllegalArgumentException(
          "the range from " + begin + " ends before it begins, at " + end);
    }
    if (end - begin < 0) {
      throw new IllegalArgumentException(
          "the range from " + begin + " to " + end + " has more than 2^63-1 indices; divide it");
    }
    return end - begin;
  }

  private void run(
      long begin,
      long end,
      long grain,
      int share,
      @Nullable Cancellation cancellation,
      RangeBody body) {
    long count = count(begin, end);
    if (grain < 1) {
      throw new IllegalArgumentException("grain " + grain + " is less than 1");
    }
    requireNonNull(body);
    Participant self = participant();
    refuseIfClosed(self);
    for (long first = begin; first < end; ) {
      // A loop counts its chunks in 31 bits; more take several turns.
      long chunks = (end - first - 1) / grain + 1;
      long next = chunks > chunksPerTurn ? first + chunksPerTurn * grain : end;
      Loop loop = parallelism == 1 || count <= grain ? null : board.acquire(self);
      if (loop == null) {
        runAlone(first, next, grain, cancellation, body);
      } else {
        loop.open(first, next, grain, share, cancellation, body, self.current());
        runTogether(loop, self);
      }
      if (cancellation != null) {
        cancellation.check();
      }
      first = next;
    }
  }

  private static void runAlone(
      long begin, long end, long grain, @Nullable Cancellation cancellation, RangeBody body) {
    for (long first = begin; first < end; ) {
      if (cancellation != null) {
        cancellation.check();
      }
      long next = end - first > grain ? first + grain : end;
      body.run(first, next);
      first = next;
    }
  }

  private void runTogether(Loop loop, Participant self) {
    long shown = board.show(self.lastLoop);
    if (sleepers.get() > 0) {
      wakeWorkers(1);
    }
    try {
      self.work(loop);
    } catch (Throwable e) {
      // Not a chunk's failure, which the loop keeps; but a stack that overflows may do so anywhere.
      loop.fail(e);
    }
    board.hide(shown);
    if (!loop.isDone()) {
      awaitLastChunks(loop, self);
    }
    Throwable failure = loop.close();
    if (failure != null) {
      throw unchecked(failure);
    }
  }

  private void awaitLastChunks(Loop loop, Participant self) {
    boolean interrupted = false;
    long idleSince = System.nanoTime();
    while (!loop.isDone()) {
      if (self.work(loop) || board.workInside(loop, self)) {
        idleSince = System.nanoTime();
      } else if (!pause(System.nanoTime() - idleSince)) {
        loop.parkUntilDone(HELP_NANOS);
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Spends a moment of waiting; returns false when it is time to sleep instead. */
  boolean pause(long idleNanos) {
    if (spins && idleNanos < SPIN_NANOS) {
      Thread.onSpinWait();
      return true;
    }
    if (idleNanos < (spins ? YIELD_NANOS : SPIN_NANOS)) {
      Thread.yield();
      return true;
    }
    return false;
  }

  // --- Tasks ------------------------------------------------------------------------------------

  @Override
  public Execution execute(Runnable work) {
    Task task = new Task(this, tasks, requireNonNull(work));
    // Announced first: a close that comes between waits for it, or is seen here.
    tasks.announce();
    try {
      refuseIfClosed(participant());
    } catch (IllegalStateException e) {
      tasks.ended();
      throw e;
    }
    tasks.add(task);
    offerTasks();
    return task;
  }

  /** Wakes or starts a worker to look into the queue. */
  private void offerTasks() {
    if (wakeWorkers(1)) {
      return;
    }
    for (Worker spare : spares) {
      if (spare.wake()) {
        return;
      }
    }
    int runners = taskRunners.get();
    while (runners < parallelism) {
      if (taskRunners.compareAndSet(runners, runners + 1)) {
        Worker spare = new Worker(this, name + "-spare", 0);
        spares.add(spare);
        spare.start();
        return;
      }
      runners = taskRunners.get();
    }
  }

  /** Sleeps until a task that runs elsewhere has ended; a spare may stand in for a worker. */
  void sleepUntil(CountDownLatch taskEnded) {
    boolean isRunner = currentWorker() != null;
    if (isRunner) {
      taskRunners.decrementAndGet();
      if (!tasks.isEmpty()) {
        offerTasks();
      }
    }
    boolean interrupted = false;
    while (taskEnded.getCount() > 0) {
      try {
        taskEnded.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (isRunner) {
      taskRunners.incrementAndGet();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  // --- Workers ----------------------------------------------------------------------------------

  /** Lets a worker do something; returns false if there is nothing to do. */
  boolean work(Worker worker) {
    if (!worker.isSpare() && board.workOnAny(worker.participant())) {
      return true;
    }
    Task task = tasks.poll();
    if (task == null) {
      return false;
    }
    task.runIfQueued();
    return true;
  }

  /** Returns whether a worker should not sleep. */
  boolean needs(Worker worker) {
    return ended || !tasks.isEmpty() || (!worker.isSpare() && board.hasChunks());
  }

  /** Returns whether an idle worker should end: always at the end, or one spare too many. */
  boolean dismisses(Worker worker) {
    int runners = taskRunners.get();
    if (!ended && worker.isSpare() && runners > parallelism) {
      return taskRunners.compareAndSet(runners, runners - 1) && spares.remove(worker);
    }
    return ended;
  }

  void fellAsleep(Worker worker) {
    if (!worker.isSpare()) {
      sleepers.incrementAndGet();
    }
  }

  void wokeUp(Worker worker) {
    if (!worker.isSpare() && sleepers.decrementAndGet() > 0 && board.hasChunks()) {
      wakeWorkers(2);
    }
  }

  private boolean wakeWorkers(int count) {
    int left = count;
    for (int i = 0; i < workers.length && left > 0; i++) {
      if (workers[i].wake()) {
        left--;
      }
    }
    return left < count;
  }

  private @Nullable Worker currentWorker() {
    return Thread.currentThread() instanceof Worker worker && worker.executor() == this
        ? worker
        : null;
  }

  private Participant participant() {
    Worker worker = currentWorker();
    return worker == null ? callers.get() : worker.participant();
  }

  /** Returns whether the current thread is a worker or in one of this executor's loops. */
  boolean isInside() {
    return currentWorker() != null || callers.get().current() != null;
  }

  private void refuseIfClosed(Participant self) {
    if (closed.get() && self.current() == null && currentWorker() == null) {
      throw new IllegalStateException(name + " is closed; open another executor");
    }
  }

  @Override
  public void close() {
    if (isInside()) {
      throw new IllegalStateException(
          name + " cannot be closed from inside its own loops and tasks; close it from outside");
    }
    if (closed.getAndSet(true)) {
      return;
    }
    boolean interrupted = tasks.awaitAll();
    ended = true;
    for (Worker worker : workers) {
      interrupted |= worker.end();
    }
    for (Worker spare : spares) {
      interrupted |= spare.end();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    Throwable failure = tasks.unseenFailure();
    if (failure != null) {
      throw unchecked(failure);
    }
  }

  /** Throws a checked exception, too, as it is, where the signature allows none. */
  @SuppressWarnings("unchecked")
  static <E extends Throwable> RuntimeException unchecked(Throwable e) throws E {
    throw (E) e;
  }
}
