package dev.rialto.exchange;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The state of something that is started and awaited, again and again, by one thread at a time:
 * idle, called by a thread, started, failed or closed.
 *
 * <p>A call that does not fit the state is refused with what to do instead. A failure is remembered
 * and is the cause of later refusals. Thread-safe, so that a second thread is refused as well; only
 * entering needs an atomic operation for that, since failures and the end are kept beside what the
 * one thread inside sets.
 */
public final class RunState {
  private static final int IDLE = 0;
  private static final int CALLED = 1;
  private static final int STARTED = 2;
  private static final int FAILED = 3;
  private static final int CLOSED = 4;

  private final Object what;

  /** The call under way: none (idle), called or started. */
  private final AtomicInteger inside = new AtomicInteger(IDLE);

  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean closed;

  /**
   * Begins idle.
   *
   * @param what names itself in messages
   */
  public RunState(Object what) {
    this.what = what;
  }

  /** Has this thread be the one that works, from idle on. */
  public void enter(String call) {
    enter(IDLE, call);
  }

  /** Has this thread be the one that works, on what was started. */
  public void resume(String call) {
    enter(STARTED, call);
  }

  private void enter(int wanted, String call) {
    if (closed || failure.get() != null || !inside.compareAndSet(wanted, CALLED)) {
      throw refusal(call);
    }
  }

  /**
   * Ends a call: it has started something, or else has ended everything. What failed meanwhile,
   * because another thread said so, stays failed.
   */
  public void leave(boolean started) {
    inside.setRelease(started ? STARTED : IDLE);
  }

  /**
   * Remembers a failure; from now on there is only closing.
   *
   * @return whether it is the first
   */
  public boolean fail(Throwable cause) {
    return failure.compareAndSet(null, cause);
  }

  /**
   * Closes what is idle or has failed.
   *
   * @return whether it was idle; otherwise nothing that involves other ranks may be done
   * @throws IllegalStateException if it is under way
   */
  public boolean close() {
    if (state() == FAILED) {
      closed = true;
      return false;
    }
    requireNotUnderWay("close", "closing it");
    enter(IDLE, "close");
    closed = true;
    return true;
  }

  /** Checks that nothing is under way. */
  public void requireNotUnderWay(String call, String before) {
    if (state() == STARTED || state() == CALLED) {
      throw new IllegalStateException(
          call + ": " + what + " is under way; await it before " + before);
    }
  }

  /** Checks that this is neither closed nor has failed. */
  public void requireUsable(String call) {
    if (state() == FAILED || state() == CLOSED) {
      throw refusal(call);
    }
  }

  /** Returns whether something was started and not awaited. */
  public boolean isStarted() {
    return state() == STARTED;
  }

  /** Returns whether this is closed. */
  public boolean isClosed() {
    return closed;
  }

  private int state() {
    if (closed) {
      return CLOSED;
    }
    return failure.get() == null ? inside.get() : FAILED;
  }

  /**
   * Checks, when a thread {@linkplain #resume resumes}, that memory is there as it was at the
   * start.
   *
   * @throws IllegalStateException if it was freed
   * @throws WrongThreadException if it is confined to another thread; what was started still is
   */
  public void requireStillThere(MemorySegment memory, String role) {
    if (!memory.scope().isAlive()) {
      throw new IllegalStateException(
          "await: %s of %s was freed since the start; keep its arena open until the await"
              .formatted(role, what));
    }
    if (!memory.isAccessibleBy(Thread.currentThread())) {
      leave(true);
      throw new WrongThreadException(
          "await: %s of %s is confined to another thread; await on that one".formatted(role, what));
    }
  }

  private IllegalStateException refusal(String call) {
    return new IllegalStateException(
        call
            + ": "
            + what
            + switch (state()) {
              case IDLE -> " is not under way; start it first";
              case CALLED -> " is being run by another thread; wait until that has ended";
              case STARTED -> " is under way already; await it first";
              case FAILED -> " has failed; close it and make another";
              default -> " is closed; make another";
            },
        failure.get());
  }
}
