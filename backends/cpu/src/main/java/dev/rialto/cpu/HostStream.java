package dev.rialto.cpu;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Event;
import dev.rialto.spi.exec.Stream;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue of host code with a thread of its own, which is there only while there is work, and for
 * some seconds after.
 *
 * <p>All state is guarded by this object's monitor; operations run outside it.
 */
final class HostStream implements Stream {
  private static final long KEEP_THREAD_MILLIS = 10_000;
  private static final AtomicInteger COUNT = new AtomicInteger();

  /** What an operation threw; told to one waiter at most. */
  private record Failure(Throwable cause, AtomicBoolean told) {}

  /** Code, and whether it runs after a failure too. */
  private record Operation(Runnable code, boolean always) {}

  private final String name = "cpu:0/stream " + COUNT.incrementAndGet();
  private final Queue<Operation> queue = new ArrayDeque<>();
  private long added;
  private long ended;
  private @Nullable Failure failure;
  private @Nullable Thread thread;
  private boolean closed;

  /** Returns a stream as one of these. */
  static HostStream of(Stream stream) {
    if (stream instanceof HostStream host) {
      return host;
    }
    throw new IllegalArgumentException(
        "stream " + stream.name() + " is not of the cpu backend; pass one that it opened");
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void run(Runnable operation) {
    add(new Operation(requireNonNull(operation), false));
  }

  @Override
  public Event record() {
    HostEvent event = new HostEvent();
    synchronized (this) {
      if (isIdle() && !closed) {
        event.reach();
      } else {
        add(new Operation(event::reach, true));
      }
    }
    return event;
  }

  @Override
  public void waitFor(Event event) {
    if (!(event instanceof HostEvent other)) {
      throw new IllegalArgumentException(
          "the event is not of the cpu backend; pass one that one of its streams recorded");
    }
    run(
        () -> {
          Failure before = other.awaitReached();
          if (before != null) {
            throw WorkStealingExecutor.unchecked(before.cause());
          }
        });
  }

  private synchronized void add(Operation operation) {
    if (closed) {
      throw new IllegalStateException(name + " is closed; open another stream");
    }
    queue.add(operation);
    added++;
    if (thread == null) {
      thread = Thread.ofPlatform().daemon().name(name).start(this::runAll);
    }
    notifyAll();
  }

  private void runAll() {
    for (Operation next = next(); next != null; next = next()) {
      Throwable thrown = null;
      if (next.always() || !hasFailed()) {
        try {
          next.code().run();
        } catch (Throwable e) {
          thrown = e;
        }
        // What an operation leaves behind is no concern of the next.
        Thread.interrupted();
      }
      end(thrown);
    }
  }

  /** Returns what comes next, or null if this thread is no longer needed. */
  private synchronized @Nullable Operation next() {
    long idleSince = System.nanoTime();
    while (queue.isEmpty()) {
      long left = KEEP_THREAD_MILLIS - (System.nanoTime() - idleSince) / 1_000_000;
      if (closed || left <= 0) {
        thread = null;
        return null;
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        // Nobody has a reason to interrupt this thread; it looks again.
      }
    }
    return queue.remove();
  }

  private synchronized boolean hasFailed() {
    return failure != null;
  }

  private synchronized void end(@Nullable Throwable thrown) {
    if (thrown != null) {
      failure = new Failure(thrown, new AtomicBoolean());
    }
    ended++;
    notifyAll();
  }

  @Override
  public synchronized boolean isIdle() {
    return ended == added;
  }

  @Override
  public void await() {
    Failure unraised;
    synchronized (this) {
      long last = added;
      awaitUntil(() -> ended >= last);
      unraised = failure;
    }
    raise(unraised);
  }

  private synchronized void awaitUntil(BooleanSupplier condition) {
    boolean interrupted = false;
    while (!condition.getAsBoolean()) {
      if (Thread.currentThread().equals(thread)) {
        throw new IllegalStateException(
            "an operation on " + name + " waits for its own stream, which would never end");
      }
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Throws a failure unless somebody was told of it; the stream is usable again then. */
  private void raise(@Nullable Failure raised) {
    if (raised == null || !raised.told().compareAndSet(false, true)) {
      return;
    }
    synchronized (this) {
      if (raised.equals(failure)) {
        failure = null;
      }
    }
    throw new DeviceException(
        "an operation failed: " + raised.cause(),
        name,
        "operations added after it, until now, were skipped",
        raised.cause());
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      awaitUntil(() -> ended == added);
      closed = true;
      notifyAll();
    }
    await();
  }

  /** A place in the queue. */
  private final class HostEvent implements Event {
    private boolean reached;
    private @Nullable Failure before;

    private void reach() {
      synchronized (HostStream.this) {
        reached = true;
        before = failure;
        HostStream.this.notifyAll();
      }
    }

    private @Nullable Failure awaitReached() {
      synchronized (HostStream.this) {
        awaitUntil(() -> reached);
        return before;
      }
    }

    @Override
    public boolean isDone() {
      synchronized (HostStream.this) {
        return reached;
      }
    }

    @Override
    public void await() {
      raise(awaitReached());
    }
  }
}
