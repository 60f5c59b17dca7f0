package dev.rialto.exchange;

import static java.util.Objects.requireNonNull;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The state of something that is started and awaited, again and again, by one thread at a time:
 * idle, called by a thread, started, failed or closed.
 *
 * <p>A call that does not fit the state is refused with what to do instead. A failure is remembered
 * and is the cause of later refusals. Thread-safe, so that a second thread is refused as well.
 */
public final class RunState {
  private enum State {
    IDLE,
    CALLED,
    STARTED,
    FAILED,
    CLOSED
  }

  private final Object what;
  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

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
    enter(State.IDLE, call);
  }

  /** Has this thread be the one that works, on what was started. */
  public void resume(String call) {
    enter(State.STARTED, call);
  }

  private void enter(State wanted, String call) {
    if (!state.compareAndSet(wanted, State.CALLED)) {
      throw refusal(call);
    }
  }

  /**
   * Ends a call: it has started something, or else has ended everything. What failed meanwhile,
   * because another thread said so, stays failed.
   */
  public void leave(boolean started) {
    state.compareAndSet(State.CALLED, started ? State.STARTED : State.IDLE);
  }

  /**
   * Remembers a failure; from now on there is only closing.
   *
   * @return whether it is the first
   */
  public boolean fail(Throwable cause) {
    boolean first = failure.compareAndSet(null, cause);
    state.set(State.FAILED);
    return first;
  }

  /**
   * Closes what is idle or has failed.
   *
   * @return whether it was idle; otherwise nothing that involves other ranks may be done
   * @throws IllegalStateException if it is under way
   */
  public boolean close() {
    if (state.compareAndSet(State.FAILED, State.CLOSED)) {
      return false;
    }
    requireNotUnderWay("close", "closing it");
    enter(State.IDLE, "close");
    state.set(State.CLOSED);
    return true;
  }

  /** Checks that nothing is under way. */
  public void requireNotUnderWay(String call, String before) {
    if (state.get() == State.STARTED || state.get() == State.CALLED) {
      throw new IllegalStateException(
          call + ": " + what + " is under way; await it before " + before);
    }
  }

  /** Checks that this is neither closed nor has failed. */
  public void requireUsable(String call) {
    if (state.get() == State.FAILED || state.get() == State.CLOSED) {
      throw refusal(call);
    }
  }

  /** Returns whether something was started and not awaited. */
  public boolean isStarted() {
    return state.get() == State.STARTED;
  }

  /** Returns whether this is closed. */
  public boolean isClosed() {
    return state.get() == State.CLOSED;
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
            + switch (requireNonNull(state.get())) {
              case IDLE -> " is not under way; start it first";
              case CALLED -> " is being run by another thread; wait until that has ended";
              case STARTED -> " is under way already; await it first";
              case FAILED -> " has failed; close it and make another";
              case CLOSED -> " is closed; make another";
            },
        failure.get());
  }
}
