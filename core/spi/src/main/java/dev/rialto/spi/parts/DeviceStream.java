package dev.rialto.spi.parts;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.exec.Timeline.Observer;
import java.util.ArrayDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A stream over an in-order queue of a device's driver, with host code in it.
 *
 * <p>Work for the device goes straight to the driver, in the calling thread. Host code is run by a
 * thread, after the device has done what was added before; what is added behind it waits here and
 * goes to the driver once it has ended. Callbacks of a driver would not do: CUDA calls those of all
 * streams from one thread, so that streams wait for one another, and work behind one that failed
 * could not be skipped any more.
 *
 * <p>While an observer takes times, each operation is put between two clocks, and the observer
 * hears of it when a waiter finds that it has ended.
 *
 * <p>A position is a number; {@link QueueProgress} tells whether it is reached.
 */
public abstract class DeviceStream extends CountedStream {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("device-stream-", 0).factory());

  /** Something that adds work to a driver's queue. */
  public interface Work {
    /** Adds the work. */
    void submit(long queue);

    /** Called instead if something before it failed. */
    default void skip() {}
  }

  /** An operation that waits behind host code: host code itself, or work for the device. */
  private record Queued(
      @Nullable Object label, long added, @Nullable Runnable code, @Nullable Work work) {}

  private final String backend;
  private final String device;
  private final DriverQueue driver;
  private final ReentrantLock lock = new ReentrantLock();
  private final QueueProgress progress;

  // Guarded by the lock; the number is read without it.
  private final ArrayDeque<Queued> queue = new ArrayDeque<>();
  private boolean draining;
  private volatile long added;

  private volatile @Nullable Thread thread;
  private volatile boolean closed;

  /**
   * Names the stream.
   *
   * @param backend the backend's name, for messages
   * @param device the device's name
   * @param driver where work for the device goes
   */
  @SuppressWarnings("this-escape") // What is made here only keeps it.
  protected DeviceStream(String backend, String device, DriverQueue driver) {
    super(device + "/stream " + COUNT.incrementAndGet());
    this.backend = backend;
    this.device = device;
    this.driver = driver;
    this.progress = new QueueProgress(this, driver, lock);
  }

  /**
   * Returns the stream behind one that a caller passes, labelled or not.
   *
   * @param kind the streams of a backend
   * @param backend its name, for the message
   * @throws IllegalArgumentException if it is of another backend
   */
  protected static <S extends DeviceStream> S require(
      Class<S> kind, String backend, Stream stream) {
    Stream own = stream instanceof Labelled labelled ? labelled.stream() : stream;
    if (!kind.isInstance(own)) {
      throw new IllegalArgumentException(
          "stream %s is not of the %s backend; pass one that it opened"
              .formatted(stream.name(), backend));
    }
    return kind.cast(own);
  }

  /** Returns what the observer is told of operations on a stream; null if nothing. */
  public static @Nullable Object label(Stream stream) {
    return stream instanceof Labelled labelled ? labelled.label() : null;
  }

  /** Returns the name of the device. */
  public final String device() {
    return device;
  }

  // --- Adding -----------------------------------------------------------------------------------

  @Override
  protected final void run(@Nullable Object label, Runnable operation) {
    add(new Queued(label, now(), operation, null));
  }

  /** Adds work for the device. */
  public final void submit(@Nullable Object label, Work work) {
    lock();
    try {
      if (draining) {
        add(new Queued(label, now(), null, work));
      } else {
        driver.enter();
        long position = claim();
        give(label, now(), position, work);
        progress.submit(position);
      }
    } finally {
      unlock();
    }
  }

  /** Keeps others from adding, for those who add without an object; throws if this is closed. */
  protected final void lock() {
    lock.lock();
    if (closed) {
      lock.unlock();
      refuseIfClosed();
    }
  }

  /** Ends what {@link #lock} began. */
  protected final void unlock() {
    lock.unlock();
  }

  /** Returns whether an operation must be {@linkplain #submit submitted}. Called with the lock. */
  protected final boolean needsObject() {
    return draining || observer.isTiming();
  }

  /**
   * Begins an operation that goes to the driver at once; {@link #finish} must follow. Called with
   * the lock.
   *
   * @return the point after it, or 0 if it is to be skipped
   */
  protected final long begin(@Nullable Object label) {
    driver.enter();
    long position = claim();
    Throwable before = failures.skip(position);
    if (before != null) {
      observer.skipped(label, position, before);
      return 0;
    }
    return position;
  }

  /** Counts what {@link #begin} began as given to the driver. Called with the lock. */
  protected final void finish() {
    progress.submit(added);
  }

  /** Counts an operation and returns the point after it. Called with the lock. */
  private long claim() {
    long position = added + 1;
    added = position;
    return position;
  }

  private long now() {
    return observer.isTiming() ? System.nanoTime() : 0;
  }

  private void add(Queued operation) {
    lock();
    try {
      var _ = claim();
      queue.add(operation);
      if (!draining) {
        startDraining();
      }
    } finally {
      unlock();
    }
  }

  /** Has a thread work the queue off. Called with the lock. */
  private void startDraining() {
    draining = true;
    try {
      THREADS.execute(this::drain);
    } catch (Throwable e) {
      // There is no thread to be had: what will never run must not be waited for.
      draining = false;
      Queued operation = queue.element();
      fail(operation.label(), progress.submitted() + 1, operation.added(), e);
      pass();
    }
  }

  @Override
  protected final void refuseIfClosed() {
    if (closed) {
      throw new IllegalStateException(name + " is closed; open another stream");
    }
  }

  /** Hands work to the driver unless a failure makes it be skipped. Called with the lock. */
  private void give(@Nullable Object label, long when, long position, Work work) {
    Throwable before = failures.skip(position);
    if (before != null) {
      work.skip();
      observer.skipped(label, position, before);
      return;
    }
    try {
      if (observer.isTiming()) {
        progress.time(label, position, when, () -> work.submit(driver.handle()));
      } else {
        work.submit(driver.handle());
      }
    } catch (RuntimeException | Error e) {
      fail(label, position, when, e);
    }
  }

  /** Notes that an operation failed before the device had it. */
  protected final void fail(@Nullable Object label, long position, long when, Throwable e) {
    failures.add(e, position);
    observer.ended(label, position, when, when, when, e);
  }

  // --- Host code --------------------------------------------------------------------------------

  /** Works the queue off, in a thread of its own. */
  private void drain() {
    thread = Thread.currentThread();
    for (Queued next = next(); next != null; next = next()) {
      try {
        driver.enter();
        work(next, progress.submitted() + 1);
      } catch (Throwable e) {
        // Nothing here throws but a full stack or heap, or the observer: others must not hang.
        failures.add(e, progress.submitted() + 1);
      }
      lock.lock();
      try {
        pass();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Returns what comes next; if that is nothing, the thread is no longer this stream's. */
  private @Nullable Queued next() {
    lock.lock();
    try {
      Queued next = queue.peek();
      if (next == null) {
        draining = false;
        thread = null;
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  private void work(Queued next, long position) {
    if (next.work() == null) {
      execute(next, requireNonNull(next.code()), position);
      return;
    }
    lock.lock();
    try {
      give(next.label(), next.added(), position, next.work());
    } finally {
      lock.unlock();
    }
  }

  private void pass() {
    queue.remove();
    progress.pass();
  }

  private void execute(Queued operation, Runnable code, long position) {
    Throwable before = failures.skip(position);
    if (before != null) {
      observer.skipped(operation.label(), position, before);
      return;
    }
    try {
      driver.synchronize();
    } catch (RuntimeException e) {
      failures.add(e, position);
      progress.reach(position - 1);
      return;
    }
    progress.reach(position - 1);
    Observer told = observer;
    boolean timing = told.isTiming();
    long began = timing ? System.nanoTime() : 0;
    Throwable thrown = null;
    try {
      code.run();
    } catch (Throwable e) {
      thrown = e;
      failures.add(e, position);
    }
    // An interrupt of one operation is no concern of the next.
    Thread.interrupted();
    driver.enter();
    if (timing || thrown != null) {
      told.ended(
          operation.label(),
          position,
          operation.added(),
          began,
          timing ? System.nanoTime() : 0,
          thrown);
    }
    progress.reach(position);
  }

  // --- Points -----------------------------------------------------------------------------------

  @Override
  public final long position() {
    return added;
  }

  @Override
  public final boolean isReached(long position) {
    return progress.isReached(position);
  }

  @Override
  public final void awaitReached(long position) {
    if (!progress.isKnown(position)) {
      refuseOwnThread();
      progress.awaitReached(position);
    }
  }

  @Override
  public final boolean awaitReached(long position, long nanos) throws InterruptedException {
    if (progress.isKnown(position)) {
      return true;
    }
    refuseOwnThread();
    return progress.awaitReached(position, nanos);
  }

  private void refuseOwnThread() {
    if (Thread.currentThread().equals(thread)) {
      throw new IllegalStateException(
          "an operation on " + name + " waits for its own stream, which would never end");
    }
  }

  /** Returns the label of the host code that runs, or null if only the device has work. */
  @Override
  public final @Nullable Object pending() {
    lock.lock();
    try {
      Queued next = queue.peek();
      return next == null ? null : next.label();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final void waitFor(Timeline other, long position) {
    if (!(other instanceof DeviceStream stream) || !stream.backend.equals(backend)) {
      throw new IllegalArgumentException(
          "stream %s is not of the %s backend; pass one that it opened"
              .formatted(other.name(), backend));
    }
    if (position > stream.position()) {
      throw new IllegalArgumentException(
          stream.name + " has no position " + position + "; the last is " + stream.position());
    }
    refuseIfClosed();
    if (stream.equals(this)
        || (stream.progress.isKnown(position) && stream.failureAt(position) == null)) {
      return;
    }
    if (!canMark(stream, position) || stream.failureAt(position) != null) {
      run(
          () -> {
            stream.awaitReached(position);
            Throwable failure = stream.failureAt(position);
            if (failure != null) {
              throw DeviceStream.<RuntimeException>sneaky(failure);
            }
          });
      return;
    }
    waitForMarkOf(stream);
  }

  @Override
  public final void waitReached(Timeline other, long position) {
    if (other.equals(this) || other.isReached(position)) {
      return;
    }
    if (other instanceof DeviceStream stream
        && stream.backend.equals(backend)
        && canMark(stream, position)) {
      waitForMarkOf(stream);
    } else {
      run(() -> other.awaitReached(position));
    }
  }

  private boolean canMark(DeviceStream stream, long position) {
    return stream.progress.submitted() >= position
        && !stream.closed
        && driver.canWaitFor(stream.driver);
  }

  /** Waits on the device for what another stream has given to the driver. */
  private void waitForMarkOf(DeviceStream stream) {
    long mark;
    try {
      mark = stream.progress.markAll();
    } catch (RuntimeException e) {
      run(
          () -> {
            throw e;
          });
      return;
    }
    submit(
        null,
        new Work() {
          @Override
          public void submit(long queue) {
            driver.waitForMark(mark);
            // The driver has taken the mark's state, so it may be set anew.
            skip();
          }

          @Override
          public void skip() {
            stream.driver.dropMark(mark);
          }
        });
  }

  /** Lets what an operation threw be thrown again as it is, checked or not. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> RuntimeException sneaky(Throwable e) throws T {
    throw (T) e;
  }

  @Override
  public final void close() {
    if (closed) {
      return;
    }
    awaitReached(position());
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      driver.enter();
      progress.close();
      driver.end();
    } finally {
      lock.unlock();
    }
    await();
  }
}
