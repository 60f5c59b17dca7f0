package dev.rialto.cuda;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.StreamObserver;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.parts.CountedStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A CUDA stream, with host code in it.
 *
 * <p>Work for the GPU goes straight to the driver, in the calling thread. Host code is run by a
 * thread, after the GPU has done what was added before; what is added behind it waits here and goes
 * to the driver once it has ended. The driver's own callbacks would not do: it calls those of all
 * streams from one thread, so that streams wait for one another, and work behind one that failed
 * could not be skipped any more.
 *
 * <p>A position is a number. Whether it is reached is asked by one event, recorded when somebody
 * asks: an event after every operation would cost as much as a launch. So "reached" may be told
 * later than it is true, when more was added before anybody asked, and a stream that waits for this
 * one waits for everything that has gone to the driver. Nothing waits for what is added later, so
 * no wait is for ever.
 *
 * <p>While an observer takes times, each operation is put between two events that have a clock, and
 * the observer hears of it when somebody finds that it has ended.
 */
final class CudaStream extends CountedStream {
  /** How long one who waits asks without a pause, and the longest pause then. */
  private static final long SPIN_NANOS = 50_000;

  private static final long PAUSE_NANOS = 1_000_000;

  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("cuda-stream-", 0).factory());

  /** Something that adds work to a driver's stream. */
  interface Work {
    void submit(long stream);

    /** Called instead if something before it failed. */
    default void skip() {}
  }

  /** A launch that keeps its kernel until it has gone to the driver. */
  private static final class Launch implements Work {
    private final LoadedKernel kernel;
    private final long begin;
    private final long end;
    private final int each;
    private final List<MemorySegment> buffers;
    private final long[] extra;
    private final ArgumentBlock arguments;

    Launch(
        LoadedKernel kernel,
        long begin,
        long end,
        int each,
        List<MemorySegment> buffers,
        long[] extra,
        ArgumentBlock arguments) {
      this.kernel = kernel;
      this.begin = begin;
      this.end = end;
      this.each = each;
      this.buffers = buffers;
      this.extra = extra;
      this.arguments = arguments;
    }

    @Override
    public void submit(long stream) {
      try {
        kernel.launch(begin, end, each, buffers, extra, stream, arguments);
      } finally {
        kernel.release();
      }
    }

    @Override
    public void skip() {
      kernel.release();
    }
  }

  /** An operation that waits behind host code: host code itself, or work for the GPU. */
  private record Queued(
      @Nullable Object label, long added, @Nullable Runnable code, @Nullable Work work) {}

  /** An operation between two events with a clock. */
  private record Timed(@Nullable Object label, long position, long added, long begin, long end) {}

  private final Context context;
  private final DeviceClock clock;
  private final long handle;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock; the numbers are read without it.
  private final ArrayDeque<Queued> queue = new ArrayDeque<>();
  private final ArrayDeque<Timed> timed = new ArrayDeque<>();
  private final ArgumentBlock arguments = new ArgumentBlock();
  private boolean draining;
  private long marker;
  private long markedPosition = -1;
  private volatile long added;

  /** The point up to which operations have gone to the driver, or have ended. */
  private volatile long submitted;

  private volatile long reached;
  private volatile @Nullable Thread thread;
  private volatile boolean closed;

  CudaStream(Context context, DeviceClock clock, int priority) {
    super(context.name() + "/stream " + COUNT.incrementAndGet());
    this.context = context;
    this.clock = clock;
    context.enter();
    this.handle = Driver.createStream(priority);
  }

  /** Returns the stream behind one that a caller passes, labelled or not. */
  static CudaStream require(Stream stream) {
    return switch (stream) {
      case CudaStream own -> own;
      case Labelled(CudaStream own, Object _) -> own;
      default ->
          throw new IllegalArgumentException(
              "stream " + stream.name() + " is not of the cuda backend; pass one that it opened");
    };
  }

  static @Nullable Object label(Stream stream) {
    return stream instanceof Labelled labelled ? labelled.label() : null;
  }

  Context context() {
    return context;
  }

  // --- Adding -----------------------------------------------------------------------------------

  @Override
  protected void run(@Nullable Object label, Runnable operation) {
    add(new Queued(label, now(), operation, null));
  }

  /** Adds work for the GPU. */
  void submit(@Nullable Object label, Work work) {
    lock.lock();
    try {
      refuseIfClosed();
      if (draining) {
        add(new Queued(label, now(), null, work));
      } else {
        context.enter();
        long position = claim();
        give(label, now(), position, work);
        submitted = position;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a launch; allocates nothing unless host code is ahead.
   *
   * @param each how many indices a thread does
   * @param extra what the kernel takes after the range
   */
  void launch(
      @Nullable Object label,
      LoadedKernel kernel,
      long begin,
      long end,
      int each,
      List<MemorySegment> buffers,
      long[] extra) {
    lock.lock();
    try {
      refuseIfClosed();
      if (draining || observer.isTiming()) {
        kernel.retain();
        submit(label, new Launch(kernel, begin, end, each, List.copyOf(buffers), extra, arguments));
        return;
      }
      context.enter();
      long position = claim();
      Throwable before = failures.skip(position);
      if (before != null) {
        observer.skipped(label, position, before);
      } else {
        try {
          kernel.launch(begin, end, each, buffers, extra, handle, arguments);
        } catch (RuntimeException e) {
          fail(label, position, 0, e);
        }
      }
      submitted = position;
    } finally {
      lock.unlock();
    }
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
    lock.lock();
    try {
      refuseIfClosed();
      var _ = claim();
      queue.add(operation);
      if (!draining) {
        startDraining();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Has a thread work the queue off. Called with the lock. */
  private void startDraining() {
    draining = true;
    try {
      THREADS.execute(this::drain);
    } catch (Throwable e) {
      // There is no thread to be had: nobody waits for what will never run.
      draining = false;
      Queued operation = queue.element();
      fail(operation.label(), submitted + 1, operation.added(), e);
      pass();
    }
  }

  @Override
  protected void refuseIfClosed() {
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
        long begin = context.takeEvent(true);
        long end = context.takeEvent(true);
        Driver.check(Driver.record(begin, handle), "taking a time");
        work.submit(handle);
        Driver.check(Driver.record(end, handle), "taking a time");
        timed.add(new Timed(label, position, when, begin, end));
      } else {
        work.submit(handle);
      }
    } catch (RuntimeException | Error e) {
      fail(label, position, when, e);
    }
  }

  private void fail(@Nullable Object label, long position, long when, Throwable e) {
    failures.add(e, position);
    observer.ended(label, position, when, when, when, e);
  }

  // --- Host code --------------------------------------------------------------------------------

  /** Works the queue off, in a thread of its own. */
  private void drain() {
    thread = Thread.currentThread();
    for (Queued next = next(); next != null; next = next()) {
      try {
        context.enter();
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
    int result = Driver.synchronize(handle);
    reach(position - 1);
    if (result != Driver.SUCCESS) {
      failures.add(Driver.failure(result, "work on the GPU"), position);
      return;
    }
    StreamObserver told = observer;
    boolean timing = told.isTiming();
    long began = timing ? System.nanoTime() : 0;
    Throwable thrown = null;
    try {
      code.run();
    } catch (Throwable e) {
      thrown = e;
      failures.add(e, position);
    }
    // What an operation leaves behind is no concern of the next.
    Thread.interrupted();
    context.enter();
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
  public long position() {
    return added;
  }

  /** Tells the observer that everything up to a point has ended, and then everybody. */
  private void reach(long position) {
    lock.lock();
    try {
      while (!timed.isEmpty() && timed.peek().position() <= position) {
        Timed operation = timed.remove();
        long began = Math.max(operation.added(), clock.nanos(operation.begin()));
        long ended = Math.max(began, clock.nanos(operation.end()));
        context.giveEvent(operation.begin(), true);
        context.giveEvent(operation.end(), true);
        observer.ended(
            operation.label(), operation.position(), operation.added(), began, ended, null);
      }
      reached = Math.max(reached, position);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isReached(long position) {
    if (reached >= position) {
      return true;
    }
    if (submitted < position) {
      return false;
    }
    lock.lock();
    try {
      context.enter();
      if (markedPosition < position && markIsReached()) {
        if (marker == 0) {
          marker = context.takeEvent(false);
        }
        long marked = submitted;
        note(Driver.record(marker, handle), marked);
        markedPosition = marked;
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
    int result = Driver.query(marker);
    if (result == Driver.NOT_READY) {
      return false;
    }
    note(result, markedPosition);
    reach(markedPosition);
    return true;
  }

  /** Keeps what the driver tells of work that went wrong on the GPU. */
  private void note(int result, long position) {
    if (result != Driver.SUCCESS) {
      failures.add(Driver.failure(result, "work on the GPU"), position);
    }
  }

  @Override
  public void awaitReached(long position) {
    if (reached >= position) {
      return;
    }
    refuseOwnThread();
    long event;
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
      event = mark();
    } finally {
      lock.unlock();
    }
    int result = Driver.synchronizeEvent(event);
    context.giveEvent(event, false);
    lock.lock();
    try {
      note(result, marked);
      reach(marked);
    } finally {
      lock.unlock();
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>The driver's own waits cannot be interrupted, so the driver is asked again and again: at
   * first all the time, and then after an eighth of what was waited already.
   */
  @Override
  public boolean awaitReached(long position, long nanos) throws InterruptedException {
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

  /** Returns the label of the host code that runs, or null if only the GPU has something to do. */
  @Override
  public @Nullable Object pending() {
    lock.lock();
    try {
      Queued next = queue.peek();
      return next == null ? null : next.label();
    } finally {
      lock.unlock();
    }
  }

  /** Records an event after what has gone to the driver; the caller gives it back. */
  private long mark() {
    context.enter();
    long event = context.takeEvent(false);
    note(Driver.record(event, handle), submitted);
    return event;
  }

  @Override
  public void waitFor(Timeline other, long position) {
    if (!(other instanceof CudaStream stream)) {
      throw new IllegalArgumentException(
          "stream " + other.name() + " is not of the cuda backend; pass one that it opened");
    }
    if (position > stream.position()) {
      throw new IllegalArgumentException(
          stream.name + " has no position " + position + "; the last is " + stream.position());
    }
    refuseIfClosed();
    if (stream == this || (stream.reached >= position && stream.failureAt(position) == null)) {
      return;
    }
    if (stream.submitted < position || stream.failureAt(position) != null || stream.closed) {
      run(
          () -> {
            stream.awaitReached(position);
            Throwable failure = stream.failureAt(position);
            if (failure != null) {
              throw CudaStream.<RuntimeException>sneaky(failure);
            }
          });
      return;
    }
    waitForEvent(stream);
  }

  @Override
  public void waitReached(Timeline other, long position) {
    if (other == this || other.isReached(position)) {
      return;
    }
    if (other instanceof CudaStream stream && stream.submitted >= position && !stream.closed) {
      waitForEvent(stream);
    } else {
      run(() -> other.awaitReached(position));
    }
  }

  /** Waits on the device for what another stream has given to the driver. */
  private void waitForEvent(CudaStream stream) {
    long event;
    stream.lock.lock();
    try {
      event = stream.mark();
    } finally {
      stream.lock.unlock();
    }
    submit(
        null,
        new Work() {
          @Override
          public void submit(long handle) {
            Driver.wait(handle, event);
            // The driver has taken the event's state, so it may be recorded anew.
            skip();
          }

          @Override
          public void skip() {
            stream.context.giveEvent(event, false);
          }
        });
  }

  /** Lets what an operation threw be thrown again as it is, checked or not. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> RuntimeException sneaky(Throwable e) throws T {
    throw (T) e;
  }

  @Override
  public void close() {
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
      context.enter();
      if (marker != 0) {
        context.giveEvent(marker, false);
      }
      arguments.close();
      Driver.destroyStream(handle);
    } finally {
      lock.unlock();
    }
    await();
  }
}
