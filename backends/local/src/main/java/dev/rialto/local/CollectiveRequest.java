package dev.rialto.local;

import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.error.TimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A collective that was begun without waiting for it. */
class CollectiveRequest extends CollectiveOperation implements Request {
  private boolean over = true;
  private @Nullable CommunicationException thrown;

  CollectiveRequest(CollectiveQueue queue) {
    super(queue);
  }

  /** Begins it. */
  final void begin() {
    over = false;
    thrown = null;
    forgetFailure();
    queue.begin(this);
  }

  @Override
  public final boolean test() {
    if (!over) {
      queue.self().progress();
      if (poll()) {
        end(outcome());
      } else {
        try {
          queue.self().world.check(queue.self());
        } catch (CommunicationException e) {
          end(e);
        }
      }
    }
    return over;
  }

  @Override
  public final Status await() {
    var _ = await(Long.MAX_VALUE);
    return result();
  }

  @Override
  public final Status await(Duration limit) {
    if (!await(nanos(limit))) {
      throw new TimeoutException(
          describe() + " is not complete after " + limit,
          queue.toString(),
          "await it again, for longer",
          null);
    }
    return result();
  }

  private static long nanos(Duration limit) {
    return limit.compareTo(Duration.ofNanos(Long.MAX_VALUE)) < 0
        ? limit.toNanos()
        : Long.MAX_VALUE - 1;
  }

  private boolean await(long nanos) {
    if (!over) {
      try {
        if (!queue.self().await(this, nanos)) {
          return false;
        }
        end(outcome());
      } catch (PeerFailedException | DeadlockException e) {
        end(e);
      }
    }
    return true;
  }

  private void end(@Nullable CommunicationException failure) {
    thrown = failure;
    over = true;
    ended();
  }

  /** Gives up what is not needed once it is over. */
  void ended() {
    clear();
  }

  /** Returns whether it was begun and is not known to be over. */
  final boolean active() {
    return !over;
  }

  private Status result() {
    if (thrown != null) {
      throw thrown;
    }
    return Status.EMPTY;
  }

  /** Others may have begun to work on it, so it cannot be taken back. */
  @Override
  public final boolean cancel() {
    return false;
  }

  @Override
  public void close() {
    if (!over) {
      var _ = await();
    }
  }
}
