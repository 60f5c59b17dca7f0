package dev.rialto.cpu;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.exec.Timeline.Observer;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.parts.CountedStream;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A queue of host code and launches with a thread of its own, which is there only while there is
 * work, and for some seconds after.
 *
 * <p>Adding takes no lock: a place is claimed, filled and published, and the thread is woken if it
 * sleeps. An idle thread spins for 20 µs and sleeps then; a thread that waits for the stream does
 * the same. Yielding in between would not help: where cores are free it is spinning, and where they
 * are not it takes milliseconds to come back, while a thread that is woken runs at once. A point in
 * the stream is a count, so events and waits are numbers.
 *
 * <p>A thread that waits without a limit while the stream's own sleeps does launches that only
 * compute itself: waking a core took 30 µs and more on a virtual machine. One thread at a time is
 * the runner. What may wait is left to the stream's own thread, so that an interrupt or a limit
 * ends a wait for it at once.
 *
 * <p>If the runner dies outside an operation, that counts as the failure of the operation it had
 * before it, and another thread takes its place, so that no wait is endless.
 */
final class HostStream extends CountedStream {
  private static final long SPIN_NANOS = 20_000;
  private static final long KEEP_THREAD_NANOS = 10_000_000_000L;
  private static final boolean SPINS = Runtime.getRuntime().availableProcessors() > 1;
  private static final AtomicInteger COUNT = new AtomicInteger();

  private enum State {
    /** There is no thread. */
    ABSENT,
    /** The thread runs, or looks for work before it sleeps. */
    AWAKE,
    /** The thread sleeps, or looks for work a last time. */
    ASLEEP
  }

  private final CommandQueue queue = new CommandQueue();
  private final AtomicReference<State> state = new AtomicReference<>(State.ABSENT);
  private final AtomicReference<@Nullable Thread> runner = new AtomicReference<>();
  private final Sleepers sleepers = new Sleepers();
  private volatile @Nullable Thread thread;
  private volatile boolean closed;

  HostStream() {
    super("cpu:0/stream " + COUNT.incrementAndGet());
  }

  /** Checks that a stream is one of these, labelled or not. */
  static Stream require(Stream stream) {
    if (stream instanceof HostStream || stream instanceof Labelled(HostStream _, Object _)) {
      return stream;
    }
    throw new IllegalArgumentException(
        "stream " + stream.name() + " is not of the cpu backend; pass one that it opened");
  }

  /** Adds a launch to a stream, labelled or not. */
  static void launch(
      Stream stream,
      LoweredKernel.Body body,
      long items,
      List<MemorySegment> buffers,
      Executor executor) {
    if (require(stream) instanceof Labelled(HostStream labelled, Object label)) {
      labelled.add(label, null, body, items, buffers, executor);
    } else {
      ((HostStream) stream).add(null, null, body, items, buffers, executor);
    }
  }

  // --- Adding -----------------------------------------------------------------------------------

  @Override
  protected void run(@Nullable Object label, Runnable operation) {
    add(label, operation, null, 0, null, null);
  }

  private void add(
      @Nullable Object label,
      @Nullable Runnable code,
      LoweredKernel.@Nullable Body body,
      long items,
      @Nullable List<MemorySegment> buffers,
      @Nullable Executor executor) {
    refuseIfClosed();
    if (queue.isFull()) {
      awaitRoom();
    }
    long number = queue.claim();
    Command command = queue.place(number);
    if (code != null) {
      command.set(code);
    } else if (body != null && buffers != null && executor != null) {
      command.set(body, items, buffers, executor);
    }
    command.label = label;
    command.added = observer.isTiming() ? System.nanoTime() : 0;
    command.publish(number + 1);
    State now = state.get();
    if (now != State.AWAKE) {
      wake(requireNonNull(now));
    }
  }

  @Override
  protected void refuseIfClosed() {
    if (closed) {
      throw new IllegalStateException(name + " is closed; open another stream");
    }
  }

  private void awaitRoom() {
    if (isRunner()) {
      throw new IllegalStateException(
          "an operation on "
              + name
              + " adds to its own stream, where a million operations wait already");
    }
    while (queue.isFull()) {
      Thread.yield();
    }
  }

  private void wake(State now) {
    if (state.compareAndSet(now, State.AWAKE)) {
      if (now == State.ASLEEP) {
        LockSupport.unpark(thread);
      } else {
        startThread();
      }
    }
  }

  private void startThread() {
    Thread started = Thread.ofPlatform().daemon().name(name).unstarted(this::work);
    thread = started;
    started.start();
  }

  @Override
  public void waitReached(Timeline other, long position) {
    if (other != this && !other.isReached(position)) {
      run(() -> other.awaitReached(position));
    }
  }

  @Override
  public void waitFor(Timeline other, long position) {
    if (!(other instanceof HostStream stream)) {
      throw new IllegalArgumentException(
          "stream " + other.name() + " is not of the cpu backend; pass one that it opened");
    }
    if (position > stream.position()) {
      throw new IllegalArgumentException(
          stream.name + " has no position " + position + "; the last is " + stream.position());
    }
    refuseIfClosed();
    if (stream != this && !isReachedWell(stream, position)) {
      run(
          () -> {
            stream.awaitReached(position);
            Throwable failure = stream.failureAt(position);
            if (failure != null) {
              throw WorkStealingExecutor.unchecked(failure);
            }
          });
    }
  }

  private static boolean isReachedWell(HostStream stream, long position) {
    return stream.isReached(position) && stream.failureAt(position) == null;
  }

  // --- The thread -------------------------------------------------------------------------------

  private boolean isRunner() {
    return Thread.currentThread().equals(runner.get());
  }

  /** First looks: even an exchange that fails takes the field's cache line from the runner. */
  private boolean becomeRunner() {
    return runner.get() == null && runner.compareAndSet(null, Thread.currentThread());
  }

  private void work() {
    try {
      for (Command command = next(); command != null; command = next()) {
        perform(command);
      }
    } catch (Throwable e) {
      died(e);
      runner.set(null);
      startThread();
    }
  }

  /** Does what only computes before a position, if there is no runner. */
  private void help(long position) {
    if (Thread.currentThread().isVirtual() || !becomeRunner()) {
      return;
    }
    try {
      Command command = first();
      while (command != null
          && command.onlyComputes()
          && !isReached(position)
          && !Thread.currentThread().isInterrupted()) {
        perform(command);
        command = first();
      }
    } catch (Throwable e) {
      died(e);
    } finally {
      runner.set(null);
    }
    State now = state.get();
    if (now != State.AWAKE && first() != null) {
      wake(requireNonNull(now));
    }
  }

  /** The operation that is next, if there is one. */
  private @Nullable Command first() {
    return queue.published(queue.ended());
  }

  private void perform(Command command) {
    long number = queue.ended();
    execute(command, number + 1);
    end(number, command);
  }

  /** Nothing outside operations throws but a stack or heap that is full, or the observer. */
  private void died(Throwable e) {
    long next = queue.ended();
    failures.add(new DeviceException("the thread of the stream died", name, "", e), next + 1);
    Command command = queue.published(next);
    if (command != null) {
      end(next, command);
    }
  }

  private void execute(Command command, long position) {
    Observer told = observer;
    Throwable before = failures.skip(position);
    if (before != null) {
      told.skipped(command.label, position, before);
      return;
    }
    boolean timing = told.isTiming();
    long began = timing ? System.nanoTime() : 0;
    Throwable thrown = null;
    try {
      command.run();
    } catch (Throwable e) {
      thrown = e;
      failures.add(e, position);
    }
    if (Thread.currentThread().equals(thread)) {
      // What an operation leaves behind is no concern of the next.
      Thread.interrupted();
    }
    if (timing || thrown != null) {
      long ended = timing ? System.nanoTime() : 0;
      told.ended(command.label, position, command.added, began, ended, thrown);
    }
  }

  private void end(long number, Command command) {
    queue.end(number, command);
    sleepers.wake(number + 1);
  }

  /** Returns what comes next, or null if this thread is no longer needed. */
  private @Nullable Command next() {
    long idleSince = 0;
    while (true) {
      boolean runs = isRunner() || becomeRunner();
      Command command = runs ? first() : null;
      if (command != null) {
        return command;
      }
      long now = System.nanoTime();
      idleSince = idleSince == 0 ? now : idleSince;
      if (!(runs && pause(now - idleSince)) && !sleep(now - idleSince)) {
        return null;
      }
    }
  }

  /** Sleeps until there is something to do; returns false if this thread has ended instead. */
  private boolean sleep(long idle) {
    runner.compareAndSet(Thread.currentThread(), null);
    state.set(State.ASLEEP);
    boolean ends = closed || idle >= KEEP_THREAD_NANOS;
    if (!ends && !isNeeded()) {
      LockSupport.parkNanos(this, KEEP_THREAD_NANOS);
      Thread.interrupted();
    }
    if (!ends) {
      state.set(State.AWAKE);
      return true;
    }
    // A thread that adds something now sees that this one is gone, or is seen here.
    return !state.compareAndSet(State.ASLEEP, State.ABSENT)
        || (isNeeded() && state.compareAndSet(State.ABSENT, State.AWAKE));
  }

  /** Whether there is something to do and no other thread does it. */
  private boolean isNeeded() {
    return runner.get() == null && first() != null;
  }

  /** Spends a moment of waiting; returns false when it is time to sleep instead. */
  private static boolean pause(long idle) {
    if (SPINS && idle < SPIN_NANOS) {
      Thread.onSpinWait();
      return true;
    }
    return false;
  }

  // --- Waiting ----------------------------------------------------------------------------------

  @Override
  public long position() {
    return queue.claimed();
  }

  @Override
  public boolean isReached(long position) {
    return queue.ended() >= position;
  }

  @Override
  public void awaitReached(long position) {
    if (isReached(position)) {
      return;
    }
    if (isRunner()) {
      throw waitsForItself();
    }
    help(position);
    long start = System.nanoTime();
    while (!isReached(position)) {
      if (!pause(System.nanoTime() - start)) {
        sleepers.sleep(position, this::isReached);
      }
    }
  }

  @Override
  public boolean awaitReached(long position, long nanos) throws InterruptedException {
    if (isReached(position)) {
      return true;
    }
    if (isRunner()) {
      throw waitsForItself();
    }
    if (nanos == Long.MAX_VALUE) {
      help(position);
    }
    long start = System.nanoTime();
    for (long waited = 0; !isReached(position); waited = System.nanoTime() - start) {
      if (waited >= nanos || !pause(waited)) {
        return sleepers.sleep(position, this::isReached, nanos - waited);
      }
    }
    return true;
  }

  private IllegalStateException waitsForItself() {
    return new IllegalStateException(
        "an operation on " + name + " waits for its own stream, which would never end");
  }

  @Override
  public @Nullable Object pending() {
    Command command = queue.published(queue.ended());
    return command == null ? null : command.label;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    awaitReached(position());
    closed = true;
    State now = state.get();
    if (now == State.ASLEEP) {
      wake(now);
    }
    await();
  }
}
