package dev.rialto.sparse;

import dev.rialto.exchange.Exchange;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Elements that are on their way between ranks, as {@link Vectors#startHalo}, {@link
 * Vectors#startAddHalo} and {@link Vectors#startOverlap} return them.
 *
 * {@snippet :
 * try (StartedUpdate first = v.startHalo(x, haloOfX);
 *     StartedUpdate second = v.startHalo(y, haloOfY)) {
 *   z.set(i -> f(i));
 * }
 * }
 *
 * <p>They are taken from the arrays at the start and written at the {@link #await}. In between the
 * arrays are the caller's, to read, write and multiply with. All ranks start updates in one order
 * and may await them in different ones; awaiting one completes those before it, too. An await may
 * wait for other ranks to await, so that all ranks do it before, or all after, something else that
 * is collective. Four of a kind are under way at most: another start completes the oldest. Closing
 * the team completes the rest, and fails by what went wrong with an update that was not awaited.
 */
public final class StartedUpdate implements AutoCloseable {
  private final StartedUpdates all;
  private final HaloMemory.Kind kind;
  private final MemorySegment memory;
  private final Exchange exchange;
  private final Runnable result;
  private @Nullable Throwable failure;
  private boolean complete;
  private boolean awaited;

  /**
   * Describes an exchange that is about to start.
   *
   * @param result brings what it leaves in the memory to an array
   */
  StartedUpdate(
      StartedUpdates all,
      HaloMemory.Kind kind,
      MemorySegment memory,
      Exchange exchange,
      Runnable result) {
    this.all = all;
    this.kind = kind;
    this.memory = memory;
    this.exchange = exchange;
    this.result = result;
  }

  /**
   * Waits for the elements, and those of all updates before, and writes them to the arrays.
   * Collective.
   *
   * @throws IllegalStateException if it was awaited before, the team is closed, the array is closed
   *     or was divided in another way, or an update before has failed
   * @throws dev.rialto.spi.error.CommunicationException if another rank failed
   */
  public void await() {
    if (awaited) {
      throw new IllegalStateException(this + " was awaited before; start another");
    }
    awaited = true;
    all.complete(this);
    all.heard(this);
    if (failure != null) {
      throw failed();
    }
  }

  /** Returns the failure in words for the caller. */
  IllegalStateException failed() {
    Throwable cause = failure;
    return new IllegalStateException(
        "%s failed: %s".formatted(this, cause == null ? "" : cause.getMessage()), cause);
  }

  @Nullable Throwable failure() {
    return failure;
  }

  boolean isComplete() {
    return complete;
  }

  /** Ends the exchange. What becomes of the result is told to those who await this update. */
  void complete() {
    complete = true;
    try {
      exchange.await();
    } catch (RuntimeException | Error e) {
      failure = e;
      throw e;
    }
    try {
      result.run();
    } catch (RuntimeException e) {
      failure = e;
    }
    // Memory of an exchange that failed is not used again: messages may be under way.
    kind.map().arrays().halos().giveBack(kind, memory);
  }

  void fail(Throwable cause) {
    complete = true;
    failure = cause;
  }

  /** Awaits it, unless that was done, or the team is closed. */
  @Override
  public void close() {
    if (!awaited && !all.isClosed()) {
      await();
    }
  }

  @Override
  public String toString() {
    return "an update by " + exchange.plan().name();
  }
}
