package dev.rialto.cpu;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Event;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.StreamObserver;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.parts.StreamFailures;
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
final class HostStream implements Timeline {
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

  private static final StreamObserver NOBODY =
      new StreamObserver() {
        @Override
        public boolean isTiming() {
          return false;
        }

        @Override
        public void ended(
            @Nullable Object label,
            long position,
            long added,
            long began,
            long ended,
            @Nullable Throwable failure) {}
      };

  private final String name = "cpu:0/stream " + COUNT.incrementAndGet();
  private final CommandQueue queue = new CommandQueue();
  private final AtomicReference<State> state = new AtomicReference<>(State.ABSENT);
  private final StreamFailures failures = new StreamFailures();
  private final Sleepers sleepers = new Sleepers();
  private volatile StreamObserver observer = NOBODY;
  private volatile @Nullable Thread thread;
  private volatile boolean closed;

  /** Checks that a stream is one of these, labelled or not. */
  static Stream require(Stream stream) {
    if (stream instanceof HostStream || stream instanceof Labelled) {
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
    if (require(stream) instanceof Labelled labelled) {
      labelled.stream().add(labelled.label(), null, body, items, buffers, executor);
    } else {
      ((HostStream) stream).add(null, null, body, items, buffers, executor);
    }
  }

  @Override
  public String name() {
    return name;
  }

  // --- Adding -----------------------------------------------------------------------------------

  @Override
  public void run(Runnable operation) {
    run(null, operation);
  }

  private void run(@Nullable Object label, Runnable operation) {
    add(label, requireNonNull(operation), null, 0, null, null);
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
      wake(now);
    }
  }

  private void refuseIfClosed() {
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
  public Event record() {
    refuseIfClosed();
    return new HostEvent(this, position());
  }

  @Override
  public void waitFor(Event event) {
    if (!(event instanceof HostEvent(HostStream stream, long position))) {
      throw new IllegalArgumentException(
          "the event is not of the cpu backend; pass one that one of its streams recorded");
    }
    waitFor(stream, position);
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
    if (failures.skip(position)) {
      return;
    }
    StreamObserver told = observer;
    boolean timing = told.isTiming();
    long began = timing ? System.nanoTime() : 0;
    Throwable thrown = null;
    try {
      command.run();
    } catch (Throwable e) {
      thrown = e;
      failures.add(e, position);
    }
    // What an operation leaves behind is no concern of the next.
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
    // Whoever adds something now sees that this thread is gone, or is seen here.
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
  public boolean isIdle() {
    return isReached(position());
  }

  @Override
  public void awaitReached(long position) {
    if (isReached(position)) {
      return;
    }
    if (Thread.currentThread().equals(thread)) {
      throw new IllegalStateException(
          "an operation on " + name + " waits for its own stream, which would never end");
    }
    long start = System.nanoTime();
    while (!isReached(position)) {
      if (!pause(System.nanoTime() - start)) {
        sleepers.sleep(position, this::isReached);
      }
    }
  }

  @Override
  public void await() {
    await(position());
  }

  private void await(long position) {
    awaitReached(position);
    failures.raise(position, name);
  }

  @Override
  public @Nullable Throwable failureAt(long position) {
    return failures.at(position);
  }

  @Override
  public Stream labelled(Object label) {
    return new Labelled(this, requireNonNull(label));
  }

  @Override
  public void observe(StreamObserver who) {
    observer = requireNonNull(who);
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

  /** A place in the queue. */
  private record HostEvent(HostStream stream, long position) implements Event {
    @Override
    public boolean isDone() {
      return stream.isReached(position);
    }

    @Override
    public void await() {
      stream.await(position);
    }
  }

  /** The stream under a label. */
  private record Labelled(HostStream stream, Object label) implements Stream {
    @Override
    public String name() {
      return stream.name();
    }

    @Override
    public void run(Runnable operation) {
      stream.run(label, operation);
    }

    @Override
    public Event record() {
      return stream.record();
    }

    @Override
    public void waitFor(Event event) {
      stream.waitFor(event);
    }

    @Override
    public boolean isIdle() {
      return stream.isIdle();
    }

    @Override
    public void await() {
      stream.await();
    }

    @Override
    public void close() {}
  }
}
