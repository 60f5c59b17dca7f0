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
 * sleeps. An idle thread spins for 20 µs and sleeps then; who waits for the stream does the same.
 * Yielding in between would help nobody: where cores are free it is spinning, and where they are
 * not it takes milliseconds to come back, while a thread that is woken runs at once. A point in the
 * stream is a count, so events and waits are numbers.
 *
 * <p>If the thread dies outside an operation, that counts as the failure of the operation it had
 * before it, and another thread takes its place, so nobody waits for ever.
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
    if (Thread.currentThread().equals(thread)) {
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

  private void work() {
    long next = queue.ended();
    try {
      for (Command command = next(next); command != null; command = next(next)) {
        execute(command, next + 1);
        end(next++, command);
      }
    } catch (Throwable e) {
      // Nothing here throws but a stack or heap that is full, or the observer.
      failures.add(new DeviceException("the thread of the stream died", name, "", e), next + 1);
      Command command = queue.published(next);
      if (command != null) {
        end(next, command);
      }
      startThread();
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
    // An interrupt of one operation is no concern of the next.
    Thread.interrupted();
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
  private @Nullable Command next(long number) {
    Command command = queue.published(number);
    long idleSince = command == null ? System.nanoTime() : 0;
    while (command == null) {
      long idle = System.nanoTime() - idleSince;
      if (!pause(idle) && !sleep(number, idle)) {
        return null;
      }
      command = queue.published(number);
    }
    return command;
  }

  /** Sleeps until there is something to do; returns false if this thread has ended instead. */
  private boolean sleep(long number, long idle) {
    state.set(State.ASLEEP);
    boolean ends = closed || idle >= KEEP_THREAD_NANOS;
    if (!ends && queue.published(number) == null) {
      LockSupport.parkNanos(this, KEEP_THREAD_NANOS);
      Thread.interrupted();
    }
    if (!ends) {
      state.set(State.AWAKE);
      return true;
    }
    // A thread that adds something now sees that this thread is gone, or is seen here.
    return !state.compareAndSet(State.ASLEEP, State.ABSENT)
        || (queue.published(number) != null && state.compareAndSet(State.ABSENT, State.AWAKE));
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
    if (Thread.currentThread().equals(thread)) {
      throw waitsForItself();
    }
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
    if (Thread.currentThread().equals(thread)) {
      throw waitsForItself();
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
