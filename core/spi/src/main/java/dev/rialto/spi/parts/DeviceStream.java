package dev.rialto.spi.parts;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.exec.Timeline.Observer;
import java.util.ArrayDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
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
 * <p>A position is a number. Whether it is reached is asked by one mark in the driver's queue, set
 * when it is asked for: a mark after every operation would cost as much as a launch. So "reached"
 * may be told later than it is true, when more was added before the question, and a stream that
 * waits for this one waits for everything that has gone to the driver. Nothing waits for what is
 * added later, so no wait is for ever.
 *
 * <p>While an observer takes times, each operation is put between two clocks, and the observer
 * hears of it when a waiter finds that it has ended.
 *
 * <p>A kind of device says how marks and clocks are set and asked, by handles of the driver's.
 */
public abstract class DeviceStream extends CountedStream {
  /** The time for which a waiter asks without a pause, and the longest pause then. */
  private static final long SPIN_NANOS = 50_000;

  private static final long PAUSE_NANOS = 1_000_000;

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

  /** An operation between two clocks. */
  private record Timed(@Nullable Object label, long position, long added, long begin, long end) {}

  private final String backend;
  private final String device;
  private final long handle;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock; the numbers are read without it.
  private final ArrayDeque<Queued> queue = new ArrayDeque<>();
  private final ArrayDeque<Timed> timed = new ArrayDeque<>();
  private boolean draining;
  private long marker;
  private long markedPosition = -1;
  private volatile long added;

  /** The point up to which operations have gone to the driver, or have ended. */
  private volatile long submitted;

  private volatile long reached;
  private volatile @Nullable Thread thread;
  private volatile boolean closed;

  /**
   * Names the stream.
   *
   * @param backend the backend's name, for messages
   * @param device the device's name
   * @param handle the driver's queue
   */
  protected DeviceStream(String backend, String device, long handle) {
    super(device + "/stream " + COUNT.incrementAndGet());
    this.backend = backend;
    this.device = device;
    this.handle = handle;
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

  // --- What a driver does -----------------------------------------------------------------------

  /** Prepares the calling thread for calls of the driver. */
  protected void enter() {}

  /** Waits for all that was given to the driver; throws if something of it failed. */
  protected abstract void synchronize();

  /**
   * Sets a mark behind what was given to the driver.
   *
   * @param spare a mark that is not asked any longer and that may be set again, or 0
   */
  protected abstract long mark(long spare);

  /** Returns whether the device has passed a mark; throws if what came before it failed. */
  protected abstract boolean isPassed(long mark);

  /** Waits until the device has passed a mark; throws if what came before it failed. */
  protected abstract void awaitPassed(long mark);

  /** Gives a mark back that will not be asked any longer. */
  protected abstract void dropMark(long mark);

  /** Makes what is given to the driver from now on wait for a mark of another stream. */
  protected abstract void waitForMark(long mark);

  /** Returns whether the device can wait for the marks of another stream of the same kind. */
  protected abstract boolean canWaitFor(DeviceStream other);

  /** Sets a mark that tells when the device passed it. */
  protected abstract long clock();

  /** Returns when the device passed a clock, as {@link System#nanoTime} counts. */
  protected abstract long nanos(long clock);

  /** Gives a clock back. */
  protected abstract void dropClock(long clock);

  /** Gives the driver's queue back; nothing is in it. */
  protected abstract void end();

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
        enter();
        long position = claim();
        give(label, now(), position, work);
        submitted = position;
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
    enter();
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
    submitted = added;
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
      fail(operation.label(), submitted + 1, operation.added(), e);
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
        long begin = clock();
        work.submit(handle);
        timed.add(new Timed(label, position, when, begin, clock()));
      } else {
        work.submit(handle);
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
        enter();
        work(next, submitted + 1);
      } catch (Throwable e) {
        // Nothing here throws but a full stack or heap, or the observer: others must not hang.
        failures.add(e, submitted + 1);
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
    long passed = submitted + 1;
    submitted = passed;
    changed.signalAll();
  }

  private void execute(Queued operation, Runnable code, long position) {
    Throwable before = failures.skip(position);
    if (before != null) {
      observer.skipped(operation.label(), position, before);
      return;
    }
    try {
      synchronize();
    } catch (RuntimeException e) {
      failures.add(e, position);
      reach(position - 1);
      return;
    }
    reach(position - 1);
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
    enter();
    if (timing || thrown != null) {
      told.ended(
          operation.label(),
          position,
          operation.added(),
          began,
          timing ? System.nanoTime() : 0,
          thrown);
    }
    reach(position);
  }

  // --- Points -----------------------------------------------------------------------------------

  @Override
  public final long position() {
    return added;
  }

  /** Tells the observer that everything up to a point has ended, and then all waiters. */
  private void reach(long position) {
    lock.lock();
    try {
      while (!timed.isEmpty() && timed.peek().position() <= position) {
        Timed operation = timed.remove();
        long began = Math.max(operation.added(), nanos(operation.begin()));
        long ended = Math.max(began, nanos(operation.end()));
        dropClock(operation.begin());
        dropClock(operation.end());
        observer.ended(
            operation.label(), operation.position(), operation.added(), began, ended, null);
      }
      reached = Math.max(reached, position);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final boolean isReached(long position) {
    if (reached >= position) {
      return true;
    }
    if (submitted < position) {
      return false;
    }
    lock.lock();
    try {
      enter();
      if (markedPosition < position && markIsReached()) {
        long marked = submitted;
        try {
          marker = mark(marker);
          markedPosition = marked;
        } catch (RuntimeException e) {
          failures.add(e, marked);
          reach(marked);
        }
      }
      return reached >= position || (markIsReached() && reached >= position);
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether there is no mark to wait for. Called with the lock. */
  private boolean markIsReached() {
    if (markedPosition <= reached) {
      return true;
    }
    try {
      if (!isPassed(marker)) {
        return false;
      }
    } catch (RuntimeException e) {
      failures.add(e, markedPosition);
    }
    reach(markedPosition);
    return true;
  }

  @Override
  public final void awaitReached(long position) {
    if (reached >= position) {
      return;
    }
    refuseOwnThread();
    long mark;
    long marked;
    lock.lock();
    try {
      while (submitted < position) {
        changed.awaitUninterruptibly();
      }
      if (reached >= position) {
        return;
      }
      marked = submitted;
      enter();
      mark = mark(0);
    } catch (RuntimeException e) {
      failures.add(e, position);
      reach(position);
      return;
    } finally {
      lock.unlock();
    }
    RuntimeException failure = null;
    try {
      awaitPassed(mark);
    } catch (RuntimeException e) {
      failure = e;
    }
    dropMark(mark);
    lock.lock();
    try {
      if (failure != null) {
        failures.add(failure, marked);
      }
      reach(marked);
    } finally {
      lock.unlock();
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>A driver's own waits cannot be interrupted, so the driver is asked again and again: at first
   * all the time, and then after an eighth of what was waited already.
   */
  @Override
  public final boolean awaitReached(long position, long nanos) throws InterruptedException {
    if (reached >= position) {
      return true;
    }
    refuseOwnThread();
    long start = System.nanoTime();
    if (!awaitSubmitted(position, nanos)) {
      return false;
    }
    while (!isReached(position)) {
      long waited = System.nanoTime() - start;
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (waited >= nanos) {
        return false;
      }
      if (waited < SPIN_NANOS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(this, Math.min(nanos - waited, Math.min(waited / 8, PAUSE_NANOS)));
      }
    }
    return true;
  }

  private boolean awaitSubmitted(long position, long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (submitted < position && left > 0) {
        left = changed.awaitNanos(left);
      }
      return submitted >= position;
    } finally {
      lock.unlock();
    }
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
    if (stream.equals(this) || (stream.reached >= position && stream.failureAt(position) == null)) {
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
    return stream.submitted >= position && !stream.closed && canWaitFor(stream);
  }

  /** Waits on the device for what another stream has given to the driver. */
  private void waitForMarkOf(DeviceStream stream) {
    long mark;
    stream.lock.lock();
    try {
      stream.enter();
      mark = stream.mark(0);
    } catch (RuntimeException e) {
      stream.failures.add(e, stream.submitted);
      run(
          () -> {
            throw e;
          });
      return;
    } finally {
      stream.lock.unlock();
    }
    submit(
        null,
        new Work() {
          @Override
          public void submit(long queue) {
            waitForMark(mark);
            // The driver has taken the mark's state, so it may be set anew.
            skip();
          }

          @Override
          public void skip() {
            stream.dropMark(mark);
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
      enter();
      if (marker != 0) {
        dropMark(marker);
      }
      end();
    } finally {
      lock.unlock();
    }
    await();
  }
}
